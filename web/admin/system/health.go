package system

import (
	"cmp"
	"strings"
	"time"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/health"
	"banca/internal/platform/money"
	"banca/web/admin/links"
	"banca/web/admin/parts/age"
	"banca/web/kit"
)

// Addresses of the pages: those of the panel, with its menu, and those without a login.
const (
	healthPath    = links.Health
	publicHealth  = "/health-dashboard"
	changesPath   = "/admin/changelog"
	publicChanges = "/changelog"
)

// healthPage is the state of the platform.
type healthPage struct {
	*health.Snapshot

	Poll    string                 // address of the page without a login, which its script asks for again; "" in the panel
	Figures bool                   // the reader may see more than the states and the problems
	Runbook string                 // its address
	open    func(path string) bool // the reader may open a page
}

func (p *pages) loadHealth(r *kit.Request) (*healthPage, error) {
	page := &healthPage{Snapshot: p.Health.Snapshot(), Figures: r.Caller.IsOperator() && r.May(auth.SystemRead), Runbook: cmp.Or(p.Runbook, links.Guide+"/runbook"), open: r.MayOpen}
	if r.URL().Path == publicHealth {
		page.Poll = publicHealth + "?lang=" + r.Language
	}
	if !page.Figures {
		page.Snapshot = page.Public()
	}
	return page, nil
}

// Waiting is the number of draws that wait for a result, as far as it is known.
func (p *healthPage) Waiting() int64 {
	if p.Draws == nil {
		return 0
	}
	return p.Draws.Waiting
}

// verify starts the verification of the books.
func (p *pages) verify(r *kit.Request) error {
	err := p.Activity.Record(r.Context(), activity.Entry{Action: activity.QueueAction("run"), EntityID: r.Caller.EntityID, Target: "ledger/verify"})
	if err == nil {
		err = p.Ledger.StartVerification(r.Context(), r.Now())
	}
	return p.health.Submit(r, err, "health.verify")
}

// Sentence says what a problem is.
func (*healthPage) Sentence(v *kit.View, p *health.Problem) string {
	var about []any
	if p.Name != "" {
		about = append(about, p.Name)
	}
	if p.Count > 0 || p.Code == "disk" {
		about = append(about, v.Count(p.Count))
	}
	if strings.HasPrefix(p.Code, "dependency.") {
		about = nil
	}
	return v.T("health.problem."+p.Code, about...)
}

// Since says since when a problem is known.
func (p *healthPage) Since(v *kit.View, at time.Time) string {
	return v.T("health.since", v.Clock(at), age.Text(v, p.At.Sub(at)))
}

// past says how many checks of the last hour failed, and how long the slowest one took.
func past(v *kit.View, history []health.Minute) string {
	var checks, failed int
	var slowest time.Duration
	for _, m := range history {
		checks, failed, slowest = checks+m.Checks, failed+m.Failed, max(slowest, m.Worst)
	}
	return v.T("health.past", v.Count(failed), v.Count(checks), v.Milliseconds(slowest))
}

// ServiceTable is the table of the dependencies that were measured.
func (p *healthPage) ServiceTable() kit.Rows {
	return kit.RowsOf([]kit.Column[health.State]{
		kit.WordColumn("health.service", func(v *kit.View, d *health.State) string { return v.T("health.dependency." + d.Name) }),
		kit.StateColumn("dependency", func(d *health.State) string { return d.Status }),
		kit.WordColumn("health.latency", func(v *kit.View, d *health.State) string {
			if d.Reason != "" {
				return v.T("health.reason." + d.Reason)
			}
			return v.Milliseconds(d.Latency)
		}).Numeric(),
		kit.WordColumn("health.state.since", func(v *kit.View, d *health.State) string { return age.Text(v, p.At.Sub(d.Since)) }).Numeric().OnWide(),
		{Title: "health.hour", Cell: func(v *kit.View, d *health.State) kit.Cell {
			return v.Part("hour-bars", v.HourBars(p.At, past(v, d.History), kit.Map(d.History, func(m *health.Minute) kit.Minute {
				return kit.Minute{At: m.At, Value: int64(m.Worst), Failed: m.Failed > 0}
			})))
		}},
	}, p.Measured(), nil, "")
}

// sold is the line of the sales by minute.
func (p *healthPage) sold(v *kit.View) *kit.Spark {
	minutes := p.Sales.Minutes
	if n := len(minutes); n > 0 {
		minutes = minutes[:n-1] // the last one is under way
	}
	steps, amounts := make([]string, len(minutes)), make([]money.Amount, len(minutes))
	for i, m := range minutes {
		steps[i], amounts[i] = v.Clock(m.At), money.Amount(m.N)
	}
	return v.Spark(v.T("health.sales"), steps, amounts, 0)
}

