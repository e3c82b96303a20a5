package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/recent"
	"banca/storage"
)

// Won is what won on a draw in one currency.
type Won struct {
	Tickets int          // with a line that won here
	Prizes  money.Amount // of the lines that won here
}

// wonKept bounds the answers of WonOn that are kept for the next seconds.
const wonKept = 256

// wonKey is what decides an answer of WonOn.
type wonKey struct {
	asOf     time.Time
	scope    string // a pattern of paths; "" for the operator
	currency uuid.UUID
	draws    string // of recent.Key
}

// WonOn returns what won on draws in a currency, of what was sold in the caller's scope, by draw. A draw without winners is missing, and so is one
// whose tickets are in the archive. All who ask with the same state of the totals share an answer for some seconds; callers must not change it.
func (s *Service) WonOn(ctx context.Context, by caller.Caller, currency uuid.UUID, draws []uuid.UUID, asOf time.Time) (map[uuid.UUID]Won, error) {
	key := wonKey{asOf: asOf, currency: currency, draws: recent.Key(draws)}
	if !by.IsOperator() {
		key.scope = by.Scope.Pattern()
	}
	return s.won.Get(ctx, key, func(ctx context.Context) (map[uuid.UUID]Won, error) { return s.readWon(ctx, by, currency, draws) })
}

func (s *Service) readWon(ctx context.Context, by caller.Caller, currency uuid.UUID, draws []uuid.UUID) (map[uuid.UUID]Won, error) {
	w := &storage.Where{}
	w.And(`w.draw_id = ANY (` + w.Arg(storage.UUIDs(draws)) + `)`)
	w.And(`w.annulled_at IS NULL AND t.currency_id = ` + w.Arg(currency))
	if !by.IsOperator() {
		w.And(`t.entity_id IN (SELECT id FROM entities WHERE path LIKE ` + w.Arg(by.Scope.Pattern()) + `)`)
	}
	rows, err := s.PG.Pool.Query(ctx, `SELECT w.draw_id, count(DISTINCT w.ticket_id), sum(w.prize)::bigint
		FROM winning_lines w JOIN tickets t ON t.id = w.ticket_id`+w.SQL()+` GROUP BY w.draw_id`, w.Args()...)
	if err != nil {
		return nil, fmt.Errorf("won on draws: %w", err)
	}
	all := map[uuid.UUID]Won{}
	var draw uuid.UUID
	var won Won
	_, err = pgx.ForEachRow(rows, []any{&draw, &won.Tickets, &won.Prizes}, func() error { all[draw] = won; return nil })
	if err != nil {
		return nil, fmt.Errorf("won on draws: %w", err)
	}
	return all, nil
}
