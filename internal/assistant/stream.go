package assistant

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
)

// Kinds of events of a stream.
const (
	EventStart = "start" // a run begins: the shown text is void
	EventTool  = "tool"  // a tool is run; its name
	EventText  = "text"  // a part of the answer
	EventDone  = "done"  // the message is finished and can be read
)

// Bounds of a stream.
const (
	maxEvents    = 2_000
	streamLife   = 15 * time.Minute
	redisTimeout = time.Second
	flushBytes   = 160
	flushEvery   = 60 * time.Millisecond
)

// Event is a part of an answer on its way. ID orders the events of a message.
type Event struct {
	ID   string
	Kind string
	Data string
}

func streamKey(message uuid.UUID) string { return "assistant:stream:" + message.String() }

// Events returns the events of a message after one, "" for all. An unknown message has none: the caller reads the
// message first.
func (s *Service) Events(ctx context.Context, message uuid.UUID, after string) ([]Event, error) {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	from := "-"
	if after != "" {
		from = "(" + after
	}
	list, err := s.Redis.XRangeN(ctx, streamKey(message), from, "+", maxEvents).Result()
	if err != nil {
		return nil, fmt.Errorf("read stream: %w", err)
	}
	out := make([]Event, 0, len(list))
	for _, m := range list {
		kind, _ := m.Values["kind"].(string)
		data, _ := m.Values["data"].(string)
		out = append(out, Event{ID: m.ID, Kind: kind, Data: data})
	}
	return out, nil
}

// writer sends the parts of an answer to its readers. Losing them loses nothing: the whole is in Postgres.
type writer struct {
	redis redis.UniversalClient
	key   string
	part  strings.Builder
	last  time.Time
	clock clock.System
	down  bool // Redis failed: nothing more is sent
}

func (w *writer) send(ctx context.Context, kind, data string) {
	if w.down {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisTimeout)
	defer cancel()
	_, err := w.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XAdd(ctx, &redis.XAddArgs{Stream: w.key, MaxLen: maxEvents, Approx: true, Values: []string{"kind", kind, "data", data}})
		p.Expire(ctx, w.key, streamLife)
		return nil
	})
	w.down = err != nil
}

// text adds a part of the answer; small parts are sent together.
func (w *writer) text(ctx context.Context, part string) {
	w.part.WriteString(part)
	if w.part.Len() >= flushBytes || w.clock.Now().Sub(w.last) >= flushEvery {
		w.flush(ctx)
	}
}

func (w *writer) flush(ctx context.Context) {
	if w.part.Len() > 0 {
		w.send(ctx, EventText, w.part.String())
		w.part.Reset()
		w.last = w.clock.Now()
	}
}
