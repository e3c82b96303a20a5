package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	queue := func(q Queue) Figures { return Figures{Queues: &Queues{Workers: 1, Queues: []Queue{q}}} }
	for name, c := range map[string]struct {
		figures Figures
		want    string // code of the only problem; "" for none
		failed  bool
	}{
		"nothing known":               {},
		"a calm platform":             {figures: Figures{Queues: &Queues{Workers: 2}, Leader: &yes, Outbox: &Outbox{Age: time.Second}, Draws: &Draws{Waiting: 3}, Bank: &Bank{Refused: 1}, Messages: &Messages{Waiting: 7}, Models: &Models{Models: 2, Cooling: 1}, Disk: &Disk{Free: 50, Size: 100}, Ledger: &Ledger{VerifiedAt: start.Add(-20 * time.Hour)}}},
		"no worker":                   {Figures{Queues: &Queues{}}, "workers", true},
		"no leader":                   {Figures{Leader: &no}, "scheduler", true},
		"an outbox that stands":       {Figures{Outbox: &Outbox{Rows: 5, Age: time.Minute}}, "outbox.late", true},
		"a dead row":                  {Figures{Outbox: &Outbox{Dead: 1}}, "outbox.dead", false},
		"a late queue":                {queue(Queue{Name: "receipts", Lag: 2 * time.Minute}), "queue.late", false},
		"a slow queue":                {queue(Queue{Name: "receipts", Lag: 30 * time.Second}), "", false},
		"a late critical queue":       {queue(Queue{Name: criticalQueue, Lag: 30 * time.Second}), "queue.late", true},
		"a paused queue":              {queue(Queue{Name: "receipts", Paused: true}), "queue.paused", false},
		"an archived task":            {queue(Queue{Name: "receipts", Archived: 1}), "queue.archived", false},
		"a draw without a result":     {Figures{Draws: &Draws{Waiting: 2, Overdue: 1, OldestAt: start.Add(-time.Hour)}}, "draws", false},
		"refused calls of the bank":   {Figures{Bank: &Bank{Refused: 5}}, "bank", false},
		"a paused channel":            {Figures{Messages: &Messages{Paused: 1, Waiting: 3, OldestAt: start.Add(-time.Hour)}}, "messages.paused", false},
		"messages that wait":          {Figures{Messages: &Messages{Waiting: 3, OldestAt: start.Add(-time.Hour)}}, "messages.late", false},
		"a connection without link":   {Figures{Messages: &Messages{Channels: 2, Closed: 1}}, "messages.unlinked", false},
		"models in cool-down":         {Figures{Models: &Models{Models: 2, Cooling: 2}}, "models", false},
		"no model":                    {Figures{Models: &Models{}}, "", false},
		"little disk":                 {Figures{Disk: &Disk{Free: 5 << 30, Size: 100 << 30}}, "disk", false},
		"no disk":                     {Figures{Disk: &Disk{Free: 1, Size: 100 << 30}}, "disk", true},
		"broken books":                {Figures{Ledger: &Ledger{VerifiedAt: start, Broken: 1}}, "ledger.broken", true},
		"books not verified lately":   {Figures{Ledger: &Ledger{VerifiedAt: start.Add(-27 * time.Hour)}}, "ledger.late", false},
		"books not verified yet":      {Figures{Ledger: &Ledger{}}, "", false},
		"lost rows of the log":        {Figures{Log: Log{Dropped: 3, DroppedAt: start.Add(-time.Minute)}}, "request-log", false},
		"rows of the log lost before": {Figures{Log: Log{Dropped: 3, DroppedAt: start.Add(-time.Hour)}}, "", false},
	} {
		problems := problemsOf(&Snapshot{At: start, Figures: c.figures})
		if c.want == "" {
			assert.Empty(t, problems, name)
			continue
		}
		if assert.Len(t, problems, 1, name) {
			assert.Equal(t, c.want, problems[0].Code, name)
			assert.Equal(t, c.failed, problems[0].Failed, name)
			assert.NotEmpty(t, problems[0].Runbook, name)
		}
	}
}

// Failures come first, and figures of a store that is away are not judged.
func TestProblemsOfAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	no := false
	s := &Snapshot{At: start, Figures: Figures{Outbox: &Outbox{Age: time.Hour}, Leader: &no, Queues: &Queues{}, Models: &Models{Models: 1, Cooling: 1}}}
	s.Dependencies = []State{{Name: "objects", Status: Failed}, {Name: "postgres", Required: true, Status: Failed}, {Name: "redis", Required: true, Status: Failed}}
	var codes []string
	for _, p := range problemsOf(s) {
		codes = append(codes, p.Code)
	}
	assert.Equal(t, []string{"dependency.postgres", "dependency.redis", "dependency.objects", "models"}, codes)
}
