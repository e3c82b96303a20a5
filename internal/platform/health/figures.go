package health

import (
	"slices"
	"time"
)

// Snapshot is the state of the platform at an instant, as this process knows it.
type Snapshot struct {
	At           time.Time
	Status       string
	Process      Process
	Problems     []Problem // what stops sales first
	Dependencies []State
	Known        []Known
	Requests     []Request // that this process answered, newest first

	Figures
}

// Measured returns the dependencies that were measured.
func (s *Snapshot) Measured() []State {
	return slices.DeleteFunc(slices.Clone(s.Dependencies), func(d State) bool { return d.Status == Unknown })
}

// State returns the state of the platform: Unknown until each dependency was measured, as at the start of a process,
// unless something is wrong already.
func (s *Snapshot) State() string {
	if n := len(s.Measured()); s.Status == OK && (n == 0 || n < len(s.Dependencies)) {
		return Unknown
	}
	return s.Status
}

// Stale returns the groups of figures that could not be read last time.
func (s *Snapshot) Stale() []Known {
	return slices.DeleteFunc(slices.Clone(s.Known), func(k Known) bool { return !k.Failed })
}

// Public returns what a stranger may read of the snapshot: the states, and the problems that no attacker can use.
func (s *Snapshot) Public() *Snapshot {
	public := &Snapshot{At: s.At, Process: Process{ID: s.Process.ID, StartedAt: s.Process.StartedAt}, Known: s.Known}
	for i := range s.Dependencies {
		d := &s.Dependencies[i]
		public.Dependencies = append(
			public.Dependencies,
			State{Name: d.Name, Required: d.Required, Status: d.Status, Reason: d.Reason, Since: d.Since},
		)
	}
	for _, p := range s.Problems {
		if p.Code != exposedPasswords {
			public.Problems = append(public.Problems, p)
		}
	}
	public.Status = statusOf(public.Problems)
	return public
}

// Process is the api process that took the sample.
type Process struct {
	ID        string // random, of this run
	Version   string // of banca
	Go        string
	StartedAt time.Time
}

// Figures are groups of figures. A group is nil before it was read.
type Figures struct {
	Queues   *Queues
	Outbox   *Outbox
	Sales    *Sales
	Draws    *Draws
	Sources  []Source
	Bank     *Bank
	Messages *Messages
	Models   *Models
	Disk     *Disk
	Database *Database
	Backup   *Backup
	Exposed  []string // users whose password is public
	Months   *Months
	Ledger   *Ledger
	Versions Versions
	Leader   *bool // a scheduler holds the lock of the leader
	Log      Log
}

// Queues are the queues of tasks and the workers that serve them.
type Queues struct {
	Workers int64
	Queues  []Queue
}

// Pending is the number of tasks that wait in all queues.
func (q *Queues) Pending() int64 {
	return q.sum(func(queue *Queue) int64 { return queue.Pending })
}

// Archived is the number of tasks of all queues that have failed for good.
func (q *Queues) Archived() int64 {
	return q.sum(func(queue *Queue) int64 { return queue.Archived })
}

func (q *Queues) sum(of func(queue *Queue) int64) (total int64) {
	for i := range q.Queues {
		total += of(&q.Queues[i])
	}
	return total
}

// Queue is one queue.
type Queue struct {
	Name                                        string
	Pending, Active, Scheduled, Retry, Archived int64
	ProcessedToday, FailedToday                 int64 // attempts, by UTC; failed ones are processed ones
	Lag                                         time.Duration
	Paused                                      bool
}

// Outbox is the table of tasks that wait for the relay.
type Outbox struct {
	Rows int64 // at most counted
	Age  time.Duration
	Dead int64 // that no release can decode
}

// Sales are the tickets sold in the last hour.
type Sales struct {
	LastAt  time.Time // zero without one in the hour
	Minutes []Count   // oldest first, the current minute last
}

// PerMinute is the number of tickets of the last whole minute.
func (s *Sales) PerMinute() int64 {
	const whole = 2
	if len(s.Minutes) < whole {
		return 0
	}
	return s.Minutes[len(s.Minutes)-whole].N
}

// LastHour is the number of tickets of all minutes.
func (s *Sales) LastHour() (n int64) {
	for _, m := range s.Minutes {
		n += m.N
	}
	return n
}

// Count is a number in a minute.
type Count struct {
	At time.Time
	N  int64
}

// Draws are those closed without a result.
type Draws struct {
	Waiting  int64
	Overdue  int64     // whose time is long over
	OldestAt time.Time // zero without one
}

// Source is an external system that is asked for results, as its newest answers show it.
type Source struct {
	Name   string
	At     time.Time // of the last answer
	GoodAt time.Time // of the last answer that could be used, or that had no result yet; zero without one
	Failed int64     // calls after it
	Took   time.Duration
}

// Bank is what the bank's newest calls say.
type Bank struct {
	LastAt     time.Time     // zero without a call
	LastGoodAt time.Time     // of a call that passed the checks of address, token and form
	Refused    int64         // calls after the last good one
	P95        time.Duration // of the newest good calls, from their receipt to the answer; 0 without one
}

// Messages are those on their way.
type Messages struct {
	Waiting  int64
	OldestAt time.Time // of the waiting ones
	Failed   int64     // in the last hour
	Paused   int64     // channels
	Channels int64     // connections
	Closed   int64     // of them, not linked
}

// Models are the models of the assistant.
type Models struct {
	Models  int
	Cooling int
}

// Disk is the file system of the data directory.
type Disk struct{ Free, Size uint64 }

// Database is the size of the database.
type Database struct{ Size int64 }

// Backup is the log of Postgres and its receivers.
type Backup struct {
	Slots    int64 // of receivers
	Inactive int64 // of them, without a receiver
	Lost     int64 // of them, whose log is not kept any more, or will not be soon
	Kept     int64 // bytes of the log that the slowest of them has not received
	Log      int64 // bytes of the log on the disk of Postgres; 0 if the role may not read them
}

// Months are the partitions of the tables that are divided by month.
type Months struct {
	Until time.Time // the end of the last month for which all tables have a partition
	Stray bool      // rows of no month exist
	Due   time.Time // when the oldest month should have left for the archive that is in the tables; zero if none should
}

// Ledger is the last verification of the books.
type Ledger struct {
	VerifiedAt time.Time // zero before the first
	Checks     int64
	Broken     int64
	Warnings   int64
}

// Versions are the versions of the stores.
type Versions struct {
	Schema          int64
	Postgres, Redis string
}

// Log is the state of the request log of this process.
type Log struct {
	Buffered    int
	Dropped     uint64    // since the start
	DroppedAt   time.Time // the last time
	WrittenAt   time.Time
	WriteFailed bool
}

// Request is a request that was answered: a route instead of a path, and nothing of its sender.
type Request struct {
	At            time.Time
	Method, Route string
	Status        int
	Took          time.Duration
}
