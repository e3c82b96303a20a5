package realtime

import (
	"slices"

	"github.com/google/uuid"

	"banca/internal/devices"
	"banca/internal/platform/apperr"
	"banca/internal/platform/realtime"
)

// ErrBusy refuses a connection that there is no room for.
var ErrBusy = apperr.New(apperr.Unavailable, "TOO_MANY_CONNECTIONS", "no connection is free; try again").WithRetryAfter(retryAfter)

// add lists a connection, so that news reaches it even before it is upgraded. Errors: ErrBusy.
func (h *Hub) add(c *conn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.conns) >= h.deps.MaxConnections {
		return ErrBusy
	}
	h.serial++
	c.serial = h.serial
	h.conns[c] = struct{}{}
	for _, key := range c.keys() {
		h.index[key] = append(h.index[key], c)
	}
	h.running.Add(1)
	return nil
}

// remove takes a connection off, and has it noted that it is closed.
func (h *Hub) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
	for _, key := range c.keys() {
		rest := slices.DeleteFunc(h.index[key], func(one *conn) bool { return one == c })
		if h.index[key] = rest; len(rest) == 0 {
			delete(h.index, key)
		}
	}
	if c.number.Load() > 0 {
		h.released = append(h.released, c.live())
	}
}

// of lists the connections that an id names.
func (h *Hub) of(id uuid.UUID) []*conn {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Clone(h.index[id])
}

// meant lists the connections that are an audience.
func (h *Hub) meant(to *realtime.Audience) []*conn {
	for _, id := range []uuid.UUID{to.DeviceSession, to.UserSession, to.User, to.Entity} {
		if id != uuid.Nil {
			return h.of(id)
		}
	}
	if to.Path == "" { // none, not all
		return nil
	}
	return slices.DeleteFunc(h.all(), func(c *conn) bool { return !to.Includes(*c.path.Load()) })
}

// deliver hands a message to the connections it is for. It does not block.
func (h *Hub) deliver(m *realtime.Message) {
	if m.Bound != nil {
		for _, c := range h.of(m.Bound.DeviceSession) {
			c.superseded(m.Bound.Number)
		}
		return
	}
	for _, c := range h.meant(&m.To) {
		c.send(m.Event)
		if m.Name == realtime.SessionTerminated {
			c.end(closeTerminated)
		}
	}
}

// bound notes that a connection is its session's now, and ends the older ones, here and elsewhere.
func (h *Hub) bound(c *conn, b *devices.Binding) realtime.Bound {
	c.number.Store(b.Number)
	c.superseded(b.Number)
	news := realtime.Bound{DeviceSession: b.SessionID, Number: b.Number}
	h.deliver(&realtime.Message{Bound: &news})
	return news
}
