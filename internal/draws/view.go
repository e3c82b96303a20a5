package draws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/models"
	"banca/storage"
)

// View is a draw with its history, for operators.
type View struct {
	ID               uuid.UUID
	Game             Named
	Number           string
	LocalDate        businessday.Day
	Time             time.Time
	OpensAt          time.Time // of the sales; zero for a draw that was on sale from the beginning
	SaleStopAt       time.Time
	Status           string
	ClosedAt         time.Time
	CacheClosedAt    time.Time
	ExternalClosedAt time.Time
	SealedTickets    int
	PollAttempts     int
	PollNextAt       time.Time
	SettledAt        time.Time
	SuspendedAt      time.Time
	SuspendReason    string
	RefundedAt       time.Time
	Value            string // of the verified result, or ""
	Result           string // the verified result with the name of its value, such as 5 León; or ""
	Proposed         string // value that awaits verification, "" when none does
	ProposedResult   string // it with its name
	SealBroken       bool   // the draw has an open alert of a broken seal
}

const viewColumns = `d.id, g.id, g.name, d.draw_number, d.local_date, d.draw_time, d.opens_at, d.sale_stop_at, d.status, d.closed_at, d.cache_closed_at, d.external_closed_at,
	coalesce(d.sealed_tickets, 0), d.poll_attempts, d.poll_next_at, d.settled_at, d.suspended_at, d.suspend_reason, d.refunded_at,
	coalesce(concat_ws(' ', r.value, nullif(r.sign, ''), nullif(r.wildcard, ''), nullif(array_to_string(r.flags, ' '), '')), ''),
	coalesce((SELECT p.value FROM results p WHERE p.draw_id = d.id AND p.status = 'proposed' ORDER BY p.version DESC LIMIT 1), ''),
	EXISTS (SELECT 1 FROM draw_alerts a WHERE a.draw_id = d.id AND a.kind = 'seal_broken' AND a.acknowledged_at IS NULL)`

const fromViews = ` FROM draws d JOIN games g ON g.id = d.game_id LEFT JOIN results r ON r.id = d.result_id `

func scanView(row pgx.CollectableRow) (View, error) {
	var v View
	var opens, closed, cache, external, poll, settled, suspended, refunded *time.Time
	err := row.Scan(&v.ID, &v.Game.ID, &v.Game.Name, &v.Number, &v.LocalDate, &v.Time, &opens, &v.SaleStopAt, &v.Status, &closed, &cache, &external,
		&v.SealedTickets, &v.PollAttempts, &poll, &settled, &suspended, &v.SuspendReason, &refunded, &v.Value, &v.Proposed, &v.SealBroken)
	v.Time, v.OpensAt, v.SaleStopAt = v.Time.UTC(), models.Instant(opens), v.SaleStopAt.UTC()
	v.ClosedAt, v.CacheClosedAt, v.ExternalClosedAt, v.PollNextAt = models.Instant(closed), models.Instant(cache), models.Instant(external), models.Instant(poll)
	v.SettledAt, v.SuspendedAt, v.RefundedAt = models.Instant(settled), models.Instant(suspended), models.Instant(refunded)
	return v, err
}

