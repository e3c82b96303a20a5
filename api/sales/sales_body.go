package sales

import (
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/sales"
)

// ticket is a ticket in answers, its lines grouped by game and draw.
type ticket struct {
	ID               uuid.UUID    `json:"id"`
	SerialCode       string       `json:"serial_code" example:"K7QX9M2P4D6A"`
	ValidationCode   string       `json:"validation_code,omitempty" doc:"asked for when the prize is paid; shown to users who may pay prizes: to sellers of their own ticket point, to others of their entities, except in lists; each look at the ticket of another entity is in the activity log"`
	EntityID         uuid.UUID    `json:"entityId"`
	CurrencyID       uuid.UUID    `json:"currency_id"`
	Currency         string       `json:"currency" example:"VES"`
	CustomerID       *uuid.UUID   `json:"customer_id"`
	Status           string       `json:"status" enum:"pending,won,lost,cancelled,paid"`
	Total            kit.Decimal  `json:"total"`
	PotentialPrize   kit.Decimal  `json:"potential_prize"`
	WantsPaymentInfo bool         `json:"wants_payment_info"`
	ImageURL         *string      `json:"image_url" doc:"the receipt's picture, some moments after the sale, or after the first GET of the ticket where picture_at_sale is false; replaced some moments after a cancellation"`
	CancelBefore     time.Time    `json:"cancel_before" doc:"until when its ticket point may cancel it"`
	ExpiresAt        time.Time    `json:"expires_at" doc:"until when a prize can be claimed"`
	CancelledAt      *time.Time   `json:"cancelled_at"`
	CreatedAt        time.Time    `json:"created_at"`
	Prize            *kit.Decimal `json:"prize,omitempty" doc:"due by the results, once they decide the whole ticket"`
	SoldBy           string       `json:"sold_by,omitempty" doc:"name of the user; only in the answer to a GET of one ticket"`
	Items            []gameGroup  `json:"items"`
	Payments         []payment    `json:"payments,omitempty" doc:"how it was paid; left out if in exact cash, and in lists. Their values less those of the change are the total"`
	Change           []payment    `json:"change,omitempty" doc:"given in cash"`
	Cuts             []cut        `json:"cuts,omitempty" doc:"what accept_partial sold less of"`
}

type gameGroup struct {
	Game  gameRef     `json:"game"`
	Draws []drawGroup `json:"draws"`
}

type gameRef struct {
	ID        uuid.UUID `json:"id"`
	ShortCode string    `json:"short_code"`
	Name      string    `json:"name"`
}

type drawGroup struct {
	DrawID     uuid.UUID `json:"draw_id"`
	DrawNumber string    `json:"draw_number"`
	DrawTime   time.Time `json:"draw_time"`
	Result     string    `json:"result,omitempty" doc:"the verified result with the name of its value; only in the answer to a GET of one ticket" example:"5 León"`
	Lines      []line    `json:"lines"`
}

// payment is a means by which a ticket was paid, or change.
type payment struct {
	Means     string      `json:"means" enum:"cash,card,mobile"`
	Currency  string      `json:"currency" example:"USD"`
	Amount    kit.Decimal `json:"amount"`
	Value     kit.Decimal `json:"value" doc:"in the currency of the ticket"`
	Rate      string      `json:"rate,omitempty" example:"245.6648" doc:"of the day of the sale, as the catalogue quotes the pair"`
	Reference string      `json:"reference,omitempty"`
}

type line struct {
	Selection      kit.Selection `json:"selection"`
	Name           string        `json:"name"`
	BetType        string        `json:"bet_type"`
	Amount         kit.Decimal   `json:"amount"`
	Payout         string        `json:"payout" doc:"times the amount" example:"30"`
	PotentialPrize kit.Decimal   `json:"potential_prize"`
	Prize          *kit.Decimal  `json:"prize,omitempty" doc:"that the line has won, over all its draws; only in the answer to a GET of one ticket"`
}

