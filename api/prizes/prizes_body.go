package prizes

import (
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/platform/money"
	"banca/internal/prizes"
)

// Prize is a ticket that won, in answers.
type Prize struct {
	TicketID   uuid.UUID    `json:"ticket_id"`
	SerialCode string       `json:"serial_code" example:"K7QX9M2P4D6A"`
	EntityID   uuid.UUID    `json:"entityId"`
	EntityName string       `json:"entity_name"`
	CurrencyID uuid.UUID    `json:"currency_id"`
	Currency   string       `json:"currency" example:"VES"`
	Status     string       `json:"status" enum:"pending,won,lost,cancelled,paid,expired"`
	Total      kit.Decimal  `json:"total" doc:"what the ticket cost"`
	Prize      kit.Decimal  `json:"prize" doc:"prize due"`
	Paid       *kit.Decimal `json:"paid" doc:"prize paid"`
	PaidAt     *time.Time   `json:"paid_at"`
	Difference bool         `json:"difference" doc:"a correction made the payment wrong, and the difference is not settled yet"`
	SoldAt     time.Time    `json:"sold_at"`
	SettledAt  *time.Time   `json:"settled_at"`
	ExpiresAt  time.Time    `json:"expires_at" doc:"until when it can be collected"`
}

func prizeBody(p prizes.Prize) Prize {
	digits := p.Currency.Digits
	body := Prize{
		TicketID: p.TicketID, SerialCode: p.Serial, EntityID: p.EntityID, EntityName: p.Entity,
		CurrencyID: p.Currency.ID, Currency: p.Currency.Code,
		Status: p.State, Total: kit.DecimalOf(p.Total, digits), Prize: kit.DecimalOf(p.Prize, digits),
		PaidAt: kit.Optional(p.PaidAt), Difference: p.Disputed,
		SoldAt: p.SoldAt, SettledAt: kit.Optional(p.SettledAt), ExpiresAt: p.ExpiresAt,
	}
	if !p.PaidAt.IsZero() {
		paid := kit.DecimalOf(p.Paid, digits)
		body.Paid = &paid
	}
	return body
}

type prizeDetail struct {
	Prize
	Lines       []winningLine     `json:"lines" doc:"the lines that won, annulled ones too"`
	Payments    []prizePayment    `json:"payments"`
	Differences []prizeDifference `json:"differences"`
}

type winningLine struct {
	LineNo     int           `json:"line_no"`
	Game       string        `json:"game"`
	DrawID     uuid.UUID     `json:"draw_id" doc:"of the draw that decided it"`
	DrawNumber string        `json:"draw_number"`
	DrawTime   time.Time     `json:"draw_time"`
	Result     string        `json:"result" example:"042 LEO"`
	Version    int           `json:"result_version"`
	BetType    string        `json:"bet_type"`
	Selection  kit.Selection `json:"selection"`
	Name       string        `json:"name"`
	Amount     kit.Decimal   `json:"amount"`
	Prize      kit.Decimal   `json:"prize"`
	AnnulledAt *time.Time    `json:"annulled_at" doc:"when a correction of the result ended it"`
}

func prizeDetailBody(d *prizes.Detail) prizeDetail {
	digits := d.Currency.Digits
	return prizeDetail{
		Prize: prizeBody(d.Prize), Payments: kit.Map(d.Payments, prizePaymentBody),
		Differences: kit.Map(d.Differences, prizeDifferenceBody),
		Lines: kit.Map(d.Lines, func(l prizes.WinningLine) winningLine {
			return winningLine{
				LineNo: l.LineNo, Game: l.Game, DrawID: l.DrawID, DrawNumber: l.DrawNumber, DrawTime: l.DrawTime,
				Result: l.Result, Version: l.Version,
				BetType: l.BetType, Selection: kit.SelectionOf(l.Selection), Name: l.Name,
				Amount: kit.DecimalOf(l.Stake, digits), Prize: kit.DecimalOf(l.Prize, digits),
				AnnulledAt: kit.Optional(l.AnnulledAt),
			}
		}),
	}
}

type prizePayment struct {
	ID            uuid.UUID   `json:"id"`
	TicketID      uuid.UUID   `json:"ticket_id"`
	SerialCode    string      `json:"serial_code"`
	EntityID      uuid.UUID   `json:"entityId"`
	WalletID      uuid.UUID   `json:"wallet_id" doc:"that was credited"`
	CurrencyID    uuid.UUID   `json:"currency_id"`
	Currency      string      `json:"currency" example:"VES"`
	Amount        kit.Decimal `json:"amount"`
	TransactionID uuid.UUID   `json:"transaction_id"`
	PaidBy        uuid.UUID   `json:"paid_by"`
	PaidAt        time.Time   `json:"paid_at"`
	CancelledBy   *uuid.UUID  `json:"cancelled_by"`
	CancelledAt   *time.Time  `json:"cancelled_at" doc:"when it was taken back"`
	CancelReason  string      `json:"cancel_reason,omitempty"`
}

func prizePaymentBody(p prizes.Payment) prizePayment {
	return prizePayment{
		ID: p.ID, TicketID: p.TicketID, SerialCode: p.Serial, EntityID: p.EntityID, WalletID: p.WalletID,
		CurrencyID: p.Currency.ID, Currency: p.Currency.Code,
		Amount: kit.DecimalOf(p.Amount, p.Currency.Digits), TransactionID: p.TransactionID, PaidBy: p.PaidBy,
		PaidAt:      p.PaidAt,
		CancelledBy: kit.Optional(p.CancelledBy), CancelledAt: kit.Optional(p.CancelledAt),
		CancelReason: p.CancelReason,
	}
}

type unpaidPrize struct {
	Payment prizePayment `json:"payment"`
	Status  string       `json:"status" enum:"won,lost,pending,paid" doc:"of the ticket now"`
}

type prizeSum struct {
	CurrencyID     uuid.UUID   `json:"currency_id"`
	Currency       string      `json:"currency" example:"VES"`
	Won            kit.Decimal `json:"won" doc:"can be collected"`
	WonTickets     int64       `json:"won_tickets"`
	Paid           kit.Decimal `json:"paid"`
	PaidTickets    int64       `json:"paid_tickets"`
	Expired        kit.Decimal `json:"expired"`
	ExpiredTickets int64       `json:"expired_tickets"`
	Overpaid       kit.Decimal `json:"overpaid" doc:"paid more than due since corrections, and still open"`
	Underpaid      kit.Decimal `json:"underpaid" doc:"the reverse"`
}

func prizeSumBody(s prizes.Sum) prizeSum {
	in := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, s.Currency.Digits) }
	return prizeSum{
		CurrencyID: s.Currency.ID, Currency: s.Currency.Code, Won: in(s.Won), WonTickets: s.WonTickets,
		Paid: in(s.Paid), PaidTickets: s.PaidTickets,
		Expired: in(s.Expired), ExpiredTickets: s.ExpiredOnes, Overpaid: in(s.Overpaid), Underpaid: in(s.Underpaid),
	}
}
