package risk

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
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
	Rows       []boardRow
	Limits     bool // the user may open the limits
	Quiet      int  // draws without sales that close later than soon, which are left out
	Open       int
	all        url.Values // of the address of the board with all draws
}

// allParam is the parameter of the address that shows the draws without sales that close later than soon, too.
const (
	allParam = "all"
	soon     = time.Hour
)

// boardRow is a draw on sale.
type boardRow struct{ *openrisk.Draw }

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
	page.Currencies, page.all = currencies, r.URL().Query()
	page.all.Set(allParam, "1")
	if page.Draws, err = p.open().Read(r, chosen); err != nil {
		return nil, err
	}
	game, err := tabs.GameField(r, p.Catalog)
	if err != nil {
		return nil, err
	}
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{game, kit.HiddenField(tabs.Date), kit.HiddenField(currency.Param), kit.HiddenField(allParam)}})
	chosenGame := r.QueryID(tabs.Game)
	for i := range page.List {
		if draw := &page.List[i]; chosenGame == uuid.Nil || draw.GameID == chosenGame {
			page.Rows = append(page.Rows, boardRow{draw})
		}
	}
	page.sort()
	page.Open = len(page.Rows)
	if r.Query(allParam) == "" && !r.WantsFile() {
		page.Rows = slices.DeleteFunc(page.Rows, func(b boardRow) bool { return b.Tickets == 0 && b.SaleStopAt.Sub(r.Now()) > soon })
		page.Quiet = page.Open - len(page.Rows)
	}
	return page, nil
}

// AllLink returns the address of the board with all draws.
func (p *boardPage) AllLink() string { return path + "?" + p.all.Encode() }

// open reads the draws on sale.
func (p *pages) open() *openrisk.Reader {
	return &openrisk.Reader{Services: p.Services}
}

// sort puts the greatest loss first, and draws without sales last, by their time.
func (p *boardPage) sort() {
	slices.SortStableFunc(p.Rows, func(a, b boardRow) int {
		return cmp.Or(cmp.Compare(a.House(), b.House()), cmp.Compare(b.Sales, a.Sales), a.Time.Compare(b.Time))
	})
}

// Meter is the used part of the tightest limit, or of a limit that is spent unless the tightest one is an alarm.
func (b *boardRow) Meter(v *kit.View) *kit.Meter {
	switch {
	case len(b.Spent) > 0 && (b.Used == nil || b.Used.Percent() < openrisk.AlarmShare):
		return b.Spent[0].Meter(v)
	case b.Used == nil:
		return nil
	default:
		return b.Used.Meter(v)
	}
}

func (p *boardPage) columns() []kit.Column[boardRow] {
	amount := kit.AmountsOf(func(*boardRow) int { return p.Currency.Digits })
	return []kit.Column[boardRow]{
		kit.TextColumn("label.game", func(b *boardRow) string { return b.Game }),
		kit.TextColumn("label.draw", func(b *boardRow) string { return b.Number }),
		kit.TimeColumn("label.time", func(b *boardRow) time.Time { return b.Time }),
		amount("risk.sold", func(b *boardRow) money.Amount { return b.Sales }),
		kit.CountColumn("draw.tickets", func(b *boardRow) int64 { return b.Tickets }),
		kit.TextColumn("exposure.outcome", func(b *boardRow) string {
			if b.Worst == nil {
				return ""
			}
			return b.Worst.Name
		}),
		amount("risk.worst.plain", func(b *boardRow) money.Amount { return b.Due() }),
		amount("risk.house", func(b *boardRow) money.Amount { return b.House() }),
		kit.TextColumn("label.currency", func(*boardRow) string { return p.Currency.Code }),
	}
}

// mayChange reports whether the caller changes limits.
func mayChange(r *kit.Request) bool { return r.May(auth.RiskWrite) }
