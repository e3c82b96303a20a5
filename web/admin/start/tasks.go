package start

import (
	"slices"

	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/bank"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/reports"
	"banca/internal/services"
	"banca/internal/weekly"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
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

// identityTask has no count; silentTask has the name of the only ticket point.
const identityTask, silentTask = "start.task.identity", "start.task.silent"

// Count counts what waits on a page.
type Count func(r *kit.Request) (int64, error)

// MenuCounts are the counts that the menu shows, by their pages.
func MenuCounts(s *services.Services) map[string]Count {
	p := &pages{Services: s}
	return map[string]Count{
		links.BankPayments: p.payments(bank.Unreconciled()),
		links.BankAlerts:   p.bankAlerts(""),
		links.DrawAlerts:   p.drawAlerts(&draws.AlertFilter{Open: true}),
	}
}

// waiting is a task with its number, for users who may open the page.
type waiting struct {
	page, link, key, tone string
	count                 Count
}

// waiting lists them in the order of urgency. silent is the currency in which ticket points sell nothing, "" to leave them out; name receives the
// name of the first of them.
func (p *pages) waiting(yesterday businessday.Day, silent string, name *string) []waiting {
	// Draws that were not closed in an external system are tasks of their own: see unclosed.
	others := p.drawAlerts(&draws.AlertFilter{Open: true, Others: true})
	return []waiting{
		{links.DrawAlerts, links.DrawAlerts, "start.task.alerts", kit.ToneTrouble, others},
		{links.BankPayments, links.BankPayments + "?list=conflicts", "start.task.conflicts", kit.ToneTrouble, p.payments(bank.Conflicts())},
		{links.BankAlerts, links.BankAlerts + "?open=1&without=" + alerts.AmountConflict, "start.task.security", kit.ToneTrouble, p.bankAlerts(alerts.AmountConflict)},
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
		{links.Reports + "/silent", links.Reports + "/silent", silentTask, kit.ToneWaiting, func(r *kit.Request) (int64, error) {
			if silent == "" {
				return 0, nil
			}
			points, total, err := p.Reports.Silent(r.Context(), r.Caller, &reports.Filter{Currency: silent}, 1, 0)
			if len(points) > 0 {
				*name = points[0].Name
			}
			return total, err
		}},
	}
}

// bankAlerts counts the open security alerts. Those of a kind that is a task of its own are left out.
func (p *pages) bankAlerts(without string) Count {
	return func(r *kit.Request) (total int64, err error) {
		_, total, err = p.Alerts.List(r.Context(), r.Caller, &alerts.Filter{Without: without, Open: true, Limit: 1})
		return total, err
	}
}

// drawAlerts counts alerts of draws.
func (p *pages) drawAlerts(filter *draws.AlertFilter) Count {
	return func(r *kit.Request) (total int64, err error) {
		_, total, err = p.Draws.Alerts(r.Context(), filter, 1, 0)
		return total, err
	}
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
func (p *pages) payments(states []string) Count {
	return func(r *kit.Request) (total int64, err error) {
		_, total, err = p.Bank.Payments(r.Context(), r.Caller, &bank.PaymentFilter{States: states, Limit: 1})
		return total, err
	}
}

// countsAtOnce bounds how many counts are read at a time, beside the other parts of the page.
const countsAtOnce = 3

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

// drafts is the task to confirm the settlements of the newest week, of the level directly below the operator.
func (p *pages) drafts(r *kit.Request, in ledger.Currency) ([]task, error) {
	if in.Code == "" || !r.MayOpen(links.Weekly+"/:id/confirm") {
		return nil, nil
	}
	weeks, err := p.Weekly.Weeks(r.Context(), in.Code)
	if err != nil || len(weeks) == 0 {
		return nil, err
	}
	sums, err := p.Weekly.Sums(r.Context(), r.Caller, &weekly.Filter{ParentID: r.Caller.EntityID, Week: weeks[0], Currency: in.Code, Status: weekly.Draft})
	if err != nil || sums.Drafts == 0 {
		return nil, err
	}
	text := r.View().N("start.task.drafts", sums.Drafts, currency.Text(r.View(), sums.Owed, in))
	return []task{{Tone: kit.ToneWaiting, Text: text, Link: links.Weekly + "?" + currency.Param + "=" + in.Code, Do: "start.task.drafts.do"}}, nil
}

// loadTasks lists the other tasks of the user, of the pages that the user may open. shown is the currency of the amounts, without a code for none.
func (p *pages) loadTasks(r *kit.Request, page *startPage, shown ledger.Currency) error {
	var silent string
	list := p.waiting(r.Today().AddDays(-1), shown.Code, &silent)
	counts := make([]int64, len(list))
	var counting kit.Parts
	counting.Limit(countsAtOnce)
	for i := range list {
		c := &list[i]
		if !r.MayOpen(c.page) {
			continue
		}
		page.Operates = true
		counting.Go(func() (err error) {
			counts[i], err = c.count(r)
			return err
		})
	}
	var failed, drafts []task
	counting.Go(func() (err error) {
		failed, err = p.unclosed(r)
		return err
	})
	counting.Go(func() (err error) {
		drafts, err = p.drafts(r, shown)
		return err
	})
	if err := counting.Wait(); err != nil {
		return err
	}
	remaining, err := p.remaining(r)
	if err != nil {
		return err
	}
	page.Operates = page.Operates || remaining != nil
	page.Tasks = slices.Concat(page.Tasks, remaining, failed, drafts)
	for i, count := range counts {
		c := &list[i]
		switch {
		case count == 0:
		case c.key == identityTask:
			page.Tasks = append(page.Tasks, task{Tone: c.tone, Text: r.T(c.key), Link: c.link, Do: c.key + ".do"})
		case c.key == silentTask && count == 1:
			page.Tasks = append(page.Tasks, task{Tone: c.tone, Text: r.View().T(c.key+".named", silent), Link: c.link, Do: c.key + ".do"})
		default:
			page.Tasks = append(page.Tasks, counted(r.View(), c.tone, c.key, count, c.link))
		}
	}
	return nil
}
