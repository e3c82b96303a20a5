package closes

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/closes"
	"banca/internal/platform/caller"
	"banca/internal/platform/months"
)

func (o *operations) registerBalance() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-daily-balance", Method: http.MethodGet, Path: "/sales/balance/daily", Tags: []string{"Closes"},
		Summary:     "Compare tickets, bookings, wallets, payments and closes of a day",
		Description: "Of an entity and those below it, in one snapshot. Each difference names its rows.",
	}, kit.Can(auth.ClosesRead), o.balance, closes.ErrEntityNotFound, closes.ErrFuture, months.ErrPeriodArchived)
}

type balanceInput struct {
	EntityID string `query:"entityId" format:"uuid" doc:"the caller's own entity when left out"`
	Date     string `query:"date" format:"date" doc:"the business day; today when left out"`
}

type dailyBalance struct {
	EntityID    uuid.UUID           `json:"entityId"`
	Date        string              `json:"date" format:"date"`
	At          time.Time           `json:"at" doc:"when the records were read"`
	Balanced    bool                `json:"balanced" doc:"there is no difference"`
	Checks      []balanceCheck      `json:"checks" nullable:"false"`
	Differences []balanceDifference `json:"differences" nullable:"false" doc:"at most 200; checks has the numbers of all"`
}

type balanceCheck struct {
	Check       string `json:"check" enum:"tickets,bookings,prizes,payments,wallets,closes"`
	Differences int    `json:"differences"`
}

type balanceDifference struct {
	Check      string       `json:"check" enum:"tickets,bookings,prizes,payments,wallets,closes"`
	EntityID   uuid.UUID    `json:"entityId"`
	CurrencyID uuid.UUID    `json:"currency_id"`
	Currency   string       `json:"currency" example:"VES"`
	Expected   kit.Decimal  `json:"expected"`
	Found      kit.Decimal  `json:"found"`
	Rows       []balanceRow `json:"rows" nullable:"false"`
}

type balanceRow struct {
	Table string    `json:"table" example:"tickets"`
	ID    uuid.UUID `json:"id"`
}

func (o *operations) balance(ctx context.Context, by caller.Caller, in *balanceInput) (*kit.Data[dailyBalance], error) {
	b, err := o.closes.Balance(ctx, by, kit.ID(in.EntityID), kit.Day(in.Date))
	if err != nil {
		return nil, err
	}
	body := dailyBalance{
		EntityID: b.EntityID, Date: b.Day.String(), At: b.At, Balanced: len(b.Differences) == 0,
		Checks:      kit.Map(b.Checks, func(c closes.Check) balanceCheck { return balanceCheck{Check: c.Name, Differences: c.Differences} }),
		Differences: kit.Map(b.Differences, differenceBody),
	}
	return kit.DataOf(body), nil
}

func differenceBody(d closes.Difference) balanceDifference {
	return balanceDifference{
		Check: d.Check, EntityID: d.EntityID, CurrencyID: d.Currency.ID, Currency: d.Currency.Code,
		Expected: kit.DecimalOf(d.Expected, d.Currency.Digits), Found: kit.DecimalOf(d.Found, d.Currency.Digits),
		Rows: kit.Map(d.Rows, func(r closes.Row) balanceRow { return balanceRow{Table: r.Table, ID: r.ID} }),
	}
}
