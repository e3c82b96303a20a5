package realtime

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Connected is the name that listeners are given after each subscription: events may have been lost before it.
const Connected = "connected"

// listenerSize is how many names wait for a slow listener. What does not fit is dropped.
const listenerSize = 32

// Listeners pass the names of events on to the streams of pages in this process.
type Listeners struct {
	mu  sync.RWMutex
	all map[*listener]struct{}
}

type listener struct {
	names  chan string
	entity uuid.UUID
	path   string // of the entity
}

// NewListeners returns listeners that hear nothing before Run.
func NewListeners() *Listeners { return &Listeners{all: map[*listener]struct{}{}} }

// Listen returns the names of the events that are meant for an entity with a materialised path, until stop is called. Delivery is at most once.
func (l *Listeners) Listen(entity uuid.UUID, path string) (names <-chan string, stop func()) {
	one := &listener{names: make(chan string, listenerSize), entity: entity, path: path}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[one] = struct{}{}
	return one.names, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, one)
	}
}

// Run passes the events of a bus on until ctx ends.
func (l *Listeners) Run(ctx context.Context, bus *Bus) {
	bus.Subscribe(ctx, func() { l.pass(Connected, func(*listener) bool { return true }) }, func(m *Message) {
		if m.Name != "" {
			l.pass(m.Name, func(one *listener) bool { return m.To.Entity == one.entity || m.To.Includes(one.path) })
		}
	})
}

// pass gives a name to the listeners that it is meant for, and never waits for one.
func (l *Listeners) pass(name string, meant func(one *listener) bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for one := range l.all {
		if !meant(one) {
			continue
		}
		select {
		case one.names <- name:
		default:
		}
	}
}
