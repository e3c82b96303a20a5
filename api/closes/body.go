package closes

import (
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/closes"
	"banca/internal/platform/businessday"
)

type dailyClose struct {
	ID              uuid.UUID     `json:"id"`
	EntityID        uuid.UUID     `json:"entityId"`
	EntityName      string        `json:"entity_name"`
	CurrencyID      uuid.UUID     `json:"currency_id"`
	Currency        string        `json:"currency" example:"VES"`
	Day             string        `json:"day" format:"date"`
	Status          string        `json:"status" enum:"open,closed"`
	Sales           kit.Decimal   `json:"sales"`
	Voids           kit.Decimal   `json:"voids" doc:"cancelled sales"`
	Refunds         kit.Decimal   `json:"refunds" doc:"stakes returned because a draw was suspended"`
	Prizes          kit.Decimal   `json:"prizes" doc:"paid, less the payments taken back"`
	Commissions     kit.Decimal   `json:"commissions"`
	Net             kit.Decimal   `json:"net" doc:"sales less voids, refunds, prizes, commissions and participations"`
	Participations  kit.Decimal   `json:"participations" doc:"own shares of weekly settlements that were booked"`
	Deposits        kit.Decimal   `json:"deposits"`
	Withdrawals     kit.Decimal   `json:"withdrawals"`
	Tickets         int64         `json:"tickets" doc:"sold"`
	VoidedTickets   int64         `json:"voided_tickets"`
	RefundedTickets int64         `json:"refunded_tickets"`
	PaidPrizes      int64         `json:"paid_prizes"`
	LateEvents      int64         `json:"late_events" doc:"events of earlier days that no close had: they are adjustments, and in the totals"`
	LateNet         kit.Decimal   `json:"late_net" doc:"their part of net"`
	OpeningCash     kit.Decimal   `json:"opening_cash" doc:"in the drawer before the first event"`
	ExpectedCash    *kit.Decimal  `json:"expected_cash" doc:"null while blind"`
	Blind           bool          `json:"blind" doc:"the ticket point counts blindly (blind_count): to its own users the amounts of an open day are 0 until they have counted"`
	CountedCash     *kit.Decimal  `json:"counted_cash" doc:"null if no cash was counted"`
	Variance        *kit.Decimal  `json:"variance" doc:"counted less expected"`
	Counts          []countBody   `json:"counts" nullable:"false"`
	NotCash         kit.Decimal   `json:"not_cash" doc:"value of the tickets that was paid neither in cash of the currency nor by a credit of the bank, which is among the deposits"`
	Means           []meansBody   `json:"means" nullable:"false" doc:"what tickets were paid with besides cash in the currency, less change and cancelled tickets"`
	Denominations   []kit.Decimal `json:"denominations" nullable:"false" doc:"in which the cash of an open day is counted; none for an entity above ticket points"`
	Note            string        `json:"note"`
	PreviousID      *uuid.UUID    `json:"previous_id" doc:"the close before"`
	OpenedAt        time.Time     `json:"opened_at"`
	OpenedBy        *uuid.UUID    `json:"opened_by" doc:"null for the task"`
	ClosedAt        *time.Time    `json:"closed_at"`
	ClosedBy        *uuid.UUID    `json:"closed_by" doc:"null for the task"`
}

// meansBody is a means of payment in a currency.
type meansBody struct {
	Means    string       `json:"means" enum:"cash,card,mobile"`
	Currency string       `json:"currency" example:"USD"`
	Expected kit.Decimal  `json:"expected"`
	Value    kit.Decimal  `json:"value" doc:"of the expected amount in the currency of the close, at the rates of the sales"`
	Counted  *kit.Decimal `json:"counted" doc:"null if it was not counted"`
	Variance *kit.Decimal `json:"variance" doc:"counted less expected"`
}

func meansBodies(list []closes.Means, digits int) []meansBody {
	return kit.Map(list, func(m closes.Means) meansBody {
		own := m.Currency.Digits
		body := meansBody{Means: m.Means, Currency: m.Currency.Code, Expected: kit.DecimalOf(m.Expected, own), Value: kit.DecimalOf(m.Value, digits)}
		if m.Counted != nil {
			body.Counted, body.Variance = new(kit.DecimalOf(*m.Counted, own)), new(kit.DecimalOf(m.Variance(), own))
		}
		return body
	})
}

type countBody struct {
	Denomination kit.Decimal `json:"denomination"`
	Count        int64       `json:"count"`
}

func closeBody(c closes.Close) dailyClose {
	digits := c.Currency.Digits
	body := dailyClose{
		ID: c.ID, EntityID: c.EntityID, EntityName: c.Entity, CurrencyID: c.Currency.ID, Currency: c.Currency.Code, Day: c.Day.String(), Status: c.Status,
		Sales: kit.DecimalOf(c.Sales, digits), Voids: kit.DecimalOf(c.Voids, digits), Refunds: kit.DecimalOf(c.Refunds, digits), Prizes: kit.DecimalOf(c.Prizes, digits),
		Commissions: kit.DecimalOf(c.Commissions, digits), Net: kit.DecimalOf(c.Net(), digits), Participations: kit.DecimalOf(c.Participations, digits), Deposits: kit.DecimalOf(c.Deposits, digits),
		Withdrawals: kit.DecimalOf(c.Withdrawals, digits), Tickets: c.Tickets, VoidedTickets: c.Voided, RefundedTickets: c.Refunded, PaidPrizes: c.Paid,
		LateEvents: c.LateEvents, LateNet: kit.DecimalOf(c.LateNet, digits), OpeningCash: kit.DecimalOf(c.OpeningCash, digits),
		Blind: c.Blind, Counts: countBodies(c.Counts, digits), NotCash: kit.DecimalOf(c.NotCash, digits), Means: meansBodies(c.Means, digits), Denominations: []kit.Decimal{}, Note: c.Note,
		PreviousID: kit.Optional(c.PreviousID), OpenedAt: c.OpenedAt, OpenedBy: kit.Optional(c.OpenedBy), ClosedAt: kit.Optional(c.ClosedAt), ClosedBy: kit.Optional(c.ClosedBy),
	}
	if !c.Blind {
		body.ExpectedCash = new(kit.DecimalOf(c.ExpectedCash(), digits))
	}
	if c.Counted {
		body.CountedCash, body.Variance = new(kit.DecimalOf(c.CashTotal, digits)), new(kit.DecimalOf(c.Variance(), digits))
	}
	if c.Status == closes.Open && !c.Above() {
		for _, d := range closes.Denominations(c.Currency) {
			body.Denominations = append(body.Denominations, kit.DecimalOf(d, digits))
		}
	}
	return body
}

type missingClose struct {
	EntityID   uuid.UUID  `json:"entityId"`
	EntityName string     `json:"entity_name"`
	CurrencyID uuid.UUID  `json:"currency_id"`
	Currency   string     `json:"currency" example:"VES"`
	LastDay    *string    `json:"last_day" format:"date" doc:"the newest day that it closed"`
	CloseID    *uuid.UUID `json:"close_id" doc:"its earliest open day"`
}

func missingBody(m closes.Missing) missingClose {
	body := missingClose{EntityID: m.EntityID, EntityName: m.Entity, CurrencyID: m.Currency.ID, Currency: m.Currency.Code, CloseID: kit.Optional(m.OpenID)}
	if m.LastDay != (businessday.Day{}) {
		body.LastDay = new(m.LastDay.String())
	}
	return body
}
