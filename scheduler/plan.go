package scheduler

import (
	"errors"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"banca/tasks"
	"banca/tasks/outbox"
)

// Bounds of looking back.
const (
	catchUp  = 2 * time.Minute // as long as a tick's task id is kept after it ran
	maxSleep = 25 * time.Hour  // a machine that slept: the daily entries are made up
)

// Errors of an entry table.
var (
	ErrDuplicateEntry = errors.New("scheduler: two entries of one name")
	ErrUnknownTask    = errors.New("scheduler: entry of an unknown task")
)

// planned is an entry with its parsed schedule.
type planned struct {
	Entry

	times cron.Schedule
}

// compile validates a table and parses its specifications.
func compile(entries []Entry) ([]planned, error) {
	names := make(map[string]bool, len(entries))
	result := make([]planned, 0, len(entries))
	for _, e := range entries {
		if names[e.Name] {
			return nil, fmt.Errorf("%w: %q", ErrDuplicateEntry, e.Name)
		}
		names[e.Name] = true
		if _, ok := tasks.SpecOf(e.Args.Spec().Kind); !ok {
			return nil, fmt.Errorf("%w: %q", ErrUnknownTask, e.Name)
		}
		times, err := e.schedule()
		if err != nil {
			return nil, err
		}
		result = append(result, planned{Entry: e, times: times})
	}
	return result, nil
}

// startRows returns the extra ticks of a new leader.
func startRows(entries []planned, now time.Time) ([]outbox.Row, error) {
	var rows []outbox.Row
	for _, e := range entries {
		if !e.AtStart {
			continue
		}
		row, err := e.row(now)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// dueRows returns the newest tick of each entry in (after, now]. Of several missed ticks one is enough, because every
// entry's task acts on the current state.
func dueRows(entries []planned, after, now time.Time) ([]outbox.Row, error) {
	if oldest := now.Add(-maxSleep); after.Before(oldest) {
		after = oldest
	}
	var rows []outbox.Row
	for _, e := range entries {
		tick, ok := newest(e.times, after, now)
		if !ok {
			continue
		}
		row, err := e.row(tick)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// newest returns the last time of a schedule in (after, now].
func newest(times cron.Schedule, after, now time.Time) (last time.Time, ok bool) {
	for t := times.Next(after); !t.IsZero() && !t.After(now); t = times.Next(t) {
		last, ok = t, true
	}
	return last, ok
}

// nextTick returns the first time after now that any entry ticks; zero when none ever does.
func nextTick(entries []planned, now time.Time) (first time.Time) {
	for _, e := range entries {
		if t := e.times.Next(now); !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
