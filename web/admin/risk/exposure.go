// Package risk has the pages of the exposure of draws, with the blocks of their elements.
package risk

import (
	"embed"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/businessday"
	"banca/internal/catalog"
	"banca/internal/exposure"
	"banca/internal/money"
	"banca/internal/risk"
	"banca/web/kit"
)

const (
	path = "/admin/exposure"

	exposureTop = 20 // outcomes on a page
	allOutcomes = exposure.MaxTop
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

	draws    kit.List[drawChoice, struct{}]
	exposure kit.Page[exposurePage]
}

// Area returns the pages of exposure.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	p.draws = kit.List[drawChoice, struct{}]{
		Template: "exposures", Columns: drawColumns(), Link: drawAddress, Empty: "exposure.none", Rows: p.drawRows, Filter: drawFilter,
	}
	p.exposure = kit.Page[exposurePage]{Template: "exposure", Load: p.load}
	read, write := kit.Can(auth.RiskRead), kit.Can(auth.RiskWrite).Sensitive()
	return kit.Area{Templates: templates, Routes: []kit.Route{
		kit.Get(path, read, p.draws.Show).Menu("nav.draws", "exposure.title"),
		kit.Get(path+"/:id", read, p.show),
		kit.Action(path+"/:id", "/block", write, p.block),
		kit.Action(path+"/:id", "/unblock", write, p.unblock),
	}}
}

// drawChoice is a draw to choose.
type drawChoice struct {
	*catalog.Draw

	Game string
}

// dayOf returns the day in the address; an invalid one means today.
func dayOf(r *kit.Request) businessday.Day {
	if day := r.QueryDay("date"); !day.IsZero() {
		return day
	}
	return r.Today()
}

func (p *pages) drawRows(r *kit.Request, w kit.Window) ([]drawChoice, int64, error) {
	ctx := r.Context()
	draws, total, err := p.Catalog.Draws(ctx, catalog.DrawFilter{Date: dayOf(r), Limit: w.Limit, Offset: w.Offset})
	rows := make([]drawChoice, len(draws))
	for i, d := range draws {
		game, err := p.Catalog.Game(ctx, d.GameID)
		if err != nil {
			return nil, 0, err
		}
		rows[i] = drawChoice{d, game.Name}
	}
	return rows, total, err
}

func drawFilter(r *kit.Request) (*kit.Filter, error) {
	date := kit.DateField("date", "label.date")
	date.Value = dayOf(r).String()
	return &kit.Filter{Fields: []kit.FilterField{date}}, nil
}

func drawAddress(d *drawChoice) string { return path + "/" + d.ID.String() }

func drawColumns() []kit.Column[drawChoice] {
	return []kit.Column[drawChoice]{
		kit.TextColumn("label.draw", func(d *drawChoice) string { return d.Number }),
		kit.TextColumn("label.game", func(d *drawChoice) string { return d.Game }),
		kit.TimeColumn("label.time", func(d *drawChoice) time.Time { return d.Time }),
		kit.StateColumn("draw", func(d *drawChoice) string { return d.Status }),
	}
}

// exposurePage shows the possible cost of a draw.
type exposurePage struct {
	*exposure.Exposure

	Table     kit.Rows // of the outcomes
	BlockRows kit.Rows // nil without blocks
	Changes   bool

	blocked map[string]bool
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
	return kit.SendFile(r, "exposure", (&exposurePage{Exposure: e}).columns(), kit.OnePage(e.Top))
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
	page := &exposurePage{Exposure: e, blocked: map[string]bool{}, Changes: r.May(auth.RiskWrite)}
	if err := p.showCurrencies(r, e.Currency.Code); err != nil {
		return nil, err
	}
	blocks, _, err := p.Limits.Limits(ctx, r.Caller, &risk.LimitFilter{DrawID: r.ID, Blocks: true, Limit: allOutcomes})
	if err != nil {
		return nil, err
	}
	for i := range blocks {
		page.blocked[blocks[i].Element] = true
	}
	if len(blocks) > 0 {
		page.BlockRows = kit.RowsOf(page.blockColumns(), blockedElements(blocks), nil, "")
	}
	page.Table = kit.RowsOf(page.columns(), page.Shown(), nil, "exposure.empty")
	r.OfferFile()
	return page, nil
}

// showCurrencies shows the choice of a currency; one is always chosen.
func (p *pages) showCurrencies(r *kit.Request, chosen string) error {
	currencies, err := p.Exposure.Currencies(r.Context())
	options := make([]kit.Option, len(currencies))
	for i := range currencies {
		options[i] = kit.Option{Value: currencies[i].Code, Text: currencies[i].Code}
	}
	field := kit.SelectField("currency", "label.currency", options)
	field.First, field.Value = "", chosen
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{field}})
	return err
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
