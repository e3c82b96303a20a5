package scheduler

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/robfig/cron/v3"

	"banca/tasks"
	"banca/tasks/outbox"
)

// Entry is one line of the table.
type Entry struct {
	// Name is permanent and unique: task ids are derived from it.
	Name string
	// Spec has six fields, seconds first, or is a descriptor such as "@hourly" or "@every 15s". UTC.
	Spec string
	Args tasks.Args
	// AtStart adds a tick whenever a scheduler becomes leader.
	AtStart bool
}

// Entries is the table of everything that happens by the clock.
func Entries() []Entry {
	return []Entry{
		{Name: "activity-link", Spec: "@every 5s", Args: tasks.ActivityLink{}},
		{Name: "ledger-fold", Spec: "@every 5s", Args: tasks.LedgerFold{}},
		{Name: "ledger-days", Spec: "@every 5s", Args: tasks.LedgerDays{}},
		{Name: "rollup-advance", Spec: "@every 5s", Args: tasks.RollupAdvance{}},
		{Name: "draw-close-sweep", Spec: "@every 15s", Args: tasks.DrawClose{}},
		{Name: "result-sweep", Spec: "@every 1m", Args: tasks.ResultSweep{}, AtStart: true},
		{Name: "risk-sweep", Spec: "@every 15s", Args: tasks.RiskSweep{}},
		{Name: "outbox-sweep", Spec: "@every 10s", Args: tasks.OutboxSweep{}},
		{Name: "message-sweep", Spec: "@every 1m", Args: tasks.MessageSweep{}},
		{Name: "bank-expire", Spec: "@every 1m", Args: tasks.BankExpire{}},
		{Name: "day-close", Spec: "@every 1m", Args: tasks.DayClose{}},
		{Name: "ticket-expire", Spec: "@every 10m", Args: tasks.TicketExpire{}},
		{Name: "export-sweep", Spec: "@every 10m", Args: tasks.ExportSweep{}},
		{Name: "draw-generate", Spec: "0 0 * * * *", Args: tasks.DrawGenerate{}, AtStart: true},
		{Name: "session-expire", Spec: "0 10 * * * *", Args: tasks.SessionExpire{}},
		{Name: "bank-trim", Spec: "0 20 * * * *", Args: tasks.BankTrim{}},
		{Name: "message-trim", Spec: "0 35 * * * *", Args: tasks.MessageTrim{}},
		{Name: "assistant-trim", Spec: "0 25 * * * *", Args: tasks.AssistantTrim{}},
		{Name: "request-trim", Spec: "0 45 * * * *", Args: tasks.RequestTrim{}},
		{Name: "week-settle", Spec: "0 5,35 * * * *", Args: tasks.WeekSettle{}},
		{Name: "queue-prune", Spec: "0 50 * * * *", Args: tasks.QueuePrune{}},
		{Name: "document-sweep", Spec: "0 40 * * * *", Args: tasks.DocumentSweep{}},
		{Name: "rate-fetch", Spec: "0 15 10,22 * * *", Args: tasks.RateFetch{}},                 // 06:15 and 18:15 in Caracas: before the sales, and after rates are published
		{Name: "month-prepare", Spec: "0 0 9 * * *", Args: tasks.MonthPrepare{}, AtStart: true}, // 05:00 in Caracas
		{Name: "month-analyse", Spec: "0 10 9 * * *", Args: tasks.MonthAnalyse{}},
		{Name: "month-archive", Spec: "0 20 9 * * *", Args: tasks.MonthArchive{}},
		{Name: "ledger-verify", Spec: "0 30 7 * * *", Args: tasks.LedgerVerify{}}, // 03:30 in Caracas, between the days' sales
	}
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
	if len(e.Spec) > 2 && e.Spec[:3] == "TZ=" || len(e.Spec) > 7 && e.Spec[:8] == "CRON_TZ=" {
		return nil, fmt.Errorf("scheduler: %s: all times are UTC", e.Name) // the parser panics on some of these
	}
	parsed, err := parser.Parse(e.Spec)
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
