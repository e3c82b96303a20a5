package kit

import "strconv"

// SendPicture answers with a picture that the browser does not keep. It takes the results of a call, and returns its error.
func (r *Request) SendPicture(content []byte, mediaType string, err error) error {
	if err != nil {
		return err
	}
	h := r.c.Writer.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = r.c.Writer.Write(content) // an error means that the client is gone
	return nil
}
