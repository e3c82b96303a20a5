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
	page := &queuesPage{Queues: snapshot.Queues, At: snapshot.At, Unlocks: r.MayOpen(unlockPath)}
	if p.Queues.ReadOnly != nil {
		page.Monitor = QueuesPath
	}
	page.Failed = slices.ContainsFunc(snapshot.Stale(), func(k health.Known) bool { return k.Name == "queues" })
	return page, nil
}

// Head returns the head of the page.
func (p *queuesPage) Head(v *kit.View) *kit.Head {
	return v.Head(v.T("nav.queues")).Link(v.T("queues.monitor"), p.Monitor)
}

// Table is the table of the queues.
func (p *queuesPage) Table() kit.Rows { return queueRows(p.Queues) }

// Since is the instant from which the figures of the day count.
func (p *queuesPage) Since() time.Time { return p.At.UTC().Truncate(oneDay) }

const oneDay = 24 * time.Hour

// queueRows returns the table of queues; nil are queues that were not read yet.
func queueRows(queues *health.Queues) kit.Rows {
	var rows []health.Queue
	if queues != nil {
		rows = queues.Queues
	}
	return kit.RowsOf([]kit.Column[health.Queue]{
		{Title: "health.queue", Cell: func(v *kit.View, q *health.Queue) kit.Cell {
			cell := kit.Text(v.T("queue." + q.Name))
			if q.Paused {
				cell.Badges = []kit.Badge{{Tone: kit.ToneWaiting, Text: v.T("health.paused")}}
			}
			return cell
		}},
		kit.CountColumn("health.pending", func(q *health.Queue) int64 { return q.Pending }),
		{Title: "health.lag", Number: true, Cell: func(v *kit.View, q *health.Queue) kit.Cell {
			if q.Pending == 0 {
				return kit.Cell{}
			}
			return kit.Text(age.Text(v, q.Lag))
		}},
		kit.CountColumn("health.active", func(q *health.Queue) int64 { return q.Active }),
		kit.CountColumn("health.scheduled", func(q *health.Queue) int64 { return q.Scheduled }),
		kit.CountColumn("health.retry", func(q *health.Queue) int64 { return q.Retry }),
		failedCount("health.archived", func(q *health.Queue) int64 { return q.Archived }),
		kit.CountColumn("health.processed.today", func(q *health.Queue) int64 { return q.ProcessedToday }),
		kit.CountColumn("health.failed.today", func(q *health.Queue) int64 { return q.FailedToday }),
	}, rows, nil, "health.queues.none")
}

// failedCount is a column of tasks that wait for a person, which are marked.
func failedCount(title string, of func(q *health.Queue) int64) kit.Column[health.Queue] {
	return kit.CountColumn(title, of).WithCell(func(v *kit.View, q *health.Queue) kit.Cell {
		if of(q) == 0 {
			return kit.Text(v.Count(0))
		}
		return kit.Badges(kit.Badge{Tone: kit.ToneTrouble, Text: v.Count(of(q))})
	})
}
