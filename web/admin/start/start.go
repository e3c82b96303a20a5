// Package start has the start page of the panel: the day at a glance, of the part of the organisation that the user sees.
package start

import (
	"embed"

	"banca/internal/bank"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/web/kit"
)

const path = "/admin"

// Pages of other areas that the figures lead to.
const (
	salesPath    = "/admin/reports/sales"
	levelsPath   = "/admin/reports/levels"
	resultPath   = "/admin/reports/waterfall"
	prizesPath   = "/admin/prizes"
	drawsPath    = "/admin/draws"
	riskPath     = "/admin/exposure"
	alertsPath   = "/admin/draws/alerts"
	paymentsPath = "/admin/bank/payments"
	securityPath = "/admin/bank/alerts"
	identityPath = "/admin/bank"
)

//go:embed templates
var templates embed.FS

// Deps are the services of the area.
type Deps struct {
	Bank    *bank.Service
	Reports *reports.Service
	Prizes  *prizes.Service
	Draws   *draws.Service
	Ledger  *ledger.Service
}

type pages struct{ Deps }

// Area returns the start page.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	start := kit.Page[startPage]{Template: "start", Load: p.load}
	return kit.Area{Templates: templates, Tones: tones(), Routes: []kit.Route{
		kit.Get(path, kit.SignedIn(), start.Show).Menu("nav.today", "nav.overview"),
	}}
}

// startPage is the day at a glance. Each part has what the user may read.
type startPage struct {
	Tasks      []task
	Money      *dayMoney // nil for users who may not read reports
	Draws      *dayDraws // nil for users who may not read results
	Operates   bool      // the user reads what can wait for an operator
	Currencies []kit.Choice
	Queues     bool // the user may open them
	Unlocks    bool // the user may change them
}

func (p *pages) load(r *kit.Request) (*startPage, error) {
	page := &startPage{Queues: r.MayOpen("/admin/queues"), Unlocks: r.MayOpen("/admin/unlock-queues")}
	var err error
	if r.MayOpen(salesPath) {
		if err = p.loadMoney(r, page); err != nil {
			return nil, err
		}
	}
	if r.MayOpen(drawsPath) {
		if page.Draws, err = p.loadDraws(r); err != nil {
			return nil, err
		}
	}
	return page, p.loadTasks(r, page)
}
