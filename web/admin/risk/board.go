package risk

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/money"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/admin/parts/tabs"
	"banca/web/kit"
)

// boardPage has the draws on sale, the one with the greatest loss first.
type boardPage struct {
	*openrisk.Draws

	Currencies []kit.Choice
	Rows       []openrisk.Draw
	Limits     bool // the user may open the limits
	Quiet      int  // draws that are left out
	Open       int
	AllLink    string       // address of the board with all draws
	Orders     []kit.Choice // of the table: what is left, the worst case, the used limit, the end of the sale
}

const (
	allParam  = "all"     // shows the draws that are left out, too
	sortParam = "sort"    // orders the draws that are shown
	soon      = time.Hour // before the end of the sale, from when on draws without sales are shown
	riskiest  = 20        // draws that are shown without an alarm
)

// board shows the board, or sends its draws as a file.
func (p *pages) board(r *kit.Request) error {
	page, err := p.loadBoard(r)
	if err != nil {
		return err
	}
	if r.WantsFile() {
		return kit.SendFile(r, "risk", page.columns(), kit.OnePage(page.Rows))
	}
	r.OfferFile()
	return r.Render("risk", page)
}

func (p *pages) loadBoard(r *kit.Request) (*boardPage, error) {
	page := &boardPage{Limits: r.MayOpen(limitsPath)}
	chosen, currencies, err := currency.ChooseOne(r, p.Exposure)
	if err != nil {
		return nil, err
	}
	_, all := r.Choose(allParam, []kit.Option{{Value: "1"}})
	order, links := r.Choose(sortParam, append(r.Options("risk.", "house", "worst", "limit"), kit.Option{Value: "closing", Text: r.T("start.closes")}))
	page.Currencies, page.AllLink, page.Orders = currencies, all[0].Link, links
	if page.Draws, err = p.open().Read(r, chosen); err != nil {
		return nil, err
	}
	game, err := tabs.GameField(r, p.Catalog)
	if err != nil {
		return nil, err
	}
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{game, kit.HiddenField(tabs.Date), kit.HiddenField(currency.Param), kit.HiddenField(allParam), kit.HiddenField(sortParam)}})
	page.Rows = page.List
	if of := r.QueryID(tabs.Game); of != uuid.Nil {
		page.Rows = slices.DeleteFunc(page.Rows, func(d openrisk.Draw) bool { return d.GameID != of })
	}
	slices.SortStableFunc(page.Rows, func(a, b openrisk.Draw) int { // the greatest loss first, draws without sales last
		return cmp.Or(cmp.Compare(a.House(), b.House()), cmp.Compare(b.Sales, a.Sales), a.Time.Compare(b.Time))
	})
	page.Open = len(page.Rows)
	if r.Query(allParam) == "" && !r.WantsFile() {
		page.Rows = slices.DeleteFunc(page.Rows, func(d openrisk.Draw) bool { return d.Tickets == 0 && d.SaleStopAt.Sub(r.Now()) > soon })
		last := len(page.Rows)
		for last > riskiest && !page.Rows[last-1].Alarms() {
			last--
		}
		page.Rows = page.Rows[:last]
		page.Quiet = page.Open - len(page.Rows)
	}
	if of := orders(r.View())[order]; of != nil {
		slices.SortStableFunc(page.Rows, func(a, b openrisk.Draw) int { return cmp.Compare(of(&b), of(&a)) })
	}
	return page, nil
}

// orders are the orders of the table besides the amount that is left for the house. Each puts the draw with the greatest value first.
func orders(v *kit.View) map[string]func(d *openrisk.Draw) int64 {
	return map[string]func(d *openrisk.Draw) int64{
		"closing": func(d *openrisk.Draw) int64 { return -d.SaleStopAt.Unix() },
		"worst":   func(d *openrisk.Draw) int64 { return int64(d.Due()) },
		"limit": func(d *openrisk.Draw) int64 {
			if m := d.Meter(v); m != nil {
				return m.Percent
			}
			return -1
		},
	}
}

// Alarms reports whether a draw has an alarm, which is red.
func (p *boardPage) Alarms() bool {
	return slices.ContainsFunc(p.Rows, func(d openrisk.Draw) bool { return d.Alarms() })
}

// open reads the draws on sale.
func (p *pages) open() *openrisk.Reader { return &openrisk.Reader{Services: p.Services} }

func (p *boardPage) columns() []kit.Column[openrisk.Draw] {
	amount := kit.AmountsOf(func(*openrisk.Draw) int { return p.Currency.Digits })
	return []kit.Column[openrisk.Draw]{
		kit.TextColumn("label.game", func(d *openrisk.Draw) string { return d.Game }),
		kit.TextColumn("label.draw", func(d *openrisk.Draw) string { return d.Number }),
		kit.TimeColumn("label.time", func(d *openrisk.Draw) time.Time { return d.Time }),
		amount("risk.sold", func(d *openrisk.Draw) money.Amount { return d.Sales }),
		kit.CountColumn("draw.tickets", func(d *openrisk.Draw) int64 { return d.Tickets }),
		kit.TextColumn("exposure.outcome", (*openrisk.Draw).WorstText),
		amount("risk.worst", (*openrisk.Draw).Due),
		amount("risk.house", (*openrisk.Draw).House),
		kit.TextColumn("label.currency", func(*openrisk.Draw) string { return p.Currency.Code }),
	}
}
