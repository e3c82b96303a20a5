package weekly

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// Provisional is the state of a settlement that is not stored: of a week up to now.
const Provisional = "provisional"

// States of a stored settlement.
const (
	Draft     = "draft"
	Confirmed = "confirmed" // something is left to pay
	Carried   = "carried"   // the outstanding amount moved to a later week
	Paid      = "paid"      // nothing is left to pay
)

// States lists the states.
func States() []string { return []string{Draft, Confirmed, Carried, Paid} }

// Settlement is a week of an entity with everything below it, in a currency. Amounts that the entity owes are positive.
type Settlement struct {
	ID       uuid.UUID
	Week     businessday.Day // Monday
	EntityID uuid.UUID
	Entity   string // name
	Code     string
	Type     string
	ParentID uuid.UUID
	Path     string
	Currency ledger.Currency
	Figures

	PreviousID    uuid.UUID    // the settlement before; Nil for none
	Previous      money.Amount // owed before the week
	Moved         money.Amount // debt of entities that came from another parent, less the debt of entities that left
	DraftedAt     time.Time
	ConfirmedAt   time.Time // zero for a draft
	ConfirmedBy   uuid.UUID
	TransactionID uuid.UUID    // that booked the own share; Nil for none
	Paid          money.Amount // by the movements that were linked and not reversed, positive for deposits
	Status        string
}

// Figures are the amounts of one week.
type Figures struct {
	Sales            money.Amount // net
	Prizes           money.Amount // paid, without the differences among the adjustments
	Commissions      money.Amount // of the entity and below
	CommissionsAbove money.Amount
	Payments         money.Amount // deposits less withdrawals
	Rate             money.BasisPoints
	Mode             string
	Carried          money.Amount // loss of earlier weeks brought in; never positive
	CarryOut         money.Amount // loss passed on to the next week
	Participation    money.Amount // with the shares of the entities below
	OwnShare         money.Amount // of the participation and of its adjustments, without the shares of the entities below
	Adjustments      money.Amount // of earlier weeks, that the entity owes
	Due              money.Amount
}

// Result is what the participation is a share of, before losses of earlier weeks.
func (f *Figures) Result() money.Amount {
	return f.Sales - f.Commissions - f.CommissionsAbove - f.Prizes
}

// BeforePayments is what the entity owes for the week. Payments of the same week mostly pay the debt before it.
func (f *Figures) BeforePayments() money.Amount { return f.Due + f.Payments }

// sum completes Due.
func (f *Figures) sum() {
	f.Due = f.Sales - f.Prizes - f.Commissions - f.Participation - f.Payments + f.Adjustments
}

// To is the last day of the week.
func (s *Settlement) To() businessday.Day { return s.Week.AddDays(6) }

// Balance is what the entity owes in all at the end of the week.
func (s *Settlement) Balance() money.Amount { return s.Previous + s.Moved + s.Due }

// Outstanding is the amount to pay: by the entity if positive, to it if negative.
func (s *Settlement) Outstanding() money.Amount { return s.Balance() - s.Paid }

// Monday returns the Monday of the week of a day.
func Monday(day businessday.Day) businessday.Day {
	return day.AddDays(-((int(day.Weekday()) + 6) % 7))
}

// from are the tables of columns. x.paid sums the movements that pay the settlement.
const from = `FROM weekly_settlements s JOIN entities e ON e.id = s.entity_id LEFT JOIN weekly_settlements n ON n.previous_id = s.id
	LEFT JOIN LATERAL (SELECT coalesce(sum(m.amount), 0)::bigint AS paid FROM weekly_payments p JOIN payable_movements m ON m.transaction_id = p.transaction_id AND NOT m.reversed
		WHERE p.settlement_id = s.id) x ON true`

// status is the expression of Settlement.Status over the rows of from.
const status = `CASE WHEN s.confirmed_at IS NULL THEN '` + Draft + `' WHEN s.previous + s.moved + s.due - x.paid = 0 THEN '` + Paid + `'
	WHEN n.id IS NOT NULL THEN '` + Carried + `' ELSE '` + Confirmed + `' END`

const columns = `s.id, s.week, s.entity_id, e.name, e.code, e.entity_type, s.parent_id, e.path, s.currency_id, s.sales, s.prizes, s.commissions, s.commissions_above, s.payments,
	s.rate, s.mode, s.carried, s.carry_out, s.participation, s.own_share, s.adjustments, s.due, s.previous_id, s.previous, s.moved, s.drafted_at, s.confirmed_at,
	s.confirmed_by, s.transaction_id, x.paid, ` + status

// scan reads a row of columns. The currency has its id only.
func scan(row pgx.CollectableRow) (Settlement, error) {
	var s Settlement
	var previous, confirmer, transaction uuid.NullUUID
	var confirmed *time.Time
	f := &s.Figures
	err := row.Scan(&s.ID, &s.Week, &s.EntityID, &s.Entity, &s.Code, &s.Type, &s.ParentID, &s.Path, &s.Currency.ID, &f.Sales, &f.Prizes, &f.Commissions, &f.CommissionsAbove,
		&f.Payments, &f.Rate, &f.Mode, &f.Carried, &f.CarryOut, &f.Participation, &f.OwnShare, &f.Adjustments, &f.Due,
		&previous, &s.Previous, &s.Moved, &s.DraftedAt,
		&confirmed, &confirmer, &transaction, &s.Paid, &s.Status)
	s.PreviousID, s.ConfirmedBy, s.TransactionID, s.DraftedAt = previous.UUID, confirmer.UUID, transaction.UUID, s.DraftedAt.UTC()
	if confirmed != nil {
		s.ConfirmedAt = confirmed.UTC()
	}
	return s, err
}
