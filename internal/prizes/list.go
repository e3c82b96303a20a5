package prizes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/money"
	"banca/models"
	"banca/storage"
)

// States of a prize by which lists are filtered, beside the statuses of a ticket.
const (
	StateExpired     = "expired"     // won, and nobody came in time
	StateDifferences = "differences" // paid, and not what is due
)

// States lists what prizes can be filtered by.
func States() []string {
	return []string{models.TicketWon, models.TicketPaid, StateExpired, StateDifferences}
}

// Prize is a ticket with what it won.
type Prize struct {
	TicketID  uuid.UUID
	Serial    string
	EntityID  uuid.UUID
	Entity    string
	Currency  ledger.Currency
	State     string // the ticket's status, or expired
	Total     money.Amount
	Prize     money.Amount
	SoldAt    time.Time
	SettledAt time.Time
	ExpiresAt time.Time
	Paid      money.Amount // by the payment that stands; 0 without one
	PaidAt    time.Time
	Disputed  bool // a difference is open
}

// Filter selects prizes; zero fields select all that were won.
type Filter struct {
	Scope    string
	State    string // one of States, "" for all
	EntityID uuid.UUID
	GameID   uuid.UUID
	DrawID   uuid.UUID
	Date     time.Time // business day of the settlement
	Serial   string
	Limit    int
	Offset   int
}

const fromPrizes = ` FROM tickets t JOIN entities e ON e.id = t.entity_id JOIN currencies c ON c.id = t.currency_id
	LEFT JOIN paid_prizes p ON p.ticket_id = t.id AND p.cancelled_at IS NULL
	LEFT JOIN prize_differences x ON x.ticket_id = t.id AND x.status = 'open'`

const wherePrizes = ` WHERE t.status IN ('won', 'paid') AND e.path LIKE $1 AND ($2::uuid IS NULL OR t.entity_id = $2)
	AND ($3::uuid IS NULL OR EXISTS (SELECT 1 FROM ticket_items i WHERE i.ticket_id = t.id AND i.game_id = $3))
	AND ($4::uuid IS NULL OR t.id IN (SELECT i.ticket_id FROM ticket_items i WHERE i.draw_id = $4))
	AND ($5 = '' OR t.serial_code = $5) AND ($6::timestamptz IS NULL OR t.settled_at >= $6 AND t.settled_at < $7)`

// whereState narrows a list to a state; $8 is now.
func whereState(state string) string {
	switch state {
	case models.TicketWon:
		return ` AND t.status = 'won' AND t.expired_at IS NULL AND t.expires_at > $8`
	case models.TicketPaid:
		return ` AND t.status = 'paid' AND $8::timestamptz IS NOT NULL`
	case StateExpired:
		return ` AND t.status = 'won' AND (t.expired_at IS NOT NULL OR t.expires_at <= $8)`
	case StateDifferences:
		return ` AND x.id IS NOT NULL AND $8::timestamptz IS NOT NULL`
	default:
		return ` AND $8::timestamptz IS NOT NULL`
	}
}

func (s *Service) argsOf(f *Filter) []any {
	var from, to *time.Time
	if !f.Date.IsZero() {
		start := time.Date(f.Date.Year(), f.Date.Month(), f.Date.Day(), 0, 0, 0, 0, s.Zone)
		end := start.AddDate(0, 0, 1)
		from, to = &start, &end
	}
	return []any{storage.Below(f.Scope), storage.Maybe(f.EntityID), storage.Maybe(f.GameID), storage.Maybe(f.DrawID), f.Serial, from, to, s.Clock.Now()}
}

