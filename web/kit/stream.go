package kit

import (
	"io"
	"net/http"
	"time"

	"banca/internal/platform/clock"
)

const (
	streamType         = "text/event-stream"
	streamWriteTimeout = 10 * time.Second // of one event, beyond the write timeout of the server
)

// Stream is an answer of server-sent events.
type Stream struct {
	Seen string // id of the last event that the browser got before it connected again; "" for none

	w       io.Writer
	control *http.ResponseController
}

// Stream begins an answer of server-sent events. A browser connects again a second after the end of a connection.
func (r *Request) Stream() *Stream {
	h := r.c.Writer.Header()
	h.Set("Content-Type", streamType)
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	r.c.Status(http.StatusOK)
	s := &Stream{Seen: r.c.GetHeader("Last-Event-ID"), w: r.c.Writer, control: http.NewResponseController(r.c.Writer)}
	_ = s.write("retry: 1000\n\n") // a browser that is gone is noticed by the next write
	return s
}

// Send sends an event whose data is one line. A browser that connects again names the id of the last event that it got; "" is none.
func (s *Stream) Send(id, event, data string) error {
	text := "event: " + event + "\ndata: " + data + "\n\n"
	if id != "" {
		text = "id: " + id + "\n" + text
	}
	return s.write(text)
}

// Beat keeps proxies from closing the connection.
func (s *Stream) Beat() error { return s.write(": wait\n\n") }

func (s *Stream) write(text string) error {
	if err := s.control.SetWriteDeadline(clock.System{}.Now().Add(streamWriteTimeout)); err != nil {
		return err
	}
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}

// Scripted reports whether a script asks for a part of a page.
func (r *Request) Scripted() bool { return r.c.GetHeader(scriptHeader) != "" }

// PushAddress makes an address that of the page into which a script inserts the answer.
func (r *Request) PushAddress(address string) { r.c.Header("HX-Push-Url", address) }
