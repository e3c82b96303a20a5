// Package places bounds what all users of a process, and each of them, have open at a time.
package places

import (
	"sync"

	"github.com/google/uuid"
)

// Places are all places of a process. Each user takes a part of them at most.
type Places struct {
	all, each int

	mu    sync.Mutex
	taken int
	users map[uuid.UUID]int
}

// New returns free places.
func New(all, each int) *Places { return &Places{all: all, each: each, users: map[uuid.UUID]int{}} }

// Take takes a place for a user until free is called; ok is false if all places, or the user's, are taken.
func (p *Places) Take(user uuid.UUID) (free func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.users[user] >= p.each {
		return nil, false
	}
	p.taken++
	p.users[user]++
	return func() { p.free(user) }, true
}

func (p *Places) free(user uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.users[user]--; p.users[user] == 0 {
		delete(p.users, user)
	}
}
