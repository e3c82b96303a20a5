package kit

import "strconv"

// SendPicture answers with a picture that the browser does not keep.
func (r *Request) SendPicture(content []byte, mediaType string) error {
	h := r.c.Writer.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = r.c.Writer.Write(content) // an error means that the client is gone
	return nil
}
