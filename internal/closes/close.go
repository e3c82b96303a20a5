package closes

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// States of a close.
const (
	Open   = "open"
	Closed = "closed"
)

// States lists the states.
func States() []string { return []string{Open, Closed} }

// Totals are sums over events. Voids, refunds and prizes are positive where the ticket point returns or pays money.
type Totals struct {
	Sales          money.Amount
	Voids          money.Amount // cancelled sales
	Refunds        money.Amount // stakes of suspended draws
	Prizes         money.Amount // paid, less the payments taken back
	Commissions    money.Amount // on sales
	Participations money.Amount // own shares of weekly settlements
	Deposits       money.Amount
	Withdrawals    money.Amount

	Tickets  int64 // sold
	Voided   int64 // tickets cancelled
	Refunded int64 // refunds of tickets
	Paid     int64 // prizes paid, less those taken back

	LateEvents int64        // of days before the close's
	LateNet    money.Amount // their part of Net

	NotCash money.Amount // value of tickets that was paid neither in cash of the currency nor by a deposit, less the cancelled ones
}

// NetSales are the sales less cancelled and refunded ones.
func (t *Totals) NetSales() money.Amount { return t.Sales - t.Voids - t.Refunds }

// Net is what the ticket point owes of these events before deposits and withdrawals.
func (t *Totals) Net() money.Amount {
	return t.NetSales() - t.Prizes - t.Commissions - t.Participations
}

// Change is the change of the wallet's balance.
func (t *Totals) Change() money.Amount { return t.Deposits - t.Withdrawals - t.Net() }

// Cash is the change of the cash in the drawer: sales come in; voids, refunds and prizes go out; a deposit leaves the
// drawer, a withdrawal enters it. Commissions and participations move no cash. A mobile payment is a deposit.
func (t *Totals) Cash() money.Amount {
	return t.NetSales() - t.Prizes - t.Deposits + t.Withdrawals - t.NotCash
}

// Close is a business day of an entity in a currency. The totals of an open one are current.
type Close struct {
	ID          uuid.UUID
	EntityID    uuid.UUID
	Entity      string // name
	Currency    ledger.Currency
	WalletID    uuid.UUID // Nil for an entity above ticket points
	Day         businessday.Day
	Status      string
	OpeningCash money.Amount // that was in the drawer before the first event
	Totals

	Means      []Means // besides cash in Currency
	Blind      bool    // Totals and the amounts of Means are left out until the caller has counted
	Counted    bool
	CashTotal  money.Amount // counted
	Counts     []Count
	Note       string
	PreviousID uuid.UUID // the close before; Nil for none
	OpenedBy   uuid.UUID // Nil for the task
	OpenedAt   time.Time
	ClosedBy   uuid.UUID // Nil for the task
	ClosedAt   time.Time
}

// Above reports whether the close sums closes of entities below.
func (c *Close) Above() bool { return c.WalletID == uuid.Nil }

// ExpectedCash is the cash that must be in the drawer.
func (c *Close) ExpectedCash() money.Amount { return c.OpeningCash + c.Cash() }

// OtherCash is the expected cash besides sales and prizes: the opening cash, deposits, withdrawals, and payments by other means.
func (c *Close) OtherCash() money.Amount { return c.ExpectedCash() - (c.NetSales() - c.Prizes) }

// Variance is the counted cash less the expected one; zero if no cash was counted.
func (c *Close) Variance() money.Amount {
	if !c.Counted {
		return 0
	}
	return c.CashTotal - c.ExpectedCash()
}

// columns and from select the rows that scan reads.
const (
	from    = `FROM daily_closes c JOIN entities e ON e.id = c.entity_id`
	columns = `c.id, c.entity_id, e.name, c.currency_id, c.wallet_id, c.day, c.status, c.opening_cash, ` + totalColumns + `,
	c.counted_cash, c.counts, c.note, c.previous_id, c.opened_by, c.opened_at, c.closed_by, c.closed_at`

	expected = `c.opening_cash + c.sales - c.voids - c.refunds - c.prizes - c.deposits + c.withdrawals - c.not_cash` // cash

	totalColumns = `c.sales, c.voids, c.refunds, c.prizes, c.commissions, c.participations, c.deposits, c.withdrawals, c.tickets, c.voided, c.refunded, c.paid,
	c.late_events, c.late_net, c.not_cash, c.means`
)

// into returns where the columns of totals are scanned into.
func (t *Totals) into() []any {
	return []any{
		&t.Sales, &t.Voids, &t.Refunds, &t.Prizes, &t.Commissions, &t.Participations, &t.Deposits, &t.Withdrawals,
		&t.Tickets, &t.Voided, &t.Refunded, &t.Paid,
		&t.LateEvents, &t.LateNet, &t.NotCash,
	}
}

// scan reads a row of columns. The currency has its id only.
func scan(row pgx.CollectableRow) (Close, error) {
	var c Close
	var wallet, previous, opener, closer uuid.NullUUID
	var counted *money.Amount
	var closed *time.Time
	into := []any{&c.ID, &c.EntityID, &c.Entity, &c.Currency.ID, &wallet, &c.Day, &c.Status, &c.OpeningCash}
	into = append(
		append(into, c.into()...), &c.Means, &counted, &c.Counts, &c.Note, &previous, &opener, &c.OpenedAt, &closer, &closed,
	)
	err := row.Scan(into...)
	c.WalletID, c.PreviousID, c.OpenedBy, c.ClosedBy, c.OpenedAt = wallet.UUID, previous.UUID, opener.UUID, closer.UUID, c.OpenedAt.UTC()
	if counted != nil {
		c.Counted, c.CashTotal = true, *counted
	}
	if closed != nil {
		c.ClosedAt = closed.UTC()
	}
	return c, err
}
