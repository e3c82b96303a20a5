// Package risk has the pages of the exposure of draws, with the blocks of their elements.
package risk

import (
	"embed"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/exposure"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/risk"
	"banca/web/kit"
)

const (
	path = "/admin/exposure"

	exposureTop   = 20  // outcomes on a page
	exposureDraws = 100 // draws to choose from
	allOutcomes   = exposure.MaxTop
)

//go:embed templates
var templates embed.FS

// Deps are the services of the area.
type Deps struct {
	Exposure *exposure.Service
	Limits   *risk.Keeper
	Catalog  *catalog.Service
}

type pages struct {
	Deps

	draws    kit.Page[drawsPage]
	exposure kit.Page[exposurePage]
}

// Area returns the pages of exposure.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	p.draws = kit.Page[drawsPage]{Template: "exposures", Load: p.loadDraws}
	p.exposure = kit.Page[exposurePage]{Template: "exposure", Load: p.load}
	read, write := kit.Can(auth.RiskRead), kit.Can(auth.RiskWrite).Sensitive()
	return kit.Area{Templates: templates, Routes: []kit.Route{
		kit.Get(path, read, p.draws.Show).Menu("nav.draws", "exposure.title"),
		kit.Get(path+"/:id", read, p.show),
		kit.Action(path+"/:id", "/block", write, p.block),
		kit.Action(path+"/:id", "/unblock", write, p.unblock),
	}}
}

// drawsPage chooses a draw.
type drawsPage struct {
	Date  string
	Draws []drawChoice
}

type drawChoice struct {
	*catalog.Draw

	Game string
}

func (p *pages) loadDraws(r *kit.Request) (*drawsPage, error) {
	ctx, day := r.Context(), r.Today()
	if typed := r.QueryDay("date"); !typed.IsZero() {
		day = typed
	}
	draws, _, err := p.Catalog.Draws(ctx, catalog.DrawFilter{Date: day, Limit: exposureDraws})
	if err != nil {
		return nil, err
	}
	page := &drawsPage{Date: day.String()}
	for _, d := range draws {
		game, err := p.Catalog.Game(ctx, d.GameID)
		if err != nil {
			return nil, err
		}
		page.Draws = append(page.Draws, drawChoice{d, game.Name})
	}
	return page, nil
}

// exposurePage shows the possible cost of a draw.
type exposurePage struct {
	*exposure.Exposure

	Filter     url.Values
	Currencies []ledger.Currency
	Blocks     []blockedElement
	Blocked    map[string]bool
	Changes    bool
}

// blockedElement is an element that is blocked for an entity, in one currency or more.
type blockedElement struct {
	risk.Limit

	Currencies string
	IDs        []uuid.UUID
}

// blockedElements joins the blocks of an element for an entity, which are sold again together.
func blockedElements(blocks []risk.Limit) []blockedElement {
	var list []blockedElement
	for i := range blocks {
		b := &blocks[i]
		at := slices.IndexFunc(list, func(e blockedElement) bool { return e.EntityID == b.EntityID && e.Element == b.Element })
		if at < 0 {
			list = append(list, blockedElement{Limit: *b, Currencies: b.Currency.Code, IDs: []uuid.UUID{b.ID}})
			continue
		}
		list[at].Currencies += ", " + b.Currency.Code
		list[at].IDs = append(list[at].IDs, b.ID)
	}
	return list
}

// Shown returns the outcomes of the chart and of its table; none of a draw without sales.
func (p *exposurePage) Shown() []exposure.Outcome {
	if len(p.Top) == 0 || p.Top[0].Liability == 0 {
		return nil
	}
	return p.Top
}

// Chart returns the chart of the outcomes: what each costs, and what was staked on it.
func (p *exposurePage) Chart(v *kit.View) *kit.Bars {
	top := p.Shown()
	chart := &kit.Bars{Caption: v.T("exposure.chart", len(top), p.Outcomes), Series: []string{v.T("label.liability"), v.T("label.stake")}, Rows: make([]kit.Bar, len(top))}
	for i := range top {
		o := &top[i]
		chart.Rows[i] = kit.Bar{
			Name: o.Name, Title: o.Name + ": " + v.Money(o.Liability, p.Currency.Digits) + " " + p.Currency.Code,
			Lengths: []money.Amount{o.Liability, o.Stake},
		}
	}
	return chart.Draw()
}

// show shows the exposure of a draw, or sends all its outcomes as a file.
func (p *pages) show(r *kit.Request) error {
	if !r.WantsFile() {
		return p.exposure.Show(r)
	}
	e, err := p.of(r, allOutcomes)
	if err != nil {
		return err
	}
	kit.SendCSV(r, "exposure", columns(e.Currency), e.Top)
	return nil
}

func (p *pages) of(r *kit.Request, top int) (*exposure.Exposure, error) {
	currency := r.Query("currency")
	if currency == "" {
		currency = "VES"
	}
	return p.Exposure.Of(r.Context(), r.Caller, &exposure.Request{DrawID: r.ID, Currency: currency, Top: top})
}

func (p *pages) load(r *kit.Request) (*exposurePage, error) {
	e, err := p.of(r, exposureTop)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	page := &exposurePage{Exposure: e, Filter: r.Filter(), Blocked: map[string]bool{}, Changes: r.May(auth.RiskWrite)}
	if page.Currencies, err = p.Exposure.Currencies(ctx); err != nil {
		return nil, err
	}
	blocks, _, err := p.Limits.Limits(ctx, r.Caller, &risk.LimitFilter{DrawID: r.ID, Blocks: true, Limit: allOutcomes})
	if err != nil {
		return nil, err
	}
	page.Blocks = blockedElements(blocks)
	for i := range page.Blocks {
		page.Blocked[page.Blocks[i].Element] = true
	}
	r.OfferFile()
	return page, nil
}

// columns are those of the file: amounts with a point.
func columns(currency ledger.Currency) []kit.Column[exposure.Outcome] {
	digits := currency.Digits
	return []kit.Column[exposure.Outcome]{
		{Title: "label.element", Text: func(o *exposure.Outcome) string { return o.Value }},
		{Title: "label.sign", Text: func(o *exposure.Outcome) string { return o.Sign }},
		{Title: "label.name", Text: func(o *exposure.Outcome) string { return o.Name }},
		{Title: "label.stake", Text: func(o *exposure.Outcome) string { return o.Stake.Format(digits) }},
		{Title: "label.share", Text: func(o *exposure.Outcome) string { return money.Amount(o.Share).Format(2) }},
		{Title: "label.liability", Text: func(o *exposure.Outcome) string { return o.Liability.Format(digits) }},
		{Title: "label.announced", Text: func(o *exposure.Outcome) string { return o.Announced.Format(digits) }},
		{Title: "label.house", Text: func(o *exposure.Outcome) string { return o.Result.Format(digits) }},
		{Title: "label.currency", Text: func(*exposure.Outcome) string { return currency.Code }},
	}
}

func (p *pages) block(r *kit.Request) error {
	_, err := p.Limits.Block(r.Context(), r.Caller, &risk.BlockRequest{DrawID: r.ID, Element: r.Form("element"), Reason: r.Form("reason")})
	return p.exposure.Submit(r, err, "element.blocked")
}

func (p *pages) unblock(r *kit.Request) error {
	var err error
	for _, text := range r.Forms("block") {
		block, _ := uuid.Parse(text) // an invalid id names no block
		if _, failed := p.Limits.Unblock(r.Context(), r.Caller, block); failed != nil {
			err = failed
		}
	}
	return p.exposure.Submit(r, err, "element.unblocked")
}
