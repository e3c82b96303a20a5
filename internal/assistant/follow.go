package assistant

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
)

// Bounds of readers.
const (
	maxReaders = 500 // of a process
	ownReaders = 5   // of one of its users
	maxFollow  = 5 * time.Minute
	lookEvery  = 100 * time.Millisecond
	waitEvery  = 10 * time.Second
	checkEvery = 2 * time.Second // whether the caller may still read, and whether the message is finished although no event says so
)

// Reader gets what happens to a message. An error of its ends the reading.
type Reader interface {
	// Events are the next parts of the answer, of the kinds start, tool and text.
	Events(list []Event) error
	// Wait is called if nothing happened for a while.
	Wait() error
	// Done is called once, at the end, with the finished message.
	Done(m *Message) error
}

// Follower reads a message of one user while it is written.
type Follower struct {
	service *Service
	by      caller.Caller
	id      uuid.UUID
	last    string // event that was read
	reader  Reader
	free    func() // gives the place back
}

// Follow begins to read a message after an event, "" for its beginning. Run must follow, which gives the place back.
// Errors: ErrMessageNotFound, ErrReaders.
func (s *Service) Follow(ctx context.Context, by caller.Caller, id uuid.UUID, after string) (*Follower, error) {
	if _, err := s.Message(ctx, by, id); err != nil {
		return nil, err
	}
	free, ok := s.readers.Take(by.UserID)
	if !ok {
		return nil, ErrReaders
	}
	return &Follower{service: s, by: by, id: id, last: after, free: free}, nil
}

// Run reads until the message is finished, the caller's session ends or the caller may not use the assistant any
// more, the reader returns an error, ctx ends, the process ends or five minutes are over; a client then reads again.
func (f *Follower) Run(ctx context.Context, reader Reader) {
	defer f.free()
	f.reader = reader
	ctx, cancel := context.WithTimeout(ctx, maxFollow)
	defer cancel()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	happened, checked := clock.System{}.Now(), time.Time{}
	for {
		now := clock.System{}.Now()
		check := now.Sub(checked) >= checkEvery
		if check && !f.allowed(ctx) {
			return
		}
		read, ended, err := f.events(ctx)
		if err == nil && !ended && !read && check {
			ended, err = f.finished(ctx)
		}
		if err != nil || ended {
			return
		}
		if check {
			checked = now
		}
		if read {
			happened = now
		}
		if now.Sub(happened) >= waitEvery {
			happened = now
			if reader.Wait() != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-f.service.closing:
			return
		case <-look.C:
		}
	}
}

// allowed reports whether the caller may still read.
func (f *Follower) allowed(ctx context.Context) bool {
	now, err := f.service.Auth.Current(ctx, f.by)
	return err == nil && now.EntityID == f.by.EntityID && now.May(auth.AssistantRead)
}

// events hands over the received events. Without Redis the check of the message finds its end.
func (f *Follower) events(ctx context.Context) (read, ended bool, err error) {
	list, err := f.service.Events(ctx, f.id, f.last)
	if err != nil {
		return false, false, ctx.Err()
	}
	for i := range list {
		if list[i].Kind != EventDone {
			f.last = list[i].ID
			continue
		}
		if err := f.hand(list[:i]); err != nil {
			return false, false, err
		}
		ended, err := f.finished(ctx)
		return true, ended, err
	}
	return len(list) > 0, false, f.hand(list)
}

func (f *Follower) hand(list []Event) error {
	if len(list) == 0 {
		return nil
	}
	return f.reader.Events(list)
}

// finished hands over the message if it is finished. An error ends the reading: the message is gone, or the reader
// left.
func (f *Follower) finished(ctx context.Context) (bool, error) {
	m, err := f.service.Message(ctx, f.by, f.id)
	if err != nil || !m.Finished() {
		return false, err
	}
	return true, f.reader.Done(m)
}
