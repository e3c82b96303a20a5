package ledger

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
)

func (o *operations) registerCurrencies() {
	tags := []string{"Money"}
	read, write := kit.Can(auth.WalletsRead), kit.Can(auth.CurrenciesWrite).Operator().Sensitive()
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-currencies", Method: http.MethodGet, Path: "/currencies", Tags: tags, Summary: "Currencies",
	}, read, o.listCurrencies)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-currency", Method: http.MethodGet, Path: "/currencies/{id}", Tags: tags,
		Summary: "A currency by its id or its code",
	}, read, o.getCurrency, ledger.ErrCurrencyUnknown)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-currency", Method: http.MethodPost, Path: "/currencies", Tags: tags,
		Summary: "Add a currency",
	}, write, o.createCurrency, ledger.ErrCurrencyInvalid, ledger.ErrCurrencyExists)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-currency", Method: http.MethodPut, Path: "/currencies/{id}", Tags: tags,
		Summary:     "Change a currency",
		Description: "Code and digits of a used currency stay. Other processes use the earlier fields for up to 30 seconds.",
	}, write, o.updateCurrency,
		ledger.ErrCurrencyInvalid, ledger.ErrCurrencyExists, ledger.ErrCurrencyUnknown, ledger.ErrCurrencyUsed)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-currency", Method: http.MethodDelete, Path: "/currencies/{id}", Tags: tags,
		Summary: "Delete a currency that nothing uses",
	}, write, o.deleteCurrency, ledger.ErrCurrencyUnknown, ledger.ErrCurrencyUsed)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-rates", Method: http.MethodGet, Path: "/currencies/{id}/rates", Tags: tags,
		Summary: "Daily exchange rates of a currency, newest first",
	}, read, o.listRates, ledger.ErrCurrencyUnknown, ledger.ErrCurrencyNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-rate", Method: http.MethodPut, Path: "/currencies/{id}/rates/{date}", Tags: tags,
		Summary:     "Set the exchange rate of a day",
		Description: "One unit of the currency is `rate` units of the one named in the body. Rates show equivalents only; nothing is converted.",
	}, write, o.setRate,
		ledger.ErrCurrencyUnknown, ledger.ErrCurrencyNotFound, ledger.ErrRateInvalid, ledger.ErrRateFixed)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-rate", Method: http.MethodDelete, Path: "/currencies/{id}/rates/{date}", Tags: tags,
		Summary: "Delete the exchange rate of a day",
	}, write, o.deleteRate,
		ledger.ErrCurrencyUnknown, ledger.ErrCurrencyNotFound, ledger.ErrRateInvalid, ledger.ErrRateUnknown)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-rate-fetches", Method: http.MethodGet, Path: "/currencies/{id}/fetches", Tags: tags,
		Summary:     "What came of fetching the exchange rates of a currency, newest first",
		Description: "The source of rates is asked twice a day. A refused rate is not stored; `reason` says why. Fetches are kept for 90 days.",
	}, kit.Can(auth.CurrenciesWrite).Operator(), o.listFetches, ledger.ErrCurrencyUnknown)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "fetch-rates", Method: http.MethodPost, Path: "/currencies/{id}/fetch", Tags: tags,
		Summary:     "Fetch the exchange rates of today now",
		Description: "Enqueues the task that fetches the rates of all configured pairs. What comes of it is listed by `GET /currencies/{id}/fetches`. A typed rate is not replaced.",
	}, kit.Can(auth.CurrenciesWrite).Operator(), o.fetchRates, ledger.ErrCurrencyUnknown, ledger.ErrNoRateSource)
}

type currency struct {
	ID     uuid.UUID `json:"id"`
	Code   string    `json:"code" example:"VES"`
	Name   string    `json:"name"`
	Symbol string    `json:"symbol"`
	Digits int       `json:"digits" doc:"digits after the point"`
	Status string    `json:"status" enum:"active,inactive"`
}

func currencyBody(c ledger.Currency) currency { return currency(c) }

type currenciesInput struct {
	kit.PageParams

	Code string `query:"code" maxLength:"3" doc:"only the currency with this code"`
}

func (o *operations) listCurrencies(
	ctx context.Context, _ caller.Caller, in *currenciesInput,
) (*kit.List[currency], error) {
	all, err := o.books.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	if in.Code != "" {
		var found []ledger.Currency
		for _, c := range all {
			if c.Code == in.Code {
				found = append(found, c)
			}
		}
		all = found
	}
	return kit.ListOf(kit.Map(kit.PageOf(all, &in.PageParams), currencyBody), &in.PageParams, int64(len(all))), nil
}

type currencyKey struct {
	ID string `path:"id" maxLength:"36" doc:"id or code" example:"VES"`
}

func (o *operations) getCurrency(ctx context.Context, _ caller.Caller, in *currencyKey) (*kit.Data[currency], error) {
	return kit.DataFromValue(currencyBody)(o.books.FindCurrency(ctx, in.ID))
}

// CurrencyFields is the body that creates or changes a currency.
type CurrencyFields struct {
	Code   string `json:"code" minLength:"3" maxLength:"3" example:"EUR"`
	Name   string `json:"name" minLength:"1" maxLength:"60"`
	Symbol string `json:"symbol,omitempty" maxLength:"8"`
	Digits int    `json:"digits" minimum:"0" maximum:"4"`
	Status string `json:"status,omitempty" enum:"active,inactive" default:"active"`
}

func (f *CurrencyFields) fields() ledger.CurrencyFields { return ledger.CurrencyFields(*f) }

func (o *operations) createCurrency(
	ctx context.Context, _ caller.Caller, in *struct{ Body CurrencyFields },
) (*kit.Created[currency], error) {
	c, err := o.books.CreateCurrency(ctx, in.Body.fields())
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(currencyBody(c), o.BasePath+"/currencies/"+c.ID.String()), nil
}

