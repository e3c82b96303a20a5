package draws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Result is one version of a draw's result.
type Result struct {
	ID         uuid.UUID
	DrawID     uuid.UUID
	Version    int
	Outcome    catalog.Outcome
	Status     string
	Origin     string // typed, fetched or derived
	Source     string // source of a fetched result; base game of a derived result
	Evidence   []byte // JSON object
	Supersedes uuid.UUID
	Reason     string
	EnteredBy  uuid.UUID
	EnteredAt  time.Time
	VerifiedBy uuid.UUID // Nil when a policy verified it
	VerifiedAt time.Time
	ClosedBy   uuid.UUID // who rejected or superseded it; Nil for none
	ClosedAt   time.Time
	Game       Named
	Draw       DrawRef
}

// Named is the id of a row with its name.
type Named struct {
	ID   uuid.UUID
	Name string
}

// DrawRef names the draw of a result.
type DrawRef struct {
	Number string
	Time   time.Time
	Status string
}

// resultColumns are read by scanResult.
const resultColumns = `r.id, r.draw_id, r.version, r.value, r.sign, r.wildcard, r.flags, r.status, r.origin, r.source, r.evidence,
	r.supersedes, r.reason, r.entered_by, r.entered_at, r.verified_by, r.verified_at, r.closed_by, r.closed_at,
	g.id, g.name, d.draw_number, d.draw_time, d.status`

const fromResults = ` FROM results r JOIN draws d ON d.id = r.draw_id JOIN games g ON g.id = d.game_id `

func scanResult(row pgx.CollectableRow) (Result, error) {
	var r Result
	var supersedes, enteredBy, verifiedBy, closedBy uuid.NullUUID
	var verifiedAt, closedAt *time.Time
	err := row.Scan(&r.ID, &r.DrawID, &r.Version, &r.Outcome.Value, &r.Outcome.Sign, &r.Outcome.Wildcard, &r.Outcome.Flags, &r.Status,
		&r.Origin, &r.Source, &r.Evidence, &supersedes, &r.Reason, &enteredBy, &r.EnteredAt, &verifiedBy, &verifiedAt,
		&closedBy, &closedAt,
		&r.Game.ID, &r.Game.Name, &r.Draw.Number, &r.Draw.Time, &r.Draw.Status)
	r.Supersedes, r.EnteredBy, r.VerifiedBy = supersedes.UUID, enteredBy.UUID, verifiedBy.UUID
	r.ClosedBy, r.VerifiedAt, r.ClosedAt = closedBy.UUID, models.Instant(verifiedAt), models.Instant(closedAt)
	r.EnteredAt, r.Draw.Time = r.EnteredAt.UTC(), r.Draw.Time.UTC()
	return r, err
}

// resultBy reads the result that the clause where selects. Errors: ErrResultNotFound.
func resultBy(ctx context.Context, q storage.Querier, where string, args ...any) (*Result, error) {
	rows, err := q.Query(ctx, `SELECT `+resultColumns+fromResults+where, args...)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, scanResult)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrResultNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return &r, nil
}

// Result returns one result. Only the operator may see results that were never verified. Errors: ErrResultNotFound.
func (s *Service) Result(ctx context.Context, by caller.Caller, id uuid.UUID) (*Result, error) {
	r, err := resultBy(ctx, s.PG.Pool, `WHERE r.id = $1`, id)
	if err == nil && r.VerifiedAt.IsZero() && !by.IsOperator() {
		return nil, ErrResultNotFound
	}
	return r, err
}

// ResultFilter selects results; zero fields select all.
type ResultFilter struct {
	DrawID uuid.UUID
	GameID uuid.UUID
	Games  []uuid.UUID // one of them
	Status string
	Date   businessday.Day // of the draw
	Limit  int
	Offset int
}

func (f *ResultFilter) where(by caller.Caller) *storage.Where {
	w := &storage.Where{}
	if f.DrawID != uuid.Nil {
		w.And(`r.draw_id = ` + w.Arg(f.DrawID))
	}
	if f.GameID != uuid.Nil {
		w.And(`d.game_id = ` + w.Arg(f.GameID))
	}
	if len(f.Games) > 0 {
		w.And(`d.game_id = ANY (` + w.Arg(storage.UUIDs(f.Games)) + `)`)
	}
	if f.Status != "" {
		w.And(`r.status = ` + w.Arg(f.Status))
	}
	if !f.Date.IsZero() {
		w.And(fmt.Sprintf(dayBounds, w.Arg(f.Date), w.Arg(f.Date)))
	}
	if !by.IsOperator() {
		w.And(`r.verified_at IS NOT NULL`)
	}
	return w
}

// Results returns a page of the results that a filter selects, latest draws first, and the number of all.
// Only the operator may see results that were never verified.
func (s *Service) Results(ctx context.Context, by caller.Caller, f *ResultFilter) ([]Result, int64, error) {
	listing := &storage.Listing{Columns: resultColumns, From: fromResults, Where: f.where(by), Order: `d.draw_time DESC, r.draw_id, r.version DESC`}
	list, total, err := storage.List(ctx, s.PG.Pool, listing, scanResult, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list results: %w", err)
	}
	return list, total, nil
}

// draw is the part of a draw that a change of it needs.
type draw struct {
	ID       uuid.UUID
	GameID   uuid.UUID
	Status   string
	Time     time.Time
	Number   string
	ResultID uuid.UUID // of the verified result; Nil when none
}

// lockDraw locks a draw's row. Errors: ErrDrawNotFound.
func lockDraw(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*draw, error) {
	return readDraw(ctx, tx, id, " FOR UPDATE")
}

// readDraw reads a draw. lock is the locking clause of the statement, or "". Errors: ErrDrawNotFound.
func readDraw(ctx context.Context, tx storage.RowQuerier, id uuid.UUID, lock string) (*draw, error) {
	d := draw{ID: id}
	var result uuid.NullUUID
	err := tx.QueryRow(ctx, `SELECT game_id, status, draw_time, draw_number, result_id FROM draws WHERE id = $1`+lock, id).
		Scan(&d.GameID, &d.Status, &d.Time, &d.Number, &result)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrDrawNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("lock draw: %w", err)
	}
	d.ResultID = result.UUID
	return &d, nil
}

// mayHaveResult returns nil if a draw may have a result at now. Errors: ErrNotClosed, ErrSuspended, ErrNotHeld.
func (d *draw) mayHaveResult(now time.Time) error {
	switch {
	case d.Status == models.DrawScheduled || d.Status == models.DrawOpen:
		return ErrNotClosed
	case d.Status == models.DrawSuspended:
		return ErrSuspended
	case now.Before(d.Time):
		return ErrNotHeld
	}
	return nil
}
