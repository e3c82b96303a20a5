package ledger

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/caller"
	"banca/internal/ledger"
)

func (o *operations) registerMoney() {
	tags := []string{"Money"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-currencies", Method: http.MethodGet, Path: "/currencies", Tags: tags, Summary: "Currencies",
	}, kit.Can(auth.WalletsRead), o.listCurrencies)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-wallets", Method: http.MethodGet, Path: "/wallets", Tags: tags,
		Summary: "Wallets of the caller's entity and of those below it, with exact balances",
	}, kit.Can(auth.WalletsRead), o.listWallets)
}

type currency struct {
	ID     uuid.UUID `json:"id"`
	Code   string    `json:"code" example:"VES"`
	Name   string    `json:"name"`
	Symbol string    `json:"symbol"`
	Digits int       `json:"digits" doc:"digits after the point"`
	Status string    `json:"status" enum:"active,inactive"`
}

type wallet struct {
	ID          uuid.UUID   `json:"id"`
	EntityID    uuid.UUID   `json:"entity_id"`
	CurrencyID  uuid.UUID   `json:"currency_id"`
	Currency    string      `json:"currency" example:"VES"`
	Kind        string      `json:"kind" enum:"main,external,suspense"`
	Status      string      `json:"status" enum:"active,inactive"`
	Balance     kit.Decimal `json:"balance"`
	CreditLimit kit.Decimal `json:"credit_limit" doc:"how far below zero the balance may fall"`
	Unlimited   bool        `json:"unlimited" doc:"whether it may fall without end"`
}

func (o *operations) listCurrencies(ctx context.Context, _ caller.Caller, in *struct{ kit.PageParams }) (*kit.List[currency], error) {
	all, err := o.books.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(kit.PageOf(all, &in.PageParams), currencyBody), &in.PageParams, int64(len(all))), nil
}

func (o *operations) listWallets(ctx context.Context, by caller.Caller, in *struct{ kit.PageParams }) (*kit.List[wallet], error) {
	wallets, total, err := o.books.WalletsInScope(ctx, by, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	byID, err := o.currenciesByID(ctx)
	if err != nil {
		return nil, err
	}
	page := kit.Map(wallets, func(w ledger.Wallet) wallet { return walletBody(&w, byID[w.CurrencyID]) })
	return kit.ListOf(page, &in.PageParams, total), nil
}

// currenciesByID finds the digits of amounts. A wallet may be in a currency that is no longer active.
func (o *operations) currenciesByID(ctx context.Context) (map[uuid.UUID]ledger.Currency, error) {
	all, err := o.books.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]ledger.Currency, len(all))
	for _, c := range all {
		byID[c.ID] = c
	}
	return byID, nil
}

func currencyBody(c ledger.Currency) currency { return currency(c) }

func walletBody(w *ledger.Wallet, c ledger.Currency) wallet {
	return wallet{
		ID: w.ID, EntityID: w.EntityID, CurrencyID: w.CurrencyID, Currency: c.Code, Kind: w.Kind, Status: w.Status,
		Balance: kit.DecimalOf(w.Balance, c.Digits), CreditLimit: kit.DecimalOf(w.CreditLimit, c.Digits), Unlimited: w.Unlimited,
	}
}
