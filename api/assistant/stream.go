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

	"banca/internal/apperr"
	"banca/internal/assistant"
	"banca/internal/caller"
	"banca/internal/clock"
)

const eventType = "text/event-stream"

// Bounds of streams.
const (
	maxStreams  = 500 // of a process
	maxLife     = 5 * time.Minute
	lookEvery   = 100 * time.Millisecond
	beatEvery   = 10 * time.Second
	checkEvery  = 2 * time.Second // whether the message is finished, although no event says so
	writeWithin = 10 * time.Second
	waitAgain   = 5 * time.Second
	retryMillis = "1000"
)

var errStreams = apperr.New(apperr.Unavailable, "TOO_MANY_STREAMS", "no stream is free; read the message without a stream, or try again").WithRetryAfter(waitAgain)

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
	if _, err := o.assistant.Message(ctx, by, in.ID); err != nil {
		return nil, err
	}
	select {
	case o.streams <- struct{}{}:
	default:
		return nil, errStreams
	}
	s := &stream{service: o.assistant, by: by, id: in.ID}
	if eventID.MatchString(in.LastEventID) {
		s.last = in.LastEventID
	}
	return &streamOutput{ContentType: eventType, CacheControl: "no-store, no-transform", Buffering: "no", Body: func(hc huma.Context) { //nolint:contextcheck // it has its own, of the same request
		defer func() { <-o.streams }()
		c := humagin.Unwrap(hc)
		s.w, s.control = c.Writer, http.NewResponseController(c.Writer)
		hc.SetStatus(http.StatusOK)
		s.run(hc.Context())
	}}, nil
}

// stream is one reader of an answer.
type stream struct {
	service *assistant.Service
	by      caller.Caller
	id      uuid.UUID
	last    string // event that was sent
	clock   clock.System
	w       io.Writer
	control *http.ResponseController
}

// run sends events until the message is finished, the client leaves, the process ends or the stream's time is over; the client then connects again.
func (s *stream) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxLife)
	defer cancel()
	if s.write("retry: "+retryMillis+"\n\n") != nil {
		return
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	wrote, checked := s.clock.Now(), time.Time{}
	for {
		sent, done, err := s.events(ctx)
		if err != nil || done {
			return
		}
		now := s.clock.Now()
		if sent {
			wrote = now
		}
		if now.Sub(checked) >= checkEvery && !sent {
			checked = now
			if finished, err := s.finished(ctx); err != nil || finished {
				return
			}
		}
		if now.Sub(wrote) >= beatEvery {
			wrote = now
			if s.write(": wait\n\n") != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.service.Closing():
			return
		case <-look.C:
		}
	}
}

// events sends what has arrived. Without Redis the check of the message sends its end.
func (s *stream) events(ctx context.Context) (sent, done bool, err error) {
	list, err := s.service.Events(ctx, s.id, s.last)
	if err != nil {
		return false, false, ctx.Err()
	}
	for i := range list {
		e := &list[i]
		if e.Kind == assistant.EventDone {
			finished, err := s.finished(ctx)
			return true, finished, err
		}
		data := e.Data
		if e.Kind == assistant.EventText {
			raw, err := json.Marshal(data) // one line
			if err != nil {
				return sent, false, err
			}
			data = string(raw)
		}
		if err := s.write("id: " + e.ID + "\nevent: " + e.Kind + "\ndata: " + oneLine(data) + "\n\n"); err != nil {
			return sent, false, err
		}
		s.last, sent = e.ID, true
	}
	return sent, false, nil
}

// finished sends the message if it is finished. An error ends the stream: the message is gone, or the caller left.
func (s *stream) finished(ctx context.Context) (bool, error) {
	m, err := s.service.Message(ctx, s.by, s.id)
	if err != nil || !m.Finished() {
		return false, err
	}
	raw, err := json.Marshal(messageBody(m))
	if err != nil {
		return false, err
	}
	return true, s.write("event: " + assistant.EventDone + "\ndata: " + string(raw) + "\n\n")
}

func oneLine(text string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(text) }

// write sends a part at once. Each part has its own time, beyond the write timeout of the server.
func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(s.clock.Now().Add(writeWithin)); err != nil {
		return err
	}
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}
