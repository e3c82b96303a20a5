package realtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"banca/internal/devices"
)

// Bounds of a connection.
const (
	maxQueue     = 64              // messages that wait for a client
	maxQueued    = 128 << 10       // bytes of them
	writeTimeout = 5 * time.Second // for one message
	maxIncoming  = 256             // bytes of a client's message: {"type":"ping"}
	maxPerMinute = 60              // messages of a client
	pong         = `{"type":"pong"}`
)

// ending is how a connection is closed by the server; zero is not at all.
type ending int

const (
	closeAway ending = iota + 1
	closeSlow
	closeReplaced
	closeTerminated
	closeChatty
	closeSilent
)

// Private close codes: 4000 to 4999 are for private use (RFC 6455, 7.4.2). docs/pos.md tells clients how to react to
// each.
const (
	codeReplaced   websocket.StatusCode = 4001
	codeTerminated websocket.StatusCode = 4003
)

// frame returns the close frame.
func (e ending) frame() (code websocket.StatusCode, reason string) {
	switch e {
	case closeAway:
		return websocket.StatusGoingAway, "the server goes away, connect again"
	case closeSlow:
		return websocket.StatusTryAgainLater, "too slow, connect again"
	case closeReplaced:
		return codeReplaced, "a newer connection took over"
	case closeTerminated:
		return codeTerminated, "the session has ended"
	case closeChatty:
		return websocket.StatusPolicyViolation, "unexpected messages"
	case closeSilent:
		return websocket.StatusPolicyViolation, "no answer to pings"
	default:
		return websocket.StatusInternalError, ""
	}
}

// conn is the connection of a device session. At rest it has one goroutine, which reads.
type conn struct {
	hub         *Hub
	serial      int                    // spreads the heartbeats
	number      atomic.Int64           // of the session's connections; zero until it is bound
	newest      atomic.Int64           // of the session's connections, as far as announced
	path        atomic.Pointer[string] // of the device's entity
	session     uuid.UUID              // device session
	entity      uuid.UUID
	user        uuid.UUID
	userSession uuid.UUID

	mu      sync.Mutex
	ws      *websocket.Conn // nil until it is upgraded
	queue   [][]byte
	queued  int    // bytes in the queue
	writing bool   // a goroutine writes the queue
	ending  ending // set once; nothing is queued after it
	gone    bool   // its reader has left; nothing is written any more
}

func (c *conn) live() devices.Live {
	return devices.Live{SessionID: c.session, Number: c.number.Load(), UserSessionID: c.userSession, Path: *c.path.Load()}
}

// keys are the ids that an audience may name it by.
func (c *conn) keys() [4]uuid.UUID { return [4]uuid.UUID{c.session, c.userSession, c.user, c.entity} }

// superseded ends the connection if its session has a newer one.
func (c *conn) superseded(number int64) {
	for old := c.newest.Load(); number > old && !c.newest.CompareAndSwap(old, number); old = c.newest.Load() {
	}
	if own := c.number.Load(); own > 0 && own < c.newest.Load() {
		c.end(closeReplaced)
	}
}

// send queues a message. It never blocks: a client for which too much waits is dropped.
func (c *conn) send(message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending != 0 {
		return
	}
	if len(c.queue) >= maxQueue || c.queued+len(message) > maxQueued {
		c.hub.slow.Add(1)
		c.hub.deps.Log.Warn("slow client dropped", "device_session", c.session, "waiting", len(c.queue))
		c.queue, c.queued = nil, 0
		c.ending = closeSlow
	} else {
		c.queue, c.queued = append(c.queue, message), c.queued+len(message)
	}
	c.write()
}

// end closes the connection once its queue is written. Only the first ending counts.
func (c *conn) end(how ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending == 0 {
		c.ending = how
		c.write()
	}
}

// write makes sure that a goroutine writes what waits; the caller holds the lock.
func (c *conn) write() {
	if c.writing || c.gone || c.ws == nil || (len(c.queue) == 0 && c.ending == 0) {
		return
	}
	c.writing = true
	c.hub.running.Go(c.drain) // its reader is among those running until it is gone
}

// drain writes until nothing waits, and the ending last.
func (c *conn) drain() {
	for {
		c.mu.Lock()
		batch, how := c.queue, c.ending
		c.queue, c.queued = nil, 0
		if len(batch) == 0 && how == 0 {
			c.writing = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		for _, message := range batch {
			ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
			err := c.ws.Write(ctx, websocket.MessageText, message)
			cancel()
			if err != nil {
				_ = c.ws.CloseNow() // the reader sees it, and removes the connection
				return
			}
		}
		if how != 0 && len(batch) == 0 {
			_ = c.ws.Close(how.frame()) // waits 5 s for the client's answer at most
			return
		}
	}
}

// start gives the connection its socket, and serves it in a goroutine of its own, so that the handshake's memory is
// freed.
func (c *conn) start(ws *websocket.Conn) {
	c.mu.Lock()
	c.ws = ws
	c.write() // news that came in between
	c.mu.Unlock()
	go c.serve(ws)
}

// serve reads until the connection is closed, by whomever, and takes it off the hub.
func (c *conn) serve(ws *websocket.Conn) {
	defer c.hub.running.Done()
	c.read(ws)
	c.mu.Lock()
	c.gone = true
	closing := c.ending != 0
	c.queue = nil
	c.mu.Unlock()
	if !closing {
		_ = ws.CloseNow()
	}
	c.hub.remove(c)
}

// abandon closes the connection without a word.
func (c *conn) abandon() {
	c.mu.Lock()
	ws := c.ws
	c.mu.Unlock()
	if ws != nil {
		_ = ws.CloseNow()
	}
}

// read serves the connection until it is closed, by whomever.
func (c *conn) read(ws *websocket.Conn) {
	messages, began := 0, c.hub.deps.Clock.Now()
	for {
		_, r, err := ws.Reader(context.Background())
		if err != nil {
			return
		}
		var buf [maxIncoming + 1]byte
		n := 0
		for err == nil && n < len(buf) {
			var more int
			more, err = r.Read(buf[n:])
			n += more
		}
		if now := c.hub.deps.Clock.Now(); now.Sub(began) > time.Minute {
			messages, began = 0, now
		}
		messages++
		if n > maxIncoming || messages > maxPerMinute || !isPing(buf[:n]) {
			c.end(closeChatty)
			return
		}
		c.send([]byte(pong))
	}
}

// ping pings the client; one that does not answer is dropped.
func (c *conn) ping() {
	c.mu.Lock()
	ws, ending := c.ws, c.ending
	c.mu.Unlock()
	if ws == nil || ending != 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pongTimeout)
	defer cancel()
	if err := ws.Ping(ctx); errors.Is(err, context.DeadlineExceeded) {
		c.end(closeSilent)
	}
}
