package tasks

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

// Spec is the name of a kind of task, and how its tasks are queued, bounded and started.
type Spec struct {
	// Kind is the permanent name, `domain.verb`.
	Kind  string
	Queue string
	// MaxRetry counts the runs after the first. A worker that is killed uses one up.
	MaxRetry int
	// Timeout bounds one run; whole seconds.
	Timeout time.Duration
	// MaxDelay is the longest wait between two runs.
	MaxDelay time.Duration
	// Every is the schedule of a periodic kind, in UTC: six fields, seconds first, or a descriptor such as "@hourly" or
	// "@every 15s". A tick has zero arguments.
	Every string
	// AtStart adds a tick whenever a scheduler becomes leader.
	AtStart bool
	// Retention keeps a finished task, and so its id, for this long: a second outbox row with the same id
	// (a relay killed between enqueue and delete, a tick written by two schedulers) is then refused by
	// the queue instead of running again. A periodic kind has tickRetention.
	Retention time.Duration
}

// tickRetention outlives every overlap of two schedulers and every restart of a relay.
const tickRetention = 2 * time.Minute

// Options returns the spec as asynq options.
func (s Spec) Options() []asynq.Option {
	return []asynq.Option{
		asynq.Queue(s.Queue),
		asynq.MaxRetry(s.MaxRetry),
		asynq.Timeout(s.Timeout),
		asynq.Retention(s.Retained()),
	}
}

// Retained is Retention, also of a periodic kind.
func (s Spec) Retained() time.Duration {
	if s.Every != "" {
		return max(s.Retention, tickRetention)
	}
	return s.Retention
}

// entry is a kind: its zero arguments, and the check that a payload fits them.
type entry struct {
	args  Args
	spec  Spec
	check func(payload []byte) error
}

func of[T Args]() entry {
	var zero T
	return entry{args: zero, spec: zero.Spec(), check: func(payload []byte) error {
		_, err := Decode[T](payload)
		return err
	}}
}

// table is the list of kinds. Work that money or a draw waits for is retried within seconds; work that waits for other
// systems is retried for hours.
func table() []entry {
	return slices.Concat(bankKinds(), drawKinds(), housekeepingKinds(), ledgerKinds(), messageKinds(), ticketKinds())
}

// byKind is the table by the names of the kinds. It is a variable because each sale looks into it, and nothing changes it.
//
//nolint:gochecknoglobals // see above
var byKind = sync.OnceValue(func() map[string]entry {
	kinds := map[string]entry{}
	for _, e := range table() {
		kinds[e.spec.Kind] = e
	}
	return kinds
})

// SpecOf returns the spec of a kind, and whether the kind exists.
func SpecOf(kind string) (Spec, bool) {
	e, ok := byKind()[kind]
	return e.spec, ok
}

// Kinds returns the names of all kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(byKind())) }

// Periodic returns the zero arguments of the kinds that have a schedule.
func Periodic() []Args {
	var list []Args
	for _, e := range table() {
		if e.spec.Every != "" {
			list = append(list, e.args)
		}
	}
	return list
}
