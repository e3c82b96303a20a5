// Package start has the start page of the panel: the day at a glance, of the part of the organisation that the user sees.
package start

import (
	"embed"
	"slices"

	"banca/internal/platform/health"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const path = links.Home

// Pages of other areas that the figures lead to.
const (
	resultsPath = links.Draws + "/results"
	sellPath    = "/vender"
	missingPath = links.Closes + "/missing"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	start   kit.Page[startPage]
	cashier kit.Page[cashierPage]
	partner kit.Page[partnerPage]
}

// Area returns the start page: that of a ticket point, of a partner, and of everybody else.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.cashier = kit.Page[cashierPage]{Template: "cashier", Load: p.loadCashier}
	p.partner = kit.Page[partnerPage]{Template: "partner", Load: p.loadPartner}
	p.start = kit.Page[startPage]{Template: "start", Load: p.load}
	return kit.Area{Templates: templates, Guide: "panel#the-start-page", Routes: []kit.Route{
		kit.Get(path, kit.SignedIn(), p.show).Menu("nav.today", "nav.overview").Live(),
	}}
}

func (p *pages) show(r *kit.Request) error {
	switch r.Caller.Role {
	case models.RoleSocio:
		return p.partner.Show(r)
	case models.RoleTaquilla:
		chain, err := p.Org.Chain(r.Context(), r.Caller.EntityID)
		if err != nil {
			return err
		}
		if chain.Self().Type == models.EntityTicketPoint {
			return p.cashier.Show(r)
		}
	}
	return p.start.Show(r)
}

// startPage is the day at a glance. Each part has what the user may read.
type startPage struct {
	Tasks      []task
	Notes      []task    // that wait for no hand
	Money      *dayMoney // nil for users who may not read reports
	Draws      *dayDraws // nil for users who may not read results
	Operates   bool      // the user reads what can wait for an operator
	Platform   *platform // nil for users who may not read it
	Currencies []kit.Choice
}

// shownTasks bounds the rows of what waits; the others are folded.
const shownTasks = 6

// listed are the tasks, the worst first, and the notes.
func (s *startPage) listed() []task {
	all := append(slices.Clone(s.Tasks), s.Notes...)
	tones := []string{kit.ToneTrouble, kit.ToneWaiting, kit.ToneOff}
	slices.SortStableFunc(all, func(a, b task) int { return slices.Index(tones, a.Tone) - slices.Index(tones, b.Tone) })
	return all
}

// Worst are the rows that are shown.
func (s *startPage) Worst() []task {
	all := s.listed()
	return all[:min(len(all), shownTasks)]
}

// Others are the rows that are folded.
func (s *startPage) Others() []task {
	return s.listed()[len(s.Worst()):]
}

func (p *pages) load(r *kit.Request) (*startPage, error) {
	page := &startPage{}
	chosen, currencies, err := currency.Choose(r, p.Ledger)
	if err != nil {
		return nil, err
	}
	sums := r.MayOpen(links.Reports+"/sales") && currencies != nil
	shown := chosen
	var parts kit.Parts
	if sums {
		page.Currencies = currencies
		parts.Go(func() (err error) {
			page.Money, err = p.moneyIn(r, chosen.Code)
			return err
		})
	} else {
		shown.Code = ""
	}
	parts.Go(func() (err error) {
		page.Draws, err = p.drawsIn(r, chosen, sums, currencies != nil)
		return err
	})
	parts.Go(func() error { return p.loadTasks(r, page, shown) })
	if err := parts.Wait(); err != nil {
		return nil, err
	}
	if r.MayOpen(links.Health) {
		page.Platform = &platform{p.Health.Snapshot()}
	}
	if page.Money != nil && page.Draws != nil {
		page.Draws.standBeside(len(page.Money.Rows))
		page.Money.lines = page.Draws.secondLines()
	}
	if page.Draws != nil {
		page.Operates = page.Operates || page.Draws.risk != nil || r.MayOpen(resultsPath)
		page.Tasks = append(page.Draws.tasks(r), page.Tasks...)
		if page.Draws.risk != nil {
			page.Notes = page.Draws.risk.notes(r.View())
		}
	}
	return page, nil
}

// platform is the state of the platform in one line, for the operator. It comes from the last sample and reads nothing.
type platform struct {
	*health.Snapshot
}

// pulse is one part of the line.
type pulse struct{ Tone, Text, Link string }

// Pulses are the parts that are known.
func (p *platform) Pulses(v *kit.View) []pulse {
	var list []pulse
	add := func(good bool, link, text string) {
		tone := kit.ToneOK
		if !good {
			tone = kit.ToneTrouble
		}
		list = append(list, pulse{Tone: tone, Text: text, Link: link})
	}
	switch b := p.Bank; {
	case b == nil:
	case b.LastGoodAt.IsZero() && b.Refused == 0:
		list = append(list, pulse{Tone: kit.ToneOff, Text: v.T("start.bank.none"), Link: links.BankEvents})
	case b.LastGoodAt.IsZero():
		add(false, links.BankEvents, v.T("start.bank.none"))
	default:
		add(b.Refused == 0, links.BankEvents, v.T("start.bank", v.Clock(b.LastGoodAt)))
	}
	if q := p.Queues; q != nil {
		add(q.Archived() == 0 && q.Workers > 0, links.Tasks, v.N("start.queues", q.Pending()))
	}
	if m := p.Messages; m != nil {
		add(m.Failed == 0 && m.Closed == 0, links.Messages, v.N("start.messages", m.Waiting))
	}
	if l := p.Ledger; l != nil && !l.VerifiedAt.IsZero() {
		add(l.Broken == 0, links.Health, v.T("start.ledger", v.Clock(l.VerifiedAt)))
	}
	return list
}
