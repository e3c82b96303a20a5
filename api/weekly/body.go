package weekly

import (
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/platform/money"
	"banca/internal/weekly"
)

// WeeklySettlement is a settlement without its lists.
type WeeklySettlement struct {
	ID               uuid.UUID   `json:"id"`
	Week             string      `json:"week" format:"date" doc:"Monday"`
	To               string      `json:"to" format:"date" doc:"Sunday"`
	EntityID         uuid.UUID   `json:"entityId"`
	EntityName       string      `json:"entity_name"`
	EntityCode       string      `json:"entity_code"`
	EntityType       string      `json:"entity_type" enum:"SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	ParentID         uuid.UUID   `json:"parent_id" doc:"the entity that was above it"`
	CurrencyID       uuid.UUID   `json:"currency_id"`
	Currency         string      `json:"currency" example:"VES"`
	Status           string      `json:"status" enum:"draft,confirmed,carried,paid" doc:"carried: the outstanding amount moved to a later week"`
	Sales            kit.Decimal `json:"sales" doc:"net"`
	Prizes           kit.Decimal `json:"prizes" doc:"paid, without the differences among the adjustments"`
	Commissions      kit.Decimal `json:"commissions" doc:"of the entity and below"`
	CommissionsAbove kit.Decimal `json:"commissions_above" doc:"of the levels above it, which reduce the result"`
	Result           kit.Decimal `json:"result" doc:"sales less all commissions and prizes"`
	Rate             kit.Decimal `json:"rate" example:"25.00" doc:"share of the result in percent, with the shares of the entities below"`
	Mode             string      `json:"mode" enum:"CARRY,SHARED,NONE" doc:"what happens with losses"`
	LossBefore       kit.Decimal `json:"loss_before" doc:"of earlier weeks, which reduces the result; never positive"`
	LossAfter        kit.Decimal `json:"loss_after" doc:"passed on to the next week; never positive"`
	Participation    kit.Decimal `json:"participation" doc:"with the shares of the entities below"`
	OwnShare         kit.Decimal `json:"own_share" doc:"of the participation and its adjustments, without the shares of the entities below; booked by the confirmation"`
	Adjustments      kit.Decimal `json:"adjustments" doc:"of earlier weeks, that the entity owes"`
	Payments         kit.Decimal `json:"payments" doc:"deposits less withdrawals of the week"`
	Due              kit.Decimal `json:"due" doc:"sales - prizes - commissions - participation - payments + adjustments"`
	PreviousID       *uuid.UUID  `json:"previous_id" doc:"the settlement before"`
	Previous         kit.Decimal `json:"previous" doc:"owed before the week"`
	Moved            kit.Decimal `json:"moved" doc:"brought by entities that came from another parent, less what entities that left took with them"`
	Balance          kit.Decimal `json:"balance" doc:"previous + moved + due: owed by the entity, or to it if negative"`
	Paid             kit.Decimal `json:"paid" doc:"by movements after the week"`
	Outstanding      kit.Decimal `json:"outstanding" doc:"balance - paid"`
	DraftedAt        time.Time   `json:"drafted_at"`
	ConfirmedAt      *time.Time  `json:"confirmed_at"`
	ConfirmedBy      *uuid.UUID  `json:"confirmed_by"`
	TransactionID    *uuid.UUID  `json:"transaction_id" doc:"that booked the own share"`
}

func settlementBody(s weekly.Settlement) WeeklySettlement {
	amount := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, s.Currency.Digits) }
	return WeeklySettlement{
		ID: s.ID, Week: s.Week.String(), To: s.To().String(), EntityID: s.EntityID, EntityName: s.Entity,
		EntityCode: s.Code, EntityType: s.Type, ParentID: s.ParentID,
		CurrencyID: s.Currency.ID, Currency: s.Currency.Code, Status: s.Status, Sales: amount(s.Sales),
		Prizes: amount(s.Prizes), Commissions: amount(s.Commissions),
		CommissionsAbove: amount(s.CommissionsAbove), Result: amount(s.Result()), Rate: rateBody(s.Rate), Mode: s.Mode,
		LossBefore: amount(s.Carried),
		LossAfter:  amount(s.CarryOut), Participation: amount(s.Participation), OwnShare: amount(s.OwnShare),
		Adjustments: amount(s.Adjustments), Payments: amount(s.Payments),
		Due: amount(s.Due), PreviousID: kit.Optional(s.PreviousID), Previous: amount(s.Previous),
		Moved: amount(s.Moved), Balance: amount(s.Balance()), Paid: amount(s.Paid),
		Outstanding: amount(s.Outstanding()), DraftedAt: s.DraftedAt, ConfirmedAt: kit.Optional(s.ConfirmedAt),
		ConfirmedBy:   kit.Optional(s.ConfirmedBy),
		TransactionID: kit.Optional(s.TransactionID),
	}
}

// rateDigits are the decimals of a rate in percent.
const rateDigits = 2

func rateBody(rate money.BasisPoints) kit.Decimal {
	return kit.DecimalOf(money.Amount(rate), rateDigits)
}

// settlementDetail is a settlement with its lists.
type settlementDetail struct {
	WeeklySettlement

	AdjustedWeeks []adjustedWeek  `json:"adjusted_weeks" nullable:"false" doc:"earlier weeks that it restates because results were corrected"`
	PaidBy        []weeklyPayment `json:"paid_by" nullable:"false" doc:"movements that pay it, the oldest first"`
	CouldPay      []weeklyPayment `json:"could_pay" nullable:"false" doc:"the newest 50 movements that could pay it, for POST .../payments"`
}

type adjustedWeek struct {
	RestatesID    uuid.UUID   `json:"restates_id" doc:"the settlement of the week"`
	Week          string      `json:"week" format:"date" doc:"Monday"`
	Prizes        kit.Decimal `json:"prizes" doc:"that the prizes paid in that week change by"`
	Participation kit.Decimal `json:"participation" doc:"that the share in that week changes by"`
	Due           kit.Decimal `json:"due" doc:"what it adds to what the entity owes"`
}

type weeklyPayment struct {
	MovementID uuid.UUID   `json:"movement_id" doc:"transaction of the movement"`
	WalletID   uuid.UUID   `json:"wallet_id"`
	EntityName string      `json:"entity_name" doc:"of the wallet"`
	Kind       string      `json:"kind" enum:"deposit,withdrawal,transfer"`
	Amount     kit.Decimal `json:"amount" doc:"positive for what the entity pays"`
	Reference  string      `json:"reference"`
	Note       string      `json:"note"`
	UserID     uuid.UUID   `json:"user_id"`
	CreatedAt  time.Time   `json:"created_at"`
	Reversed   bool        `json:"reversed" doc:"it counts no more"`
}

func paymentBody(digits int) func(weekly.Payment) weeklyPayment {
	return func(p weekly.Payment) weeklyPayment {
		return weeklyPayment{
			MovementID: p.MovementID, WalletID: p.WalletID, EntityName: p.Entity, Kind: p.Kind,
			Amount: kit.DecimalOf(p.Amount, digits), Reference: p.Reference, Note: p.Note,
			UserID: p.UserID, CreatedAt: p.At, Reversed: p.Reversed,
		}
	}
}

func adjustmentBody(digits int) func(weekly.Adjustment) adjustedWeek {
	return func(a weekly.Adjustment) adjustedWeek {
		return adjustedWeek{
			RestatesID: a.RestatesID, Week: a.Week.String(), Prizes: kit.DecimalOf(a.Prizes, digits),
			Participation: kit.DecimalOf(a.Participation, digits),
			Due:           kit.DecimalOf(a.Due(), digits),
		}
	}
}
