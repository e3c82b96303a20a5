package system

import (
	"slices"
	"time"

	"banca/internal/platform/health"
	"banca/web/admin/links"
	"banca/web/admin/parts/age"
	"banca/web/kit"
)

// tasksPath is the address of the page of the task queues.
const tasksPath = links.Tasks

// queuesPage is the state of the task queues.
type queuesPage struct {
	Queues  *health.Queues // nil before they were read
	Failed  bool           // the newest read failed, so the figures are old
	At      time.Time
	Monitor string // address of asynqmon; "" if it is not mounted
	Unlocks bool   // the user may change the queues
}

func (p *pages) loadQueues(r *kit.Request) (*queuesPage, error) {
	snapshot := p.Health.Snapshot()
	page := &queuesPage{
		Queues: snapshot.Queues, At: snapshot.At, Unlocks: r.MayOpen(unlockPath),
		Failed: slices.ContainsFunc(snapshot.Stale(), func(k health.Known) bool { return k.Name == "queues" }),
	}
	if p.Queues.ReadOnly != nil {
		page.Monitor = QueuesPath
	}
	return page, nil
}

// Since is the instant from which the figures of the day count.
func (p *queuesPage) Since() time.Time { return p.At.UTC().Truncate(24 * time.Hour) }

// Table is the table of the queues. A queue links to its tasks in asynqmon, if it is mounted.
func (p *queuesPage) Table() kit.Rows {
	var link func(q *health.Queue) string
	if p.Monitor != "" {
		link = func(q *health.Queue) string { return p.Monitor + "/queues/" + q.Name }
	}
	return kit.RowsOf([]kit.Column[health.Queue]{
		{Title: "health.queue", Cell: func(v *kit.View, q *health.Queue) kit.Cell {
			cell := kit.Text(v.T("queue." + q.Name))
			if q.Paused {
				cell.Badges = []kit.Badge{{Tone: kit.ToneWaiting, Text: v.T("health.paused")}}
			}
			return cell
		}},
		countColumn("health.pending", "", func(q *health.Queue) int64 { return q.Pending }),
		{Title: "health.lag", Number: true, Cell: func(v *kit.View, q *health.Queue) kit.Cell {
			if q.Pending == 0 {
				return kit.Cell{}
			}
			return kit.Text(age.Text(v, q.Lag))
		}},
		countColumn("health.active", "", func(q *health.Queue) int64 { return q.Active }),
		countColumn("health.scheduled", "", func(q *health.Queue) int64 { return q.Scheduled }),
		countColumn("health.retry", "", func(q *health.Queue) int64 { return q.Retry }),
		countColumn("health.archived", kit.ToneTrouble, func(q *health.Queue) int64 { return q.Archived }),
		countColumn("health.processed.today", "", func(q *health.Queue) int64 { return q.ProcessedToday }),
		countColumn("health.failed.today", "", func(q *health.Queue) int64 { return q.FailedToday }),
	}, p.Queues.Queues, link, "health.queues.none")
}

// countColumn is a column of numbers of tasks. A number above zero stands out; a tone marks it, "" for no mark.
func countColumn(title, tone string, of func(q *health.Queue) int64) kit.Column[health.Queue] {
	return kit.CountColumn(title, of).WithCell(func(v *kit.View, q *health.Queue) kit.Cell {
		switch n := v.Count(of(q)); {
		case of(q) == 0:
			return kit.Cell{Text: n, Style: "none"}
		case tone != "":
			return kit.Badges(kit.Badge{Tone: tone, Text: n})
		default:
			return kit.Text(n)
		}
	})
}