// Show returns a draw. Errors: ErrDrawNotFound.
func (s *Service) Show(ctx context.Context, id uuid.UUID) (*View, error) {
	rows, err := s.PG.Pool.Query(ctx, `SELECT `+viewColumns+fromViews+`WHERE d.id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, scanView)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrDrawNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	return &v, s.nameResult(ctx, &v)
}

// Neighbour is a draw of the same game before or after another.
type Neighbour struct {
	ID    uuid.UUID // Nil for none
	Time  time.Time
	After bool
}

// Neighbours returns the draws of its game directly before and after a draw.
func (s *Service) Neighbours(ctx context.Context, v *View) (before, after Neighbour, err error) {
	var n Neighbour
	err = storage.Each(ctx, s.PG.Pool, "neighbours of draw", []any{&n.ID, &n.Time, &n.After}, func() error {
		if n.Time = n.Time.UTC(); n.After {
			after = n
		} else {
			before = n
		}
		return nil
	}, `(SELECT id, draw_time, false FROM draws WHERE game_id = $1 AND draw_time < $2 ORDER BY draw_time DESC LIMIT 1)
		UNION ALL (SELECT id, draw_time, true FROM draws WHERE game_id = $1 AND draw_time > $2 ORDER BY draw_time LIMIT 1)`, v.Game.ID, v.Time)
	return before, after, err
}

// nameResult adds the names of the results of a draw, from the catalogue in memory.
func (s *Service) nameResult(ctx context.Context, v *View) error {
	if v.Value == "" && v.Proposed == "" {
		return nil
	}
	game, err := s.Catalog.Game(ctx, v.Game.ID)
	if err != nil {
		return fmt.Errorf("name the result of draw %s: %w", v.ID, err)
	}
	v.Result, v.ProposedResult = game.ResultText(v.Value), game.ResultText(v.Proposed)
	return nil
}

// ViewFilter selects draws; zero fields select all. Waiting selects the draws that were held and have no verified
// result, and those with a proposed result.
type ViewFilter struct {
	IDs     []uuid.UUID
	Date    businessday.Day
	Through businessday.Day // last day of a period that begins with Date; zero for the one day
	GameID  uuid.UUID
	Status  string
	Waiting bool
	Nearest bool // first the draws of the next hour; then the past ones, the latest first; then the later ones
	Drawn   bool // of the nearest draws, the past ones are the first
	Now     time.Time
	Limit   int
	Offset  int
}

// dayBounds selects the draws of local dates, from one to another. It also bounds their time, for any time zone,
// because local_date has no index of its own.
const dayBounds = `d.draw_time >= %[1]s::date - interval '1 day' AND d.draw_time < %[2]s::date + interval '2 days' AND d.local_date BETWEEN %[1]s::date AND %[2]s::date`

// isWaiting selects the draws that were held before an instant and have no verified result, and those with a proposed
// result. Its conditions use indexes: on sale_stop_at, which is never after draw_time, and on proposed results, with
// one index for typed results and one for others.
const isWaiting = `d.id IN (SELECT w.id FROM draws w WHERE w.status IN ('open', 'closed') AND w.sale_stop_at <= %[1]s AND w.draw_time <= %[1]s
	UNION ALL SELECT p.draw_id FROM results p WHERE p.status = 'proposed' AND p.origin = 'typed'
	UNION ALL SELECT p.draw_id FROM results p WHERE p.status = 'proposed' AND p.origin <> 'typed')`

func (f *ViewFilter) where() *storage.Where {
	w := &storage.Where{}
	if !f.Date.IsZero() {
		last := f.Through
		if last.IsZero() {
			last = f.Date
		}
		w.And(fmt.Sprintf(dayBounds, w.Arg(f.Date), w.Arg(last)))
	}
	if len(f.IDs) > 0 {
		w.And(`d.id = ANY (` + w.Arg(storage.UUIDs(f.IDs)) + `)`)
	}
	if f.GameID != uuid.Nil {
		w.And(`d.game_id = ` + w.Arg(f.GameID))
	}
	if f.Status != "" {
		w.And(`d.status = ` + w.Arg(f.Status))
	}
	if f.Waiting {
		w.And(fmt.Sprintf(isWaiting, w.Arg(f.Now)))
	}
	return w
}

// soon is how far the draws reach with which a list of the nearest ones begins.
const soon = time.Hour

// Nearness is the part of a list of the nearest draws that a draw is in at a time: "soon", "past" or "later".
func (v *View) Nearness(now time.Time) string {
	switch until := v.Time.Sub(now); {
	case until <= 0:
		return "past"
	case until <= soon:
		return "soon"
	default:
		return "later"
	}
}

// Views returns a page of the draws that a filter selects, ordered by time or from the nearest on, and the number of all.
func (s *Service) Views(ctx context.Context, f *ViewFilter) ([]View, int64, error) {
	listing := &storage.Listing{Columns: viewColumns, From: fromViews, CountFrom: `FROM draws d`, Where: f.where(), Order: `d.draw_time, g.position, d.id`}
	if f.Nearest {
		now, later := listing.Where.Arg(f.Now)+`::timestamptz`, listing.Where.Arg(f.Now.Add(soon))+`::timestamptz`
		listing.Where.And(now + ` <= ` + later) // the count has the arguments, too
		first := `d.draw_time > ` + later + `, d.draw_time <= ` + now
		if f.Drawn {
			first = `d.draw_time > ` + now
		}
		listing.Order = first + `, CASE WHEN d.draw_time > ` + now + ` THEN d.draw_time END, d.draw_time DESC, g.position, d.id`
	}
	list, total, err := storage.List(ctx, s.PG.Pool, listing, scanView, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list draws: %w", err)
	}
	for i := range list {
		if err := s.nameResult(ctx, &list[i]); err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

// Sold is the sales of a draw in one currency, and their outcome.
type Sold struct {
	CurrencyID uuid.UUID
	Tickets    int
	Stakes     money.Amount // of the lines on the draw
	Winners    int          // tickets with a line that won here
	Prizes     money.Amount // of the lines that won here
	Refunded   money.Amount
}

// SoldOn returns the sums of the sales of a draw by currency. Errors: months.ErrArchived.
func (s *Service) SoldOn(ctx context.Context, id uuid.UUID) ([]Sold, error) {
	d, err := readDraw(ctx, s.PG.Pool, id, "")
	if err != nil {
		return nil, err
	}
	if err := months.RequireDrawListed(ctx, s.PG.Pool, d.Time); err != nil {
		return nil, err
	}
	rows, err := s.PG.Pool.Query(ctx, `
		SELECT l.currency_id, l.tickets, l.stakes, coalesce(w.winners, 0), coalesce(w.prizes, 0)::bigint, coalesce(r.refunded, 0)::bigint
		FROM (SELECT t.currency_id, count(*) AS tickets, sum(s.stakes)::bigint AS stakes
			FROM (SELECT ticket_id, sum(amount) AS stakes FROM ticket_lines WHERE draw_id = $1 GROUP BY 1) s JOIN tickets t ON t.id = s.ticket_id
			WHERE t.status <> 'cancelled' OR t.refunds > 0 GROUP BY 1) l
		LEFT JOIN (SELECT t.currency_id, count(DISTINCT t.id) AS winners, sum(w.prize) AS prizes FROM winning_lines w JOIN tickets t ON t.id = w.ticket_id
			WHERE w.draw_id = $1 AND w.annulled_at IS NULL GROUP BY 1) w ON w.currency_id = l.currency_id
		LEFT JOIN (SELECT t.currency_id, sum(r.amount) AS refunded FROM draw_refunds r JOIN tickets t ON t.id = r.ticket_id WHERE r.draw_id = $1 GROUP BY 1) r
			ON r.currency_id = l.currency_id
		ORDER BY l.currency_id`, id)
	if err != nil {
		return nil, fmt.Errorf("sold on draw: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Sold])
}