// cut names a line that accept_partial reduced, and the limit.
type cut struct {
	Location  string      `json:"location" example:"items[0]"`
	Requested kit.Decimal `json:"requested"`
	Accepted  kit.Decimal `json:"accepted"`
	Level     string      `json:"level" example:"AGENCY"`
	Limit     kit.Decimal `json:"limit"`
	Sold      kit.Decimal `json:"sold"`
}

// ticketBody maps a ticket, of which [sales.Redact] or [sales.Service.Get] has removed the secrets that the caller may not see.
func ticketBody(t *sales.Ticket) ticket {
	digits := t.Currency.Digits
	body := ticket{
		ID: t.ID, SerialCode: t.SerialCode, EntityID: t.EntityID, CurrencyID: t.Currency.ID, Currency: t.Currency.Code,
		Status: t.Status, Total: kit.DecimalOf(t.Total, digits), PotentialPrize: kit.DecimalOf(t.PotentialPrize, digits), WantsPaymentInfo: t.WantsPaymentInfo,
		Prize: positive(t.Prize, digits), SoldBy: t.SoldBy,
		ValidationCode: t.ValidationCode, CancelBefore: t.CancelBefore, ExpiresAt: t.ExpiresAt, CreatedAt: t.CreatedAt,
	}
	if t.CustomerID != uuid.Nil {
		body.CustomerID = &t.CustomerID
	}
	if t.ImageURL != "" {
		body.ImageURL = &t.ImageURL
	}
	if !t.CancelledAt.IsZero() {
		body.CancelledAt = &t.CancelledAt
	}
	for i := range t.Payments {
		p := &t.Payments[i]
		if p.Change() {
			body.Change = append(body.Change, paymentBody(p, -1, digits))
		} else {
			body.Payments = append(body.Payments, paymentBody(p, 1, digits))
		}
	}
	body.Items = kit.Map(t.Grouped(), func(g sales.GameGroup) gameGroup {
		return gameGroup{
			Game:  gameRef{ID: g.ID, ShortCode: g.Code, Name: g.Name},
			Draws: kit.Map(g.Draws, func(d sales.DrawGroup) drawGroup { return drawBodyOf(&d, digits) }),
		}
	})
	return body
}

func drawBodyOf(d *sales.DrawGroup, digits int) drawGroup {
	return drawGroup{
		DrawID: d.ID, DrawNumber: d.Number, DrawTime: d.Time, Result: d.Result,
		Lines: kit.Map(d.Lines, func(l sales.Line) line {
			return line{
				Selection: kit.SelectionOf(l.Selection), Name: l.Name, BetType: l.BetType, Amount: kit.DecimalOf(l.Amount, digits),
				Payout: l.Payout.String(), PotentialPrize: kit.DecimalOf(l.PotentialPrize, digits), Prize: positive(l.Prize, digits),
			}
		}),
	}
}

// positive returns an amount; nil for none.
func positive(amount money.Amount, digits int) *kit.Decimal {
	if amount == 0 {
		return nil
	}
	return new(kit.DecimalOf(amount, digits))
}

// paymentBody maps a payment with amounts times a sign.
func paymentBody(p *sales.Payment, sign money.Amount, digits int) payment {
	body := payment{
		Means: p.Means, Currency: p.Currency.Code, Amount: kit.DecimalOf(sign*p.Amount, p.Currency.Digits),
		Value: kit.DecimalOf(sign*p.Value, digits), Reference: p.Reference,
	}
	if p.Rate != 0 {
		body.Rate = p.Rate.String()
	}
	return body
}

func cutBody(c sales.Cut, digits int) cut {
	return cut{
		Location: apperr.ItemAt(c.Item), Requested: kit.DecimalOf(c.Requested, digits), Accepted: kit.DecimalOf(c.Accepted, digits),
		Level: c.Level, Limit: kit.DecimalOf(c.Limit, digits), Sold: kit.DecimalOf(c.Sold, digits),
	}
}