// List returns the prizes a filter selects, those settled last first, and how many there are.
func (s *Service) List(ctx context.Context, f *Filter) ([]Prize, int64, error) {
	args, where := s.argsOf(f), wherePrizes+whereState(f.State)
	var total int64
	if err := s.PG.Pool.QueryRow(ctx, `SELECT count(*)`+fromPrizes+where, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count prizes: %w", err)
	}
	rows, err := s.PG.Pool.Query(ctx, `SELECT `+prizeColumns+fromPrizes+where+` ORDER BY t.settled_at DESC, t.id DESC LIMIT $9 OFFSET $10`, append(args, f.Limit, f.Offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list prizes: %w", err)
	}
	list, err := pgx.CollectRows(rows, s.scanPrize)
	if err != nil {
		return nil, 0, fmt.Errorf("list prizes: %w", err)
	}
	return list, total, nil
}

const prizeColumns = `t.id, t.serial_code, t.entity_id, e.name, c.id, c.code, c.name, c.symbol, c.digits, c.status, t.status, t.expired_at IS NOT NULL, t.total, t.prize,
	t.created_at, t.settled_at, t.expires_at, coalesce(p.amount, 0), p.paid_at, x.id IS NOT NULL`

func (s *Service) scanPrize(row pgx.CollectableRow) (Prize, error) {
	var p Prize
	var expired bool
	var settledAt, paidAt *time.Time
	err := row.Scan(&p.TicketID, &p.Serial, &p.EntityID, &p.Entity, &p.Currency.ID, &p.Currency.Code, &p.Currency.Name, &p.Currency.Symbol, &p.Currency.Digits,
		&p.Currency.Status, &p.State, &expired, &p.Total, &p.Prize, &p.SoldAt, &settledAt, &p.ExpiresAt, &p.Paid, &paidAt, &p.Disputed)
	p.SoldAt, p.SettledAt, p.ExpiresAt, p.PaidAt = p.SoldAt.UTC(), storage.Instant(settledAt), p.ExpiresAt.UTC(), storage.Instant(paidAt)
	if p.State == models.TicketWon && (expired || !s.Clock.Now().Before(p.ExpiresAt)) {
		p.State = StateExpired
	}
	return p, err
}

// Sum is what the prizes of a currency amount to.
type Sum struct {
	Currency    ledger.Currency
	Won         money.Amount // to be collected, by WonTickets
	WonTickets  int64
	Paid        money.Amount // as it was paid
	PaidTickets int64
	Expired     money.Amount
	ExpiredOnes int64
	Overpaid    money.Amount // open differences
	Underpaid   money.Amount
}

// Summary sums the prizes a filter selects by currency.
func (s *Service) Summary(ctx context.Context, f *Filter) ([]Sum, error) {
	const due = `t.status = 'won' AND t.expired_at IS NULL AND t.expires_at > $8`
	const late = `t.status = 'won' AND (t.expired_at IS NOT NULL OR t.expires_at <= $8)`
	rows, err := s.PG.Pool.Query(ctx, `SELECT c.id, c.code, c.name, c.symbol, c.digits, c.status,
			coalesce(sum(t.prize) FILTER (WHERE `+due+`), 0)::bigint, count(*) FILTER (WHERE `+due+`),
			coalesce(sum(p.amount) FILTER (WHERE t.status = 'paid'), 0)::bigint, count(*) FILTER (WHERE t.status = 'paid'),
			coalesce(sum(t.prize) FILTER (WHERE `+late+`), 0)::bigint, count(*) FILTER (WHERE `+late+`),
			coalesce(sum(x.paid - x.due) FILTER (WHERE x.paid > x.due), 0)::bigint, coalesce(sum(x.due - x.paid) FILTER (WHERE x.due > x.paid), 0)::bigint`+
		fromPrizes+wherePrizes+whereState(f.State)+` GROUP BY c.id ORDER BY c.code`, s.argsOf(f)...)
	if err != nil {
		return nil, fmt.Errorf("sum prizes: %w", err)
	}
	sums, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (sum Sum, err error) {
		c := &sum.Currency
		err = row.Scan(&c.ID, &c.Code, &c.Name, &c.Symbol, &c.Digits, &c.Status, &sum.Won, &sum.WonTickets, &sum.Paid, &sum.PaidTickets,
			&sum.Expired, &sum.ExpiredOnes, &sum.Overpaid, &sum.Underpaid)
		return sum, err
	})
	if err != nil {
		return nil, fmt.Errorf("sum prizes: %w", err)
	}
	return sums, nil
}
