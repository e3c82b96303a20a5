package draws

import (
	"context"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/draws"
)

// difference is the effect of a correction on a settled draw.
type difference struct {
	Currencies []currencyDifference `json:"currencies" nullable:"false"`
}

type currencyDifference struct {
	CurrencyID       uuid.UUID   `json:"currency_id"`
	Currency         string      `json:"currency" doc:"code" example:"VES"`
	Lowered          int         `json:"lowered_tickets" doc:"tickets that win less on the draw, nothing mostly"`
	Raised           int         `json:"raised_tickets"`
	WinnersBefore    int         `json:"winners_before" doc:"tickets that win on the draw"`
	WinnersAfter     int         `json:"winners_after"`
	Before           kit.Decimal `json:"prizes_before" doc:"of the lines that win on the draw, and of the bets over several draws that the correction changes"`
	After            kit.Decimal `json:"prizes_after"`
	UndecidedTickets int         `json:"undecided_tickets" doc:"of winners_after: they wait for other draws"`
	Undecided        kit.Decimal `json:"prizes_undecided" doc:"of prizes_after"`
	OverpaidTickets  int         `json:"overpaid_tickets"`
	Overpaid         kit.Decimal `json:"overpaid" doc:"paid already, and not due any more"`
	UnderpaidTickets int         `json:"underpaid_tickets"`
	Underpaid        kit.Decimal `json:"underpaid"`
}

// decidedBody shows a result and a difference, either of which may be missing.
func (o *operations) decidedBody(ctx context.Context, r *draws.Result, d *draws.Difference) (*kit.Data[decided], error) {
	body := decided{}
	if r != nil {
		shown := resultBody(r)
		body.Result = &shown
	}
	if d == nil {
		return kit.DataOf(body), nil
	}
	body.Difference = &difference{Currencies: []currencyDifference{}}
	for i := range d.Currencies {
		c := &d.Currencies[i]
		currency, err := o.books.AnyCurrency(ctx, c.CurrencyID.String())
		if err != nil {
			return nil, err
		}
		body.Difference.Currencies = append(body.Difference.Currencies, currencyDifference{
			CurrencyID: c.CurrencyID, Currency: currency.Code, Lowered: c.Lowered, Raised: c.Raised,
			Before: kit.DecimalOf(c.Before, currency.Digits), After: kit.DecimalOf(c.After, currency.Digits),
			WinnersBefore: c.WinnersBefore, WinnersAfter: c.WinnersAfter, UndecidedTickets: c.UndecidedTickets, Undecided: kit.DecimalOf(c.Undecided, currency.Digits),
			OverpaidTickets: c.OverpaidTickets, Overpaid: kit.DecimalOf(c.Overpaid, currency.Digits),
			UnderpaidTickets: c.UnderpaidTickets, Underpaid: kit.DecimalOf(c.Underpaid, currency.Digits),
		})
	}
	return kit.DataOf(body), nil
}
