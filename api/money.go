package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/ledger"
)

func (a *API) registerMoney() {
	tags := []string{"Money"}
	handle(a, huma.Operation{
		OperationID: "list-currencies", Method: http.MethodGet, Path: "/currencies", Tags: tags, Summary: "Currencies",
	}, Can(auth.WalletsRead), a.listCurrencies)
	handle(a, huma.Operation{
		OperationID: "list-wallets", Method: http.MethodGet, Path: "/wallets", Tags: tags,
		Summary: "Wallets of the caller's entity and of those below it, with exact balances",
	}, Can(auth.WalletsRead), a.listWallets)
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
	ID          uuid.UUID `json:"id"`
	EntityID    uuid.UUID `json:"entity_id"`
	CurrencyID  uuid.UUID `json:"currency_id"`
	Currency    string    `json:"currency" example:"VES"`
	Kind        string    `json:"kind" enum:"main,external,suspense"`
	Status      string    `json:"status" enum:"active,inactive"`
	Balance     Decimal   `json:"balance"`
	CreditLimit Decimal   `json:"credit_limit" doc:"how far below zero the balance may fall"`
	Unlimited   bool      `json:"unlimited" doc:"whether it may fall without end"`
}

func (a *API) listCurrencies(ctx context.Context, in *struct{ PageParams }) (*List[currency], error) {
	all, err := a.deps.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	return list(mapped(pageOf(all, &in.PageParams), currencyBody), &in.PageParams, int64(len(all))), nil
}

func (a *API) listWallets(ctx context.Context, in *struct{ PageParams }) (*List[wallet], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	wallets, total, err := a.deps.Ledger.WalletsInScope(ctx, scope, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	byID, err := a.currenciesByID(ctx)
	if err != nil {
		return nil, err
	}
	page := mapped(wallets, func(w ledger.Wallet) wallet { return walletBody(&w, byID[w.CurrencyID]) })
	return list(page, &in.PageParams, total), nil
}

// currenciesByID finds the digits of amounts. A wallet may be in a currency that is no longer active.
func (a *API) currenciesByID(ctx context.Context) (map[uuid.UUID]ledger.Currency, error) {
	all, err := a.deps.Ledger.Currencies(ctx)
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
		Balance: decimal(w.Balance, c.Digits), CreditLimit: decimal(w.CreditLimit, c.Digits), Unlimited: w.Unlimited,
	}
}
