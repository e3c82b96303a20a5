package prizes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/models"
	"banca/storage"
)

// States of a prize for filters, in addition to the statuses of a ticket.
const (
	StateExpired     = "expired"     // won, and not collected in time
	StateDifferences = "differences" // paid, and not the amount due
)

// States lists what prizes can be filtered by.
func States() []string {
	return []string{models.TicketWon, models.TicketPaid, StateExpired, StateDifferences}
}

// Prize is a ticket with its prize.
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
	Disputed  bool    // a difference is open
	Draws     []Drawn // in which it won, by time; [Service.NameDraws] fills them
}

// Drawn is a draw in which a ticket won.
type Drawn struct {
	Game string
	Time time.Time
}

// Filter selects prizes; zero fields select all that were won.
type Filter struct {
	State    string // one of States, "" for all
	EntityID uuid.UUID
	GameID   uuid.UUID
	DrawID   uuid.UUID
	Date     businessday.Day // of the settlement
	Through  businessday.Day // last day of a period that begins with Date; zero for the one day
	Serial   string
	Limit    int
	Offset   int
}

const (
	fromPrizes      = ` FROM tickets t JOIN entities e ON e.id = t.entity_id JOIN currencies c ON c.id = t.currency_id` + withPayments + withDifferences
	withPayments    = ` LEFT JOIN paid_prizes p ON p.ticket_id = t.id AND p.cancelled_at IS NULL`
	paidAmount      = `(SELECT p.amount FROM paid_prizes p WHERE p.ticket_id = t.id AND p.cancelled_at IS NULL)` // of one ticket
	withDifferences = ` LEFT JOIN prize_differences x ON x.ticket_id = t.id AND x.status = 'open'`
)

// counted returns the FROM of the count of a filter, with the tables that its conditions read.
func (f *Filter) counted() string {
	if f.State == StateDifferences {
		return ` FROM tickets t` + withDifferences
	}
	return ` FROM tickets t`
}

// where returns the condition of a filter. It holds only the filters that are set: a condition such as "no draw is
// given, or the ticket has the draw" is evaluated for each ticket. Draws and games are looked up in the winning
// lines, which are few; annulled ones count, because a payment may be based on them. Errors: months.ErrArchived,
// months.ErrPeriodArchived.
func (s *Service) where(ctx context.Context, by caller.Caller, f *Filter) (*storage.Where, error) {
	w := &storage.Where{}
	w.And(`t.status IN ('won', 'paid')`)
	within, err := s.Org.Within(ctx, by)
	if err != nil {
		return nil, err
	}
	if within, err = s.Org.Listed(ctx, within); err != nil {
		return nil, err
	}
	w.And(within.SQL("t.entity_id", "", w.Arg(within.Value())))
	if f.EntityID != uuid.Nil {
		w.And(`t.entity_id = ` + w.Arg(f.EntityID))
	}
	if f.DrawID != uuid.Nil {
		if err := s.requireListed(ctx, f.DrawID); err != nil {
			return nil, err
		}
		w.And(`t.id IN (SELECT l.ticket_id FROM winning_lines l WHERE l.draw_id = ` + w.Arg(f.DrawID) + `)`)
	}
	if f.GameID != uuid.Nil {
		w.And(`EXISTS (SELECT 1 FROM winning_lines l JOIN draws d ON d.id = l.draw_id WHERE l.ticket_id = t.id AND d.game_id = ` + w.Arg(f.GameID) + `)`)
	}
	if f.Serial != "" {
		w.And(`t.serial_code = ` + w.Arg(f.Serial))
	}
	if !f.Date.IsZero() {
		from, to := f.Date.Bounds(s.Zone)
		if !f.Through.IsZero() {
			_, to = f.Through.Bounds(s.Zone)
		}
		if err := months.RequireKept(ctx, s.PG.Pool, from.AddDate(0, -1, 0), to); err != nil { // the tickets were sold days before
			return nil, err
		}
		w.And(`t.settled_at >= ` + w.Arg(from) + ` AND t.settled_at < ` + w.Arg(to))
	}
	switch f.State {
	case models.TicketWon:
		w.And(isDue(w.Arg(s.Clock.Now())))
	case models.TicketPaid:
		w.And(`t.status = 'paid'`)
	case StateExpired:
		w.And(isLate(w.Arg(s.Clock.Now())))
	case StateDifferences:
		w.And(`x.id IS NOT NULL`)
	}
	return w, nil
}

// requireListed refuses a draw whose tickets are in the archive. A draw that does not exist has no prizes. Errors:
// months.ErrArchived.
func (s *Service) requireListed(ctx context.Context, draw uuid.UUID) error {
	var at time.Time
	err := s.PG.Pool.QueryRow(ctx, `SELECT draw_time FROM draws WHERE id = $1`, draw).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("draw of prizes: %w", err)
	}
	return months.RequireDrawListed(ctx, s.PG.Pool, at)
}

// within adds the condition that a column of entities lies in the caller's scope; the statement must join the entity as
// e.
func (s *Service) within(ctx context.Context, by caller.Caller, w *storage.Where, column string) error {
	within, err := s.Org.Within(ctx, by)
	if err != nil {
		return err
	}
	w.And(within.SQL(column, "e.path", w.Arg(within.Value())))
	return nil
}

// notReopened leaves out a ticket that has won again after its payment was collected: until its difference is closed,
// the prize is owed to the point, which Underpaid counts. The few open differences are read once: the prizes of the last days are more than any
// statistics of the table tell, and a join looked the differences up for each.
const notReopened = `t.id NOT IN (SELECT ticket_id FROM prize_differences WHERE status = 'open')`

