package ledger

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/months"
	"banca/internal/platform/sheet"
	"banca/models"
)

func (o *operations) registerMoney() {
	kit.HandleFile(o.Registry, huma.Operation{
		OperationID: "list-wallets", Method: http.MethodGet, Path: "/wallets", Tags: []string{"Money"},
		Summary: "Wallets of the caller's entity and of those below it, with exact balances, now or at a past instant",
		Description: "With `as_of` the balances at that instant; the other fields are current. With `equivalent` each balance also has its equivalent " +
			"in that currency by the last exchange rate on or before the day; nothing is converted. Asked for one entity in one currency, it opens the main wallet if there is none.",
	}, kit.Can(auth.WalletsRead), o.listWallets, o.walletTable,
		ledger.ErrCurrencyNotFound, ledger.ErrFutureInstant, months.ErrPeriodArchived)
}

type wallet struct {
	ID          uuid.UUID   `json:"id"`
	EntityID    uuid.UUID   `json:"entity_id"`
	EntityName  string      `json:"entity_name"`
	CurrencyID  uuid.UUID   `json:"currency_id"`
	Currency    string      `json:"currency" example:"VES"`
	Kind        string      `json:"kind" enum:"main,external,suspense"`
	Status      string      `json:"status" enum:"active,inactive"`
	Balance     kit.Decimal `json:"balance"`
	CreditLimit kit.Decimal `json:"credit_limit" doc:"how far below zero the balance may fall"`
	Unlimited   bool        `json:"unlimited" doc:"whether it may fall without end"`
	Equivalent  *equivalent `json:"equivalent" doc:"of the balance, where it was asked for and there is a rate; otherwise null"`
}

type equivalent struct {
	Currency string      `json:"currency" example:"USD"`
	Balance  kit.Decimal `json:"balance"`
	Base     string      `json:"base" example:"USD" doc:"currency whose unit the rate prices"`
	Quote    string      `json:"quote" example:"VES" doc:"currency that the rate is in"`
	Rate     string      `json:"rate" example:"245.6648" doc:"units of quote for one of base"`
	Date     string      `json:"date" format:"date" doc:"business day of the rate"`
}

type walletsInput struct {
	kit.PageParams
	kit.FileParams

	EntityID   string    `query:"entityId" format:"uuid" doc:"only this entity"`
	Currency   string    `query:"currency" maxLength:"36" doc:"code or id"`
	Kind       string    `query:"kind" enum:"main,external,suspense"`
	Search     string    `query:"search" maxLength:"60" doc:"in the name or code of the entity"`
	AsOf       time.Time `query:"as_of" doc:"an instant of the past"`
	Equivalent string    `query:"equivalent" maxLength:"36" example:"USD" doc:"code or id of the currency of equivalents"`
}

// asksForMain reports whether the question is one for the current main wallet of one entity in one currency.
func (in *walletsInput) asksForMain() bool {
	return in.EntityID != "" && in.Currency != "" && in.Search == "" && in.AsOf.IsZero() && (in.Kind == "" || in.Kind == models.WalletMain)
}

func (in *walletsInput) filter() *ledger.WalletFilter {
	return &ledger.WalletFilter{
		EntityID: kit.ID(in.EntityID), Currency: in.Currency, Kind: in.Kind, Search: in.Search, AsOf: in.AsOf,
		Limit: in.PageSize, Offset: in.Offset(),
	}
}

