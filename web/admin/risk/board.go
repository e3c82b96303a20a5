package risk

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/caller"
	"banca/internal/catalog"
	"banca/internal/exposure"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/risk"
	"banca/models"
	"banca/web/admin/currency"
	"banca/web/kit"
)

// maxOpen bounds the draws on sale that are shown.
const maxOpen = 2000

// boardPage has the draws on sale, the one with the greatest loss first.
type boardPage struct {
	Currency   ledger.Currency
	Currencies []kit.Choice
	Rows       []boardRow
	AsOf       time.Time // of the commissions
	Limits     bool      // the user may open the limits
}

// boardRow is a draw on sale.
type boardRow struct {
	*catalog.Draw
	exposure.DrawRisk

	Game string
	Kept money.Amount // sales less commissions
	Used *risk.Usage  // of the tightest limit; nil without one

	UsedName string // of its selection
}

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
	ctx, page := r.Context(), &boardPage{Limits: r.MayOpen(limitsPath)}
	var err error
	if page.Currency, page.Currencies, err = p.chooseCurrency(r); err != nil {
		return nil, err
	}
	open, _, err := p.Catalog.Draws(ctx, catalog.DrawFilter{Status: models.DrawOpen, Limit: maxOpen})
	if err != nil {
		return nil, err
	}
	asked, ids := make([]exposure.DrawOf, len(open)), make([]uuid.UUID, len(open))
	for i, draw := range open {
		asked[i], ids[i] = exposure.DrawOf{DrawID: draw.ID, GameID: draw.GameID}, draw.ID
	}
	board, err := p.Exposure.RecentBoard(ctx, r.Caller, page.Currency.Code, asked)
	if err != nil {
		return nil, err
	}
	fees, asOf, err := p.commissions(r, page.Currency.Code, ids)
	if err != nil {
		return nil, err
	}
	page.AsOf = asOf
	sold, err := p.salesOf(r, open, board)
	if err != nil {
		return nil, err
	}
	tightest, err := p.Limits.Tightest(ctx, r.Caller, page.Currency.ID, sold)
	if err != nil {
		return nil, err
	}
	for _, draw := range open {
		game, err := p.Catalog.Game(ctx, draw.GameID) // kept in memory
		if err != nil {
			return nil, err
		}
		row := boardRow{Draw: draw, Game: game.Name}
		if found := board.ByDraw[draw.ID]; found != nil {
			row.DrawRisk = *found
		}
		row.Kept = row.Sales - fees[draw.ID]
		if used, limited := tightest[draw.ID]; limited {
			row.Used, row.UsedName = &used, game.NameOf(used.Selection)
		}
		page.Rows = append(page.Rows, row)
	}
	page.sort()
	return page, nil
}

// commissions returns the commissions on draws, for users who may read reports.
func (p *pages) commissions(r *kit.Request, currency string, draws []uuid.UUID) (fees map[uuid.UUID]money.Amount, asOf time.Time, err error) {
	if !r.May(auth.ReportsRead) {
		return nil, time.Time{}, nil
	}
	totals, err := p.Reports.Draws(r.Context(), r.Caller, currency, draws)
	if err != nil {
		return nil, time.Time{}, err
	}
	fees = make(map[uuid.UUID]money.Amount, len(totals.ByDraw))
	for draw, f := range totals.ByDraw {
		fees[draw] = f.Commission.Total()
	}
	return fees, totals.AsOf, nil
}

// salesOf returns what was sold on draws as limits count it.
func (p *pages) salesOf(r *kit.Request, draws []*catalog.Draw, board *exposure.Board) ([]risk.DrawSales, error) {
	var list []risk.DrawSales
	for _, draw := range draws {
		found := board.ByDraw[draw.ID]
		if found == nil {
			continue
		}
		game, err := p.Catalog.Game(r.Context(), draw.GameID)
		if err != nil {
			return nil, err
		}
		sold := risk.DrawSales{DrawID: draw.ID, GameID: game.ID, CategoryID: game.CategoryID, Total: found.Sales, Selections: make([]risk.SelectionSales, len(found.Selections))}
		for i, s := range found.Selections {
			sold.Selections[i] = risk.SelectionSales(s)
		}
		list = append(list, sold)
	}
	return list, nil
}

// sort puts the greatest loss first, and draws without sales last, by their time.
func (p *boardPage) sort() {
	slices.SortStableFunc(p.Rows, func(a, b boardRow) int {
		return cmp.Or(cmp.Compare(a.House(), b.House()), cmp.Compare(b.Sales, a.Sales), a.Time.Compare(b.Time))
	})
}

// Due is what the dearest outcome costs.
func (b *boardRow) Due() money.Amount {
	if b.Worst == nil {
		return 0
	}
	return b.Worst.Liability
}

// House is what is left if the dearest outcome is drawn, after commissions.
func (b *boardRow) House() money.Amount { return b.Kept - b.Due() }

// Meter is the used part of the tightest limit.
func (b *boardRow) Meter(v *kit.View) *kit.Meter {
	if b.Used == nil {
		return nil
	}
	const whole = 100
	percent := int64(b.Used.Share()) / whole
	if percent == 0 && b.Used.Sold > 0 {
		return &kit.Meter{Label: v.T("risk.little", b.UsedName)}
	}
	return &kit.Meter{Percent: min(percent, whole), Label: v.T("risk.used", percent, b.UsedName)}
}

// OpenText is the number of draws on sale.
func (p *boardPage) OpenText(v *kit.View) string { return v.N("risk.open", int64(len(p.Rows))) }

func (p *boardPage) columns() []kit.Column[boardRow] {
	amount := func(title string, of func(b *boardRow) money.Amount) kit.Column[boardRow] {
		return kit.AmountColumn(title, func(b *boardRow) (money.Amount, int) { return of(b), p.Currency.Digits })
	}
	return []kit.Column[boardRow]{
		kit.TextColumn("label.game", func(b *boardRow) string { return b.Game }),
		kit.TextColumn("label.draw", func(b *boardRow) string { return b.Number }),
		kit.TimeColumn("label.time", func(b *boardRow) time.Time { return b.Time }),
		amount("risk.sold", func(b *boardRow) money.Amount { return b.Sales }),
		kit.CountColumn("draw.tickets", func(b *boardRow) int { return int(b.Tickets) }),
		kit.TextColumn("exposure.outcome", func(b *boardRow) string {
			if b.Worst == nil {
				return ""
			}
			return b.Worst.Name
		}),
		amount("risk.worst", func(b *boardRow) money.Amount { return b.Due() }),
		amount("risk.house", func(b *boardRow) money.Amount { return b.House() }),
		kit.TextColumn("label.currency", func(*boardRow) string { return p.Currency.Code }),
	}
}

// chooseCurrency returns the chosen currency, and the active ones as links.
func (p *pages) chooseCurrency(r *kit.Request) (chosen ledger.Currency, links []kit.Choice, err error) {
	chosen, links, err = currency.Choose(r, p.Exposure)
	if err == nil && links == nil {
		err = ledger.ErrCurrencyNotFound
	}
	return chosen, links, err
}

// below returns the caller as a user of an entity in its scope would see it.
func below(by caller.Caller, scope caller.Scope) caller.Caller {
	by.Scope = scope
	return by
}

// mayChange reports whether the caller changes limits.
func mayChange(r *kit.Request) bool { return r.May(auth.RiskWrite) }
