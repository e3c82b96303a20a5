package assistant

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/google/uuid"

	"banca/internal/assistant"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
)

const eventType = "text/event-stream"

// Bounds of streams.
const (
	writeWithin = 10 * time.Second
	retryMillis = "1000"
)

type streamInput struct {
	ID          uuid.UUID `path:"id"`
	LastEventID string    `header:"Last-Event-ID" maxLength:"60" doc:"the last event that was received"`
}

type streamOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Buffering    string `header:"X-Accel-Buffering"` // of proxies
	Body         func(huma.Context)
}

var eventID = regexp.MustCompile(`^\d{1,20}-\d{1,20}$`)

func (o *operations) stream(ctx context.Context, by caller.Caller, in *streamInput) (*streamOutput, error) {
	last := ""
	if eventID.MatchString(in.LastEventID) {
		last = in.LastEventID
	}
	follower, err := o.assistant.Follow(ctx, by, in.ID, last)
	if err != nil {
		return nil, err
	}
	return &streamOutput{ContentType: eventType, CacheControl: "no-store, no-transform", Buffering: "no", Body: func(hc huma.Context) { //nolint:contextcheck // it has its own, of the same request
		c := humagin.Unwrap(hc)
		s := &stream{w: c.Writer, control: http.NewResponseController(c.Writer)}
		hc.SetStatus(http.StatusOK)
		_ = s.write("retry: " + retryMillis + "\n\n") // a client that is gone ends the reading
		follower.Run(hc.Context(), s)
	}}, nil
}

// stream writes what happens to a message as server-sent events.
type stream struct {
	w       io.Writer
	control *http.ResponseController
}

// Events implements assistant.Reader.
func (s *stream) Events(list []assistant.Event) error {
	var out strings.Builder
	for i := range list {
		e := &list[i]
		data := oneLine(e.Data)
		if e.Kind == assistant.EventText {
			raw, err := json.Marshal(e.Data) // one line
			if err != nil {
				return err
			}
			data = string(raw)
		}
		out.WriteString("id: " + e.ID + "\nevent: " + e.Kind + "\ndata: " + data + "\n\n")
	}
	return s.write(out.String())
}

// Wait implements assistant.Reader.
func (s *stream) Wait() error { return s.write(": wait\n\n") }

// Done implements assistant.Reader.
func (s *stream) Done(m *assistant.Message) error {
	raw, err := json.Marshal(messageBody(m))
	if err != nil {
		return err
	}
	return s.write("event: " + assistant.EventDone + "\ndata: " + string(raw) + "\n\n")
}

func oneLine(text string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(text) }

// write sends a part at once. Each part has its own time, beyond the write timeout of the server.
func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(clock.System{}.Now().Add(writeWithin)); err != nil {
		return err
	}
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}
