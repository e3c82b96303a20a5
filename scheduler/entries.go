package scheduler

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/robfig/cron/v3"

	"banca/tasks"
	"banca/tasks/outbox"
)

// Entry is a task that starts by the clock.
type Entry struct {
	// Name is permanent and unique: task ids are derived from it.
	Name string
	// Every is the schedule, as in tasks.Spec. UTC.
	Every string
	Args  tasks.Args
	// AtStart adds a tick whenever a scheduler becomes leader.
	AtStart bool
}

// Entries lists the periodic kinds of tasks. The name of a kind has a dash instead of its point, and draw.close a
// suffix: earlier releases derive the ids of ticks from these names, and two releases run at once during an upgrade.
func Entries() []Entry {
	var entries []Entry
	for _, args := range tasks.Periodic() {
		spec := args.Spec()
		name := strings.Replace(spec.Kind, ".", "-", 1)
		if name == "draw-close" {
			name += "-sweep"
		}
		entries = append(entries, Entry{Name: name, Every: spec.Every, Args: args, AtStart: spec.AtStart})
	}
	return entries
}

// tickNamespace is the UUID namespace of task ids; it is arbitrary and permanent.
const tickNamespace = "6f1a2d0e-6f5e-4c53-9a55-0d7c3f6b8e21"

// tickID derives the task id of an entry's tick, alike on every scheduler.
func tickID(name string, tick time.Time) uuid.UUID {
	return uuid.NewSHA1(uuid.MustParse(tickNamespace), []byte(name+"@"+tick.UTC().Format(time.RFC3339Nano)))
}

// row returns the outbox row of an entry's tick.
func (e Entry) row(tick time.Time) (outbox.Row, error) {
	return outbox.NewRow(e.Args, outbox.WithID(tickID(e.Name, tick)))
}

// schedule parses the entry's specification. Only robfig's parser is used: cron.Cron does not pass a job the time it
// runs for, and runs jobs concurrently, while ticks need an id and share one session.
func (e Entry) schedule() (cron.Schedule, error) {
	parser := cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	if strings.HasPrefix(e.Every, "TZ=") || strings.HasPrefix(e.Every, "CRON_TZ=") {
		return nil, fmt.Errorf("scheduler: %s: all times are UTC", e.Name) // the parser panics on some of these
	}
	parsed, err := parser.Parse(e.Every)
	if err != nil {
		return nil, fmt.Errorf("scheduler: %s: %w", e.Name, err)
	}
	if every, ok := parsed.(cron.ConstantDelaySchedule); ok {
		return aligned{every.Delay}, nil
	}
	return parsed, nil
}

// aligned ticks at the multiples of an interval since the zero time, so that all schedulers agree.
type aligned struct{ every time.Duration }

// Next implements cron.Schedule.
func (a aligned) Next(t time.Time) time.Time { return t.Truncate(a.every).Add(a.every) }
