package requestlog

import (
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/clock"
	"banca/storage"
)

// Bounds of the memory of a recorder.
const (
	maxBuffered = 8_192 // rows, of some 200 bytes each
	maxRecent   = 30
	batchRows   = 2_000
)

// Entry is a request that was answered.
type Entry struct {
	ID      uuid.UUID
	At      time.Time // when it began
	Method  string
	Path    string // masked, see Path
	Status  int
	Took    time.Duration
	Address netip.Addr // invalid for a client without one
	UserID  uuid.UUID  // of the token or the session; uuid.Nil without a valid one

	Route string // is not stored
}

// Stats are the counts of a recorder.
type Stats struct {
	Buffered    int
	Recorded    uint64 // since the start
	Written     uint64
	Dropped     uint64
	DroppedAt   time.Time // the last time; zero if never
	WrittenAt   time.Time // the last time; zero if never
	WriteFailed bool      // the last attempt to write failed
}

// Recorder collects entries. The zero value is not usable; call NewRecorder.
type Recorder struct {
	clock clock.Clock
	full  chan struct{} // has a value when a batch is waiting

	mu     sync.Mutex
	buffer []Entry
	recent [maxRecent]Entry // a ring; next is the place of the next entry
	next   int
	stats  Stats
}

// NewRecorder returns an empty recorder.
func NewRecorder(clk clock.Clock) *Recorder {
	return &Recorder{clock: clk, full: make(chan struct{}, 1), buffer: make([]Entry, 0, batchRows)}
}

// Record keeps an entry in memory. It never waits for the database.
func (r *Recorder) Record(e *Entry) {
	id, err := storage.IDAt(e.At)
	if err != nil {
		return // the system has no random numbers
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent[r.next] = *e
	r.next = (r.next + 1) % maxRecent
	r.stats.Recorded++
	if len(r.buffer) >= maxBuffered {
		r.stats.Dropped++
		r.stats.DroppedAt = e.At
		return
	}
	r.buffer = append(r.buffer, *e)
	r.buffer[len(r.buffer)-1].ID = id
	if len(r.buffer) == batchRows {
		select {
		case r.full <- struct{}{}:
		default:
		}
	}
}

// Recent returns the newest entries, the newest first.
func (r *Recorder) Recent() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Entry
	for i := range maxRecent {
		if e := r.recent[(r.next-1-i+2*maxRecent)%maxRecent]; e.Method != "" {
			all = append(all, e)
		}
	}
	return all
}

// Stats returns the counts.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Buffered = len(r.buffer)
	return s
}

// batch returns the oldest entries, which stay in the buffer until written removes them.
func (r *Recorder) batch() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Entry(nil), r.buffer[:min(len(r.buffer), batchRows)]...)
}

// written removes the oldest n entries and notes the outcome of the attempt to write them.
func (r *Recorder) written(n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.WriteFailed = err != nil
	if err != nil {
		return
	}
	r.buffer = append(r.buffer[:0], r.buffer[n:]...)
	r.stats.Written += uint64(n)
	r.stats.WrittenAt = r.clock.Now()
}
