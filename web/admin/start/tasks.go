package start

import (
	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/bank"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
	"banca/internal/reports"
	"banca/web/admin/links"
	"banca/web/admin/parts/drawcause"
	"banca/web/kit"
)

// task is something that waits for a hand, with the page where it is done.
type task struct {
	Tone, Text, Link string
	Do               string // key of the text of the link
}

// counted is a task about a number of objects. key has plural forms, and a text of the link.
func counted(v *kit.View, tone, key string, count int64, link string) task {
	return task{Tone: tone, Text: v.N(key, count), Link: link, Do: key + ".do"}
}

// identityTask has no count.
const identityTask = "start.task.identity"

// counter counts what waits on a page, for users who may open it.
type counter struct {
	page, link, key, tone string
	count                 func(r *kit.Request) (int64, error)
}

// counters are in the order of urgency. silent counts the ticket points that sell nothing in a currency, "" for no such counter.
func (p *pages) counters(yesterday businessday.Day, silent string) []counter {
	return []counter{
		{links.DrawAlerts, links.DrawAlerts, "start.task.alerts", kit.ToneTrouble, p.otherAlerts},
		{links.BankPayments, links.BankPayments + "?list=conflicts", "start.task.conflicts", kit.ToneTrouble, p.payments(bank.Conflicts())},
		{links.BankAlerts, links.BankAlerts + "?open=1", "start.task.security", kit.ToneTrouble, func(r *kit.Request) (total int64, err error) {
			_, total, err = p.Alerts.List(r.Context(), r.Caller, &alerts.Filter{Open: true, Limit: 1})
			return total, err
		}},
		{links.Bank, links.Bank, identityTask, kit.ToneTrouble, func(r *kit.Request) (int64, error) {
			identity, err := p.Bank.Identity(r.Context(), r.Caller)
			if err != nil || identity.Complete {
				return 0, err
			}
			return 1, nil
		}},
		{links.Tasks, links.Tasks, "start.task.tasks", kit.ToneTrouble, func(*kit.Request) (int64, error) {
			if queues := p.Health.Snapshot().Queues; queues != nil {
				return queues.Archived(), nil
			}
			return 0, nil
		}},
		{links.BankPayments, links.BankPayments + "?list=unreconciled", "start.task.payments", kit.ToneWaiting, p.payments(bank.Unreconciled())},
		{missingPath, missingPath + "?date=" + yesterday.String(), "start.task.closes", kit.ToneWaiting, func(r *kit.Request) (int64, error) {
			list, err := p.Closes.Missing(r.Context(), r.Caller, uuid.Nil, yesterday)
			return int64(len(list)), err
		}},
		{links.Reports + "/silent", links.Reports + "/silent", "start.task.silent", kit.ToneWaiting, func(r *kit.Request) (total int64, err error) {
			if silent == "" {
				return 0, nil
			}
			_, total, err = p.Reports.Silent(r.Context(), r.Caller, &reports.Filter{Currency: silent}, 1, 0)
			return total, err
		}},
	}
}

// otherAlerts counts the open alerts of draws, except those of draws that were not closed in an external system.
func (p *pages) otherAlerts(r *kit.Request) (int64, error) {
	_, total, err := p.Draws.Alerts(r.Context(), &draws.AlertFilter{Open: true, Others: true}, 1, 0)
	return total, err
}

// unclosed lists the causes for which draws were not closed in an external system.
func (p *pages) unclosed(r *kit.Request) ([]task, error) {
	if !r.MayOpen(links.DrawAlerts) {
		return nil, nil
	}
	failures, err := p.Draws.CloseFailures(r.Context())
	list := make([]task, len(failures))
	for i := range failures {
		f := &failures[i]
		list[i] = task{
			Tone: kit.ToneTrouble, Text: drawcause.Text(r.View(), f), Link: drawcause.Link(&f.Cause), Do: "start.task.unclosed.do",
		}
	}
	return list, err
}

// payments counts payments in states.
func (p *pages) payments(states []string) func(r *kit.Request) (int64, error) {
	return func(r *kit.Request) (total int64, err error) {
		_, total, err = p.Bank.Payments(r.Context(), r.Caller, &bank.PaymentFilter{States: states, Limit: 1})
		return total, err
	}
}

// countersAtOnce bounds how many counters are read at a time, beside the other parts of the page.
const countersAtOnce = 3

// tasks lists the draws that need an action of the user.
func (d *dayDraws) tasks(r *kit.Request) (list []task) {
	if d.risk != nil {
		list = d.risk.tasks(r.View())
	}
	if d.Waiting > 0 && r.MayOpen(resultsPath) {
		list = append(list, counted(r.View(), kit.ToneTrouble, "start.task.results", d.Waiting, resultsPath))
	}
	return list
}

// loadTasks lists the other tasks of the user, of the pages that the user may open.
func (p *pages) loadTasks(r *kit.Request, page *startPage, silent string) error {
	counters := p.counters(r.Today().AddDays(-1), silent)
	counts := make([]int64, len(counters))
	var counting kit.Parts
	counting.Limit(countersAtOnce)
	for i := range counters {
		c := &counters[i]
		if !r.MayOpen(c.page) {
			continue
		}
		page.Operates = true
		counting.Go(func() (err error) {
			counts[i], err = c.count(r)
			return err
		})
	}
	var failed []task
	counting.Go(func() (err error) {
		failed, err = p.unclosed(r)
		return err
	})
	if err := counting.Wait(); err != nil {
		return err
	}
	page.Tasks = append(page.Tasks, failed...)
	for i, count := range counts {
		c := &counters[i]
		switch {
		case count == 0:
		case c.key == identityTask:
			page.Tasks = append(page.Tasks, task{Tone: c.tone, Text: r.T(c.key), Link: c.link, Do: c.key + ".do"})
		default:
			page.Tasks = append(page.Tasks, counted(r.View(), c.tone, c.key, count, c.link))
		}
	}
	return nil
}
