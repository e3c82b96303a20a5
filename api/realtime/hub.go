package realtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"banca/internal/devices"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
)

// Times of the hub's rounds.
const (
	sweepEvery      = 3 * time.Second
	sweepTimeout    = 10 * time.Second
	touchEvery      = 30 * time.Second
	releaseEvery    = 200 * time.Millisecond
	heartbeatEvery  = time.Second      // a part of the connections each time
	heartbeatRounds = 25               // so each connection is asked every 25 s
	pongTimeout     = 10 * time.Second // for an answer to a ping
	storeTimeout    = 5 * time.Second
	shutdownPeriod  = 3 * time.Second // for clients to answer that the server goes away
)

// Authenticator authenticates access tokens.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (caller.Caller, error)
}

// Sessions keeps which connection a device session has: *devices.Service.
type Sessions interface {
	MayBind(ctx context.Context, by caller.Caller, ref devices.SessionRef) (devices.Binding, error)
	Bind(ctx context.Context, b *devices.Binding) error
	Check(ctx context.Context, live []devices.Live) ([]devices.Changed, error)
	Touch(ctx context.Context, live []devices.Live) error
	Release(ctx context.Context, live []devices.Live) error
}

// Bus carries news between processes: *realtime.Bus.
type Bus interface {
	Subscribe(ctx context.Context, ready func(), handle func(*realtime.Message))
	Announce(ctx context.Context, b realtime.Bound)
}

// Deps are the dependencies of the hub.
type Deps struct {
	Auth     Authenticator
	Sessions Sessions
	Bus      Bus
	Clock    clock.Clock
	Log      *slog.Logger

	PublicURL      string   // an origin that may connect, besides the request's own host
	AllowedOrigins []string // and others
	MaxConnections int      // of this process
}

// Hub holds the connections of this process. Its lock is never held while a connection's is taken.
type Hub struct {
	deps    Deps
	origins map[string]bool

	mu       sync.RWMutex
	conns    map[*conn]struct{}
	index    map[uuid.UUID][]*conn // by device session, user session, user and entity: ids are never equal
	released []devices.Live        // to be noted as not connected
	serial   int
	closed   bool

	slow    atomic.Int64   // connections dropped because they were slow
	running sync.WaitGroup // goroutines of connections; joined under the lock while the hub is open
}

// New returns a hub. Run serves it.
func New(d Deps) *Hub {
	h := &Hub{deps: d, origins: map[string]bool{}, conns: map[*conn]struct{}{}, index: map[uuid.UUID][]*conn{}}
	for _, origin := range append([]string{d.PublicURL}, d.AllowedOrigins...) {
		if u, err := url.Parse(origin); err == nil && u.Host != "" {
			h.origins[u.Scheme+"://"+u.Host] = true
		}
	}
	return h
}

// Stats are figures of a hub for monitoring.
type Stats struct {
	Connections int
	DroppedSlow int64
}

// Stats returns the number of connections and of those that were too slow since the start.
func (h *Hub) Stats() Stats {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return Stats{Connections: len(h.conns), DroppedSlow: h.slow.Load()}
}

// Run delivers news and keeps the connections true until ctx ends, then closes them all with 1001.
func (h *Hub) Run(ctx context.Context) {
	var rounds sync.WaitGroup
	rounds.Go(func() { h.deps.Bus.Subscribe(ctx, nil, h.deliver) })
	rounds.Go(func() { every(ctx, sweepEvery, func() { h.Sweep(ctx) }) })
	rounds.Go(func() { every(ctx, releaseEvery, func() { h.flush(ctx) }) })
	rounds.Go(func() { every(ctx, touchEvery, func() { h.touch(ctx) }) })
	rounds.Go(func() {
		round := 0
		every(ctx, heartbeatEvery, func() { round++; h.heartbeat(round % heartbeatRounds) })
	})
	<-ctx.Done()
	h.Close(context.WithoutCancel(ctx))
	rounds.Wait()
}

func every(ctx context.Context, period time.Duration, do func()) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do()
		case <-ctx.Done():
			return
		}
	}
}

// Close closes every connection with a reason, and records that they are not connected.
func (h *Hub) Close(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	all := h.snapshot()
	h.mu.Unlock()
	for _, c := range all {
		c.end(closeAway)
	}
	done := make(chan struct{})
	go func() { h.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(shutdownPeriod):
		for _, c := range all {
			c.abandon()
		}
		<-done
	}
	h.flush(ctx)
}

// flush notes in one statement which connections are closed.
func (h *Hub) flush(ctx context.Context) {
	h.mu.Lock()
	released := h.released
	h.released = nil
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout) // otherwise the taken ones are lost
	defer cancel()
	if err := h.deps.Sessions.Release(ctx, released); err != nil {
		h.deps.Log.WarnContext(ctx, "connections were not released", "error", err) // they go offline by their time
	}
}

// snapshot lists the connections; the caller holds the lock.
func (h *Hub) snapshot() []*conn { return slices.Collect(maps.Keys(h.conns)) }

func (h *Hub) all() []*conn {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.snapshot()
}

// lives lists the connections that are bound to their sessions.
func lives(all []*conn) []devices.Live {
	list := make([]devices.Live, 0, len(all))
	for _, c := range all {
		if c.number.Load() > 0 {
			list = append(list, c.live())
		}
	}
	return list
}

// Sweep closes the connections that have lost their ground, and follows entities that were moved. It is what
// makes lost news harmless.
func (h *Hub) Sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	changed, err := h.deps.Sessions.Check(ctx, lives(h.all()))
	if err != nil {
		if ctx.Err() == nil {
			h.deps.Log.WarnContext(ctx, "connections could not be checked", "error", err)
		}
		return
	}
	for i := range changed {
		h.follow(ctx, &changed[i])
	}
}

func (h *Hub) follow(ctx context.Context, ch *devices.Changed) {
	for _, c := range h.of(ch.SessionID) {
		switch {
		case c.number.Load() != ch.Number:
		case ch.Reason == devices.ReasonReplaced:
			c.end(closeReplaced)
		case ch.Reason != "":
			c.send(h.lost(ctx, c, ch.Reason))
			c.end(closeTerminated)
		default:
			c.path.Store(&ch.Path)
		}
	}
}

// lost is a session.terminated that was found out by the sweep.
func (h *Hub) lost(ctx context.Context, c *conn, reason string) []byte {
	raw, err := json.Marshal(realtime.EventOf(h.deps.Clock.Now(), realtime.Terminated{
		SessionID: c.userSession, DeviceSessionID: c.session, Reason: reason,
	}))
	if err != nil {
		h.deps.Log.ErrorContext(ctx, "event not made", "error", err) // cannot be: ids and a word
	}
	return raw
}

func (h *Hub) touch(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := h.deps.Sessions.Touch(ctx, lives(h.all())); err != nil && ctx.Err() == nil {
		h.deps.Log.WarnContext(ctx, "connections were not noted as seen", "error", err)
	}
}

// heartbeat pings a part of the connections.
func (h *Hub) heartbeat(round int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for c := range h.conns {
		if c.serial%heartbeatRounds == round {
			h.running.Go(c.ping) // its reader is among those running while it is listed
		}
	}
}
