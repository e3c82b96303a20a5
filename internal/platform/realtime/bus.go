package realtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
)

// Bounds. A process that publishes faster than Redis accepts drops the newest events, and logs it now and then.
const (
	maxPayload     = 8 << 10 // of a message on the wire; clients read small frames
	queueSize      = 4_096
	publishBatch   = 128
	publishTimeout = 2 * time.Second
	finalTimeout   = time.Second // for all that is left at the end
	subscriberSize = 4_096
	dropLogEvery   = 10 * time.Second
	retryDelay     = 500 * time.Millisecond
)

// Message is what travels between processes: an event for clients, or a note that a device session has a
// newer connection.
type Message struct {
	To    Audience        `json:"to"`
	Event json.RawMessage `json:"event,omitempty"` // as the client gets it
	Name  string          `json:"name,omitempty"`  // of the event
	Bound *Bound          `json:"bound,omitempty"`
}

// Bound names the current connection of a device session; older ones must be closed.
type Bound struct {
	DeviceSession uuid.UUID `json:"device_session"`
	Number        int64     `json:"number"`
}

// Bus sends and receives messages over Redis.
type Bus struct {
	redis   redis.UniversalClient
	log     *slog.Logger
	channel string
	queue   chan []byte
	dropped atomic.Int64
}

// NewBus returns a bus. Publications of Redis ignore the number of the database, so the channel names it.
func NewBus(client redis.UniversalClient, log *slog.Logger) *Bus {
	database := 0
	if single, ok := client.(*redis.Client); ok {
		database = single.Options().DB
	}
	return &Bus{redis: client, log: log, channel: "banca:realtime:" + strconv.Itoa(database), queue: make(chan []byte, queueSize)}
}

// Publish queues an event and returns at once; Run sends it. An event that does not fit into the queue is dropped.
func (b *Bus) Publish(ctx context.Context, to Audience, e Event) {
	raw, err := json.Marshal(e)
	if err != nil {
		b.log.ErrorContext(ctx, "event not published", "event", e.Name, "error", err)
		return
	}
	b.enqueue(ctx, e.Name, &Message{To: to, Event: raw, Name: e.Name})
}

// Announce publishes the current connection of a device session to every process.
func (b *Bus) Announce(ctx context.Context, bound Bound) {
	b.enqueue(ctx, "bound", &Message{To: DeviceSession(bound.DeviceSession), Bound: &bound})
}

func (b *Bus) enqueue(ctx context.Context, name string, m *Message) {
	raw, err := json.Marshal(m)
	if err != nil || len(raw) > maxPayload {
		b.log.ErrorContext(ctx, "event not published", "event", name, "bytes", len(raw), "error", err)
		return
	}
	select {
	case b.queue <- raw:
	default:
		b.dropped.Add(1)
	}
}

// Run sends published events until ctx ends, and then the rest of the queue.
func (b *Bus) Run(ctx context.Context) {
	report := time.NewTicker(dropLogEvery)
	defer report.Stop()
	for ctx.Err() == nil {
		select {
		case first := <-b.queue:
			b.send(context.WithoutCancel(ctx), first)
		case <-report.C:
			if n := b.dropped.Swap(0); n > 0 {
				b.log.WarnContext(ctx, "events were dropped", "count", n)
			}
		case <-ctx.Done():
		}
	}
	b.finish(context.WithoutCancel(ctx))
}

// finish sends the rest of the queue within finalTimeout: a Redis that does not answer must not delay the shutdown.
func (b *Bus) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, finalTimeout)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case first := <-b.queue:
			b.send(ctx, first)
		default:
			return
		}
	}
}

// send publishes a message and those queued behind it in one round trip. If it fails, they are lost.
func (b *Bus) send(ctx context.Context, first []byte) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	pipe := b.redis.Pipeline()
	pipe.Publish(ctx, b.channel, first)
	for pipe.Len() < publishBatch {
		select {
		case next := <-b.queue:
			pipe.Publish(ctx, b.channel, next)
			continue
		default:
		}
		break
	}
	count := pipe.Len()
	if _, err := pipe.Exec(ctx); err != nil {
		b.dropped.Add(int64(count))
		b.log.WarnContext(ctx, "events could not be published", "count", count, "error", err)
	}
}

// Subscribe calls handle with every message until ctx ends, one at a time; handle must not block. It reconnects
// whenever the connection breaks; events published meanwhile are lost. ready, if not nil, is called after each
// subscription.
func (b *Bus) Subscribe(ctx context.Context, ready func(), handle func(*Message)) {
	for ctx.Err() == nil {
		b.listen(ctx, ready, handle)
		_ = clock.Sleep(ctx, retryDelay)
	}
}

// listen serves one subscription. The library sends pings on a quiet connection and redials.
func (b *Bus) listen(ctx context.Context, ready func(), handle func(*Message)) {
	sub := b.redis.Subscribe(ctx, b.channel)
	defer func() { _ = sub.Close() }()
	if _, err := sub.Receive(ctx); err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "not subscribed to events", "error", err)
		}
		return
	}
	if ready != nil {
		ready()
	}
	messages := sub.ChannelWithSubscriptions(redis.WithChannelSize(subscriberSize))
	for {
		select {
		case <-ctx.Done():
			return
		case received, ok := <-messages:
			if !ok {
				return
			}
			switch m := received.(type) {
			case *redis.Message:
				b.receive(ctx, m.Payload, handle)
			case *redis.Subscription: // again, after the connection broke
				if ready != nil {
					ready()
				}
			}
		}
	}
}

func (b *Bus) receive(ctx context.Context, payload string, handle func(*Message)) {
	var m Message
	if len(payload) > maxPayload {
		return
	}
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		b.log.WarnContext(ctx, "not a message of ours on the channel", "error", err)
		return
	}
	handle(&m)
}