type updateCurrencyInput struct {
	kit.ByID

	Body CurrencyFields
}

func (o *operations) updateCurrency(
	ctx context.Context, _ caller.Caller, in *updateCurrencyInput,
) (*kit.Data[currency], error) {
	return kit.DataFromValue(currencyBody)(o.books.UpdateCurrency(ctx, in.ID, in.Body.fields()))
}

func (o *operations) deleteCurrency(
	ctx context.Context, _ caller.Caller, in *kit.ByID,
) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.books.DeleteCurrency(ctx, in.ID))
}

type rate struct {
	Base      string     `json:"base" example:"USD"`
	Quote     string     `json:"quote" example:"VES"`
	Date      string     `json:"date" format:"date" doc:"business day"`
	Rate      string     `json:"rate" example:"245.6648" doc:"units of quote for one of base"`
	Source    string     `json:"source" enum:"typed,fetched"`
	UserID    *uuid.UUID `json:"user_id" doc:"who typed it"`
	UpdatedAt time.Time  `json:"updated_at"`
}

func rateBody(x ledger.ExchangeRate) rate {
	return rate{
		Base: x.Base.Code, Quote: x.Quote.Code, Date: x.Day.String(), Rate: x.Rate.String(), Source: x.Source,
		UserID: kit.Optional(x.UserID), UpdatedAt: x.UpdatedAt,
	}
}

type ratesInput struct {
	kit.ByID
	kit.PageParams

	Currency string `query:"currency" maxLength:"36" doc:"code or id of the other currency"`
	From     string `query:"from" format:"date"`
	To       string `query:"to" format:"date"`
}

func (o *operations) listRates(ctx context.Context, _ caller.Caller, in *ratesInput) (*kit.List[rate], error) {
	rates, total, err := o.books.Rates(ctx, &ledger.RateFilter{
		CurrencyID: in.ID, Other: in.Currency, From: kit.Day(in.From), To: kit.Day(in.To), Limit: in.PageSize,
		Offset: in.Offset(),
	})
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(rates, rateBody), &in.PageParams, total), nil
}

// RateParams names a currency and a day.
type RateParams struct {
	kit.ByID

	Date string `path:"date" format:"date" example:"2026-11-23" doc:"business day"`
}

func (p *RateParams) day() businessday.Day { return kit.Day(p.Date) }

type setRateInput struct {
	RateParams

	Body struct {
		Currency string `json:"currency" maxLength:"36" example:"VES" doc:"code or id of the currency that the rate is in"`
		Rate     string `json:"rate" maxLength:"20" example:"245.6648" doc:"a decimal as text"`
	}
}

func (o *operations) setRate(ctx context.Context, by caller.Caller, in *setRateInput) (*kit.Data[rate], error) {
	x, err := o.books.SetRate(
		ctx, by, &ledger.RateRequest{BaseID: in.ID, Quote: in.Body.Currency, Day: in.day(), Rate: in.Body.Rate},
	)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(rateBody(x)), nil
}

type deleteRateInput struct {
	RateParams

	Currency string `query:"currency" required:"true" maxLength:"36" doc:"code or id of the currency that the rate is in"`
}

func (o *operations) deleteRate(
	ctx context.Context, _ caller.Caller, in *deleteRateInput,
) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(
		in.ID.String(), o.books.DeleteRate(ctx, &ledger.RateRequest{BaseID: in.ID, Quote: in.Currency, Day: in.day()}),
	)
}

type rateFetch struct {
	FetchedAt time.Time `json:"fetched_at"`
	Source    string    `json:"source" doc:"host of the source"`
	Base      string    `json:"base" example:"USD"`
	Quote     string    `json:"quote" example:"VES"`
	Date      *string   `json:"date" format:"date" doc:"business day that the source names; null without an answer"`
	Rate      *string   `json:"rate" example:"245.6648" doc:"null without a rate"`
	Outcome   string    `json:"outcome" enum:"saved,unchanged,typed,refused,failed" doc:"typed: a person typed the rate of the day, which stays; refused: the answer cannot be used; failed: there was no answer"`
	Reason    string    `json:"reason" enum:"unavailable,source,document,missing,invalid,day,jump,opposite,currency," doc:"why it was refused or failed; empty otherwise"`
}

func fetchBody(f ledger.RateFetch) rateFetch {
	b := rateFetch{
		FetchedAt: f.At, Source: f.Source, Base: f.Pair.Base, Quote: f.Pair.Quote, Outcome: f.Outcome, Reason: f.Reason,
	}
	if !f.Day.IsZero() {
		b.Date = kit.Optional(f.Day.String())
	}
	if f.Rate != 0 {
		b.Rate = kit.Optional(f.Rate.String())
	}
	return b
}

type fetchesInput struct {
	kit.ByID
	kit.PageParams
}

func (o *operations) listFetches(ctx context.Context, _ caller.Caller, in *fetchesInput) (*kit.List[rateFetch], error) {
	return kit.ListFrom(fetchBody, &in.PageParams)(o.books.RateFetches(ctx, in.ID, in.PageSize, in.Offset()))
}

type fetchRequested struct {
	Requested bool `json:"requested"`
}

func (o *operations) fetchRates(ctx context.Context, _ caller.Caller, in *kit.ByID) (*kit.Data[fetchRequested], error) {
	if _, err := o.books.CurrencyByID(ctx, in.ID); err != nil {
		return nil, err
	}
	if err := o.books.RequestRates(ctx); err != nil {
		return nil, err
	}
	return kit.DataOf(fetchRequested{Requested: true}), nil
}