// Ago formats how long ago an instant was; never is the key of the text for none.
func (p *healthPage) Ago(v *kit.View, at time.Time, never string) string {
	if at.IsZero() {
		return v.T(never)
	}
	return v.T("health.ago", age.Text(v, p.At.Sub(at)))
}

// size formats a number of bytes in GB.
func size[N int64 | uint64](v *kit.View, bytes N) string {
	const gigabyte, tenth = 1 << 30, 10
	return v.Money(money.Amount(bytes/(gigabyte/tenth)), 1) + " GB"
}

// figures are tiles.
type figures []*kit.Stat

// add adds a figure with its detail and returns it.
func (list *figures) add(v *kit.View, name, value, detail string) *kit.Stat {
	tile := &kit.Stat{Figure: value, Label: v.T("health." + name), Hint: detail}
	*list = append(*list, tile)
	return tile
}

// at returns the address of the page behind a figure; "" if the reader may not open it.
func (p *healthPage) at(path string) string {
	if p.open(path) {
		return path
	}
	return ""
}

// Tiles are the figures that were read: of sales, draws, the bank, messages and tasks, then of the stores.
func (p *healthPage) Tiles(v *kit.View) (list figures) {
	if f := p.Sales; f != nil {
		list.add(v, "sales", v.Count(f.PerMinute()), v.T("health.sales.last", p.Ago(v, f.LastAt, "health.sales.none"))).
			WithUnit(v.T("health.perminute")).WithSpark(p.sold(v)).To(p.at(links.Tickets))
	}
	if f := p.Draws; f != nil {
		list.add(v, "draws", v.Count(f.Waiting), v.Counts("health.draws.overdue", f.Overdue)).To(p.at(links.Draws))
	}
	if f := p.Bank; f != nil {
		list.add(v, "bank", p.Ago(v, f.LastGoodAt, "health.never"), v.Counts("health.bank.refused", f.Refused)).To(p.at(links.BankEvents))
	}
	if f := p.Messages; f != nil {
		list.add(v, "messages", v.Count(f.Waiting), v.Counts("health.messages.more", f.Failed, f.Paused, f.Closed)).To(p.at(links.Messages))
	}
	if f := p.Outbox; f != nil {
		list.add(v, "outbox", age.Text(v, f.Age), v.Counts("health.outbox.rows", f.Rows, f.Dead))
	}
	if f := p.Queues; f != nil {
		queues := list.add(v, "queues", v.Count(f.Pending()), v.T("health.queues.more", v.Count(f.Archived()), v.Count(f.Workers))).WithUnit(v.T("health.queues.waiting")).To(p.at(tasksPath))
		if p.Leader != nil {
			queues.Hint += " · " + v.T(map[bool]string{true: "health.leader", false: "health.leaderless"}[*p.Leader])
		}
	}
	return append(list, p.stores(v)...)
}

// stores returns the figures of the ledger, the disk, the backup and the models.
func (p *healthPage) stores(v *kit.View) (list figures) {
	if f := p.Ledger; f != nil {
		list.add(v, "ledger", p.Ago(v, f.VerifiedAt, "health.notyet"), v.Counts("health.ledger.checks", f.Checks, f.Broken))
	}
	if f := p.Disk; f != nil {
		detail := v.T("health.disk.of", size(v, f.Size))
		if p.Database != nil {
			detail += " · " + v.T("health.database", size(v, p.Database.Size))
		}
		list.add(v, "disk", size(v, f.Free), detail)
	}
	if f := p.Backup; f != nil {
		backup := list.add(v, "backup", size(v, f.Log), "")
		if f.Slots > 0 {
			backup.Hint = v.T("health.backup.slots", v.Count(f.Slots), v.Count(f.Inactive), size(v, f.Kept))
		}
	}
	if f := p.Models; f != nil {
		list.add(v, "models", v.T("health.of", f.Models-f.Cooling, f.Models), v.Counts("health.models.cooling", f.Cooling))
	}
	return list
}

// SourceTable is the table of the sources of results.
func (p *healthPage) SourceTable() kit.Rows {
	return kit.RowsOf([]kit.Column[health.Source]{
		kit.TextColumn("health.source", func(s *health.Source) string { return s.Name }),
		kit.WordColumn("health.source.good", func(v *kit.View, s *health.Source) string { return p.Ago(v, s.GoodAt, "health.never") }),
		kit.CountColumn("health.source.failed", func(s *health.Source) int64 { return s.Failed }),
		kit.WordColumn("health.took", func(v *kit.View, s *health.Source) string { return v.Milliseconds(s.Took) }).Numeric(),
	}, p.Sources, nil, "health.sources.none")
}