// listWallets lists wallets. The wallet of one entity in one currency is opened if there is none, because every
// operation on money takes its id, and a new entity has none before its first sale.
func (o *operations) listWallets(ctx context.Context, by caller.Caller, in *walletsInput) (*kit.List[wallet], error) {
	wallets, total, err := o.books.Wallets(ctx, by, in.filter())
	if err == nil && total == 0 && in.asksForMain() {
		if err = o.books.OpenMain(ctx, by, kit.ID(in.EntityID), in.Currency); err == nil {
			wallets, total, err = o.books.Wallets(ctx, by, in.filter())
		}
		if errors.Is(err, ledger.ErrWalletUnknown) || errors.Is(err, ledger.ErrCurrencyNotFound) { // of another branch, or retired
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	shown, err := o.presenter(ctx, in)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(wallets, func(w ledger.Wallet) wallet { return shown.body(&w) }), &in.PageParams, total), nil
}

// walletRows is how many wallets a file reads at once.
const walletRows = 1_000

// walletTable returns the list as a file.
func (o *operations) walletTable(ctx context.Context, by caller.Caller, in *walletsInput) (*sheet.Table, error) {
	shown, err := o.presenter(ctx, in)
	if err != nil {
		return nil, err
	}
	f := in.filter()
	f.Limit, f.Offset = walletRows, 0
	table := kit.FileTable(
		ctx, "wallets", "", "entity", "currency", "kind", "status", "balance", "credit_limit", "equivalent",
		"equivalent_currency", "rate_date", "wallet",
	)
	table.Rows = sheet.Pages(func() ([]ledger.Wallet, bool, error) {
		rows, total, err := o.books.Wallets(ctx, by, f)
		f.Offset += len(rows)
		return rows, len(rows) > 0 && int64(f.Offset) < total, err
	}, shown.cells)
	return table, nil
}

// presenter writes wallets with the digits of their currencies and their equivalents.
type presenter struct {
	currencies map[uuid.UUID]ledger.Currency
	target     ledger.Currency                   // of equivalents; zero for none
	rates      map[uuid.UUID]ledger.ExchangeRate // to the target, by currency
}

func (o *operations) presenter(ctx context.Context, in *walletsInput) (*presenter, error) {
	all, err := o.books.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	p := &presenter{currencies: make(map[uuid.UUID]ledger.Currency, len(all))}
	for _, c := range all {
		p.currencies[c.ID] = c
	}
	if in.Equivalent == "" {
		return p, nil
	}
	if p.target, err = o.books.AnyCurrency(ctx, in.Equivalent); err != nil {
		return nil, err
	}
	day := businessday.Day{}
	if !in.AsOf.IsZero() {
		day = businessday.Of(in.AsOf, o.Zone)
	}
	p.rates, err = o.books.Equivalents(ctx, p.target, day)
	return p, err
}

// equivalent returns the equivalent of a wallet's balance, and false if there is none.
func (p *presenter) equivalent(w *ledger.Wallet) (ledger.Equivalent, bool) {
	x, ok := p.rates[w.CurrencyID]
	if !ok {
		return ledger.Equivalent{}, false
	}
	amount, ok := x.Convert(w.Balance, w.CurrencyID)
	return ledger.Equivalent{Amount: amount, Rate: x}, ok
}

func (p *presenter) body(w *ledger.Wallet) wallet {
	b := walletBody(w, p.currencies[w.CurrencyID])
	if e, ok := p.equivalent(w); ok {
		b.Equivalent = &equivalent{
			Currency: p.target.Code, Balance: kit.DecimalOf(e.Amount, p.target.Digits), Base: e.Rate.Base.Code,
			Quote: e.Rate.Quote.Code,
			Rate:  e.Rate.Rate.String(), Date: e.Rate.Day.String(),
		}
	}
	return b
}

func (p *presenter) cells(w *ledger.Wallet) []sheet.Cell {
	c := p.currencies[w.CurrencyID]
	cells := []sheet.Cell{
		sheet.Text(w.Entity), sheet.Text(c.Code), sheet.Text(w.Kind), sheet.Text(w.Status),
		sheet.Money(w.Balance, c.Digits), sheet.Money(w.CreditLimit, c.Digits),
		{}, {}, {}, sheet.Text(w.ID.String()),
	}
	if e, ok := p.equivalent(w); ok {
		cells[6], cells[7], cells[8] = sheet.Money(e.Amount, p.target.Digits), sheet.Text(p.target.Code), sheet.Day(e.Rate.Day)
	}
	return cells
}

func walletBody(w *ledger.Wallet, c ledger.Currency) wallet {
	return wallet{
		ID: w.ID, EntityID: w.EntityID, EntityName: w.Entity, CurrencyID: w.CurrencyID, Currency: c.Code, Kind: w.Kind,
		Status:  w.Status,
		Balance: kit.DecimalOf(w.Balance, c.Digits), CreditLimit: kit.DecimalOf(w.CreditLimit, c.Digits),
		Unlimited: w.Unlimited,
	}
}
