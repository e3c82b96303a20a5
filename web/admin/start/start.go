// Package start has the start page of the panel.
package start

import (
	"context"
	"embed"

	"banca/internal/bank"
	"banca/internal/businessday"
	"banca/internal/caller"
	"banca/web/kit"
)

const path = "/admin"

//go:embed templates
var templates embed.FS

// Deps are the services of the area.
type Deps struct {
	Bank *bank.Service
	Docs string // path of the API's documentation
}

type pages struct{ Deps }

// Area returns the start page.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	start := kit.Page[startPage]{Template: "start", Load: p.load}
	return kit.Area{Templates: templates, Routes: []kit.Route{
		kit.Get(path, kit.SignedIn(), start.Show).Menu("nav.today", "nav.overview"),
	}}
}

// startPage is the overview of the day.
type startPage struct {
	HasQueues bool
	Unlocks   bool         // may change the queues
	Bank      *bankFigures // nil for users who may not see the bank
	Docs      string
}

// bankFigures count today's calls of the bank and the payments that wait for an operator.
type bankFigures struct {
	Calls, Unreconciled, Conflicts, Alerts int64
	Complete                               bool // whether the bank can call at all
}

func (p *pages) load(r *kit.Request) (*startPage, error) {
	page := &startPage{HasQueues: r.MayOpen("/admin/queues"), Unlocks: r.MayOpen("/admin/unlock-queues"), Docs: p.Docs}
	var err error
	if r.MayOpen("/admin/bank") {
		page.Bank, err = p.bankFigures(r.Context(), r.Caller, r.Today())
	}
	return page, err
}

func (p *pages) bankFigures(ctx context.Context, by caller.Caller, today businessday.Day) (*bankFigures, error) {
	identity, err := p.Bank.Identity(ctx, by)
	if err != nil {
		return nil, err
	}
	f := &bankFigures{Complete: identity.Complete}
	if _, f.Calls, err = p.Bank.Events(ctx, by, &bank.EventFilter{Date: today, Limit: 1}); err != nil {
		return nil, err
	}
	if _, f.Unreconciled, err = p.Bank.Payments(ctx, by, &bank.PaymentFilter{States: bank.Unreconciled(), Limit: 1}); err != nil {
		return nil, err
	}
	if _, f.Conflicts, err = p.Bank.Payments(ctx, by, &bank.PaymentFilter{States: bank.Conflicts(), Limit: 1}); err != nil {
		return nil, err
	}
	_, f.Alerts, err = p.Bank.Alerts(ctx, by, &bank.AlertFilter{Open: true, Limit: 1})
	return f, err
}
