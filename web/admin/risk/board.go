package risk

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
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

	address string
	news    bool   // the order is not the one that the browser shows
	order   string // names the draws in their order
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

// orderParam names the order that the browser shows.
const orderParam = "order"

// board shows the board. A script asks for its changes.
func (p *pages) board(r *kit.Request) error {
	page, err := p.loadBoard(r)
	switch {
	case err != nil:
		return err
	case r.WantsFile():
		return kit.SendFile(r, "risk", page.columns(), kit.OnePage(page.Rows))
	case r.Scripted():
		page.news = r.Query(orderParam) != page.order
		return r.Part("risk", "risk-cells", page)
	}
	r.OfferFile()
	return r.Render("risk", page)
}

func (p *pages) loadBoard(r *kit.Request) (*boardPage, error) {
	ctx, page := r.Context(), &boardPage{address: r.SharedAddress(), Limits: r.MayOpen(limitsPath)}
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
	board, err := p.Exposure.Board(ctx, r.Caller, page.Currency.Code, asked)
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
	order := fnv.New64a()
	for i := range p.Rows {
		id := p.Rows[i].ID
		_, _ = order.Write(id[:])
	}
	p.order = strconv.FormatUint(order.Sum64(), 36)
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

// Version changes with the content of the row.
func (b *boardRow) Version() string {
	version := fmt.Sprint(b.Sales, b.Tickets, b.Due(), b.Kept, b.SaleStopAt.Unix())
	if b.Used != nil {
		version += fmt.Sprint(" ", b.Used.Share())
	}
	return version
}

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

// Live is the line that keeps the board current. It says when the order has changed.
func (p *boardPage) Live(v *kit.View) *kit.Live {
	joint := "?"
	if p.address != path {
		joint = "&"
	}
	live := v.Live("risk-live", p.address+joint+orderParam+"="+p.order).WithCells()
	if p.news {
		return live.WithNews(1, v.T("risk.moved"), p.address)
	}
	return live
}

// OpenText is the number of draws on sale.
func (p *boardPage) OpenText(v *kit.View) string { return v.N("risk.open", int64(len(p.Rows))) }

// Unit is the symbol of the currency.
func (p *boardPage) Unit() string { return cmp.Or(p.Currency.Symbol, p.Currency.Code) }

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

// chooseCurrency returns the currency of the address, or the first one, and the active currencies as links.
func (p *pages) chooseCurrency(r *kit.Request) (ledger.Currency, []kit.Choice, error) {
	all, err := p.Exposure.Currencies(r.Context())
	if err != nil {
		return ledger.Currency{}, nil, err
	}
	active := slices.DeleteFunc(slices.Clone(all), func(c ledger.Currency) bool { return c.Status != models.StatusActive })
	slices.SortStableFunc(active, func(a, b ledger.Currency) int { return cmp.Compare(rankOf(b.Code), rankOf(a.Code)) })
	options := make([]kit.Option, len(active))
	for i := range active {
		options[i] = kit.Option{Value: active[i].Code, Text: cmp.Or(active[i].Symbol, active[i].Code)}
	}
	chosen, links := r.Choose("currency", options)
	at := slices.IndexFunc(active, func(c ledger.Currency) bool { return c.Code == chosen })
	if at < 0 {
		return ledger.Currency{}, nil, ledger.ErrCurrencyNotFound
	}
	return active[at], links, nil
}

// rankOf orders the first currency before the others.
func rankOf(code string) int {
	if code == "VES" {
		return 1
	}
	return 0
}

// below returns the caller as a user of an entity in its scope would see it.
func below(by caller.Caller, scope caller.Scope) caller.Caller {
	by.Scope = scope
	return by
}

// mayChange reports whether the caller changes limits.
func mayChange(r *kit.Request) bool { return r.May(auth.RiskWrite) }