// isDue is the condition of a prize that can be collected at the instant of a parameter.
func isDue(now string) string {
	return `t.status = 'won' AND t.expired_at IS NULL AND t.expires_at > ` + now + ` AND ` + notReopened
}

// isLate is the condition of a prize that expired before the instant of a parameter.
func isLate(now string) string {
	return `t.status = 'won' AND (t.expired_at IS NOT NULL OR t.expires_at <= ` + now + `) AND ` + notReopened
}

// List returns the prizes a filter selects, those settled last first, and how many there are.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Prize, int64, error) {
	w, err := s.where(ctx, by, f)
	if err != nil {
		return nil, 0, err
	}
	listing := &storage.Listing{Columns: prizeColumns, From: fromPrizes, CountFrom: f.counted(), Where: w, Order: `t.settled_at DESC, t.id DESC`, Key: `t.id`}
	list, total, err := storage.List(ctx, s.PG.Pool, listing, s.scanPrize, f.Limit, f.Offset)
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
	p.SoldAt, p.SettledAt, p.ExpiresAt, p.PaidAt = p.SoldAt.UTC(), models.Instant(settledAt), p.ExpiresAt.UTC(), models.Instant(paidAt)
	if p.State == models.TicketWon && (expired || !s.Clock.Now().Before(p.ExpiresAt)) {
		p.State = StateExpired
	}
	return p, err
}

// NameDraws fills the draws of listed prizes. Each draw is looked up: a join would read the draws of all months.
func (s *Service) NameDraws(ctx context.Context, list []Prize) error {
	at := make(map[uuid.UUID]*Prize, len(list))
	for i := range list {
		at[list[i].TicketID] = &list[i]
	}
	type won struct {
		ticket uuid.UUID
		Drawn
	}
	found, err := storage.Collect(ctx, s.PG.Pool, "draws of prizes", func(row pgx.CollectableRow) (w won, err error) {
		err = row.Scan(&w.ticket, &w.Game, &w.Time)
		return w, err
	}, `SELECT DISTINCT l.ticket_id, g.name, d.draw_time FROM winning_lines l
		JOIN LATERAL (SELECT game_id, draw_time FROM draws WHERE id = l.draw_id LIMIT 1) d ON true JOIN games g ON g.id = d.game_id
		WHERE l.ticket_id = ANY ($1::uuid[]) AND l.annulled_at IS NULL ORDER BY d.draw_time, g.name`, storage.UUIDs(slices.Collect(maps.Keys(at))))
	for _, w := range found {
		at[w.ticket].Draws = append(at[w.ticket].Draws, w.Drawn)
	}
	return err
}

// Sum is the sum of the prizes of a currency.
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

// few reports whether the payments of the prizes are looked up one by one: no prize has one, or the prizes are of one
// day, draw or ticket.
func (f *Filter) few() bool {
	return f.unpaid() || f.DrawID != uuid.Nil || f.Serial != "" || !f.Date.IsZero() && f.Through.IsZero()
}

// unpaid reports whether no prize of the filter has a payment or an open difference.
func (f *Filter) unpaid() bool { return f.State == models.TicketWon || f.State == StateExpired }

// Summary sums the prizes a filter selects by currency.
func (s *Service) Summary(ctx context.Context, by caller.Caller, f *Filter) ([]Sum, error) {
	w, err := s.where(ctx, by, f)
	if err != nil {
		return nil, err
	}
	now := w.Arg(s.Clock.Now())
	due, late := isDue(now), isLate(now)
	paid, payments, differences := `p.amount`, withPayments, withDifferences
	if f.few() {
		paid, payments = paidAmount, ``
	}
	if f.unpaid() {
		differences = ` CROSS JOIN (SELECT 0::bigint AS paid, 0::bigint AS due) x`
	}
	return storage.Collect(ctx, s.PG.Pool, "sum prizes", func(row pgx.CollectableRow) (sum Sum, err error) {
		c := &sum.Currency
		err = row.Scan(&c.ID, &c.Code, &c.Name, &c.Symbol, &c.Digits, &c.Status, &sum.Won, &sum.WonTickets, &sum.Paid, &sum.PaidTickets,
			&sum.Expired, &sum.ExpiredOnes, &sum.Overpaid, &sum.Underpaid)
		return sum, err
	}, `SELECT c.id, c.code, c.name, c.symbol, c.digits, c.status, s.due, s.due_ones, s.paid, s.paid_ones, s.late, s.late_ones, s.over, s.under FROM (
		SELECT t.currency_id,
		coalesce(sum(t.prize) FILTER (WHERE `+due+`), 0)::bigint AS due, count(*) FILTER (WHERE `+due+`) AS due_ones,
		coalesce(sum(`+paid+`) FILTER (WHERE t.status = 'paid'), 0)::bigint AS paid, count(*) FILTER (WHERE t.status = 'paid') AS paid_ones,
		coalesce(sum(t.prize) FILTER (WHERE `+late+`), 0)::bigint AS late, count(*) FILTER (WHERE `+late+`) AS late_ones,
		coalesce(sum(x.paid - x.due) FILTER (WHERE x.paid > x.due), 0)::bigint AS over, coalesce(sum(x.due - x.paid) FILTER (WHERE x.due > x.paid), 0)::bigint AS under
		FROM tickets t`+payments+differences+w.SQL()+` GROUP BY t.currency_id
		) s JOIN currencies c ON c.id = s.currency_id ORDER BY c.code`, w.Args()...)
}
