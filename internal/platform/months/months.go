package months

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/storage"
)

// Ahead is the number of months whose parts are made before they begin.
const Ahead = 3

// Service keeps the parts of the tables.
type Service struct {
	PG      *storage.Postgres
	Objects Store
	Clock   clock.Clock
	Keep    int // whole months before the current one that stay in the tables; 0 keeps all
	Log     *slog.Logger

	chunk int // rows of an object of the archive; 0 means chunkRows
}

// Prepare makes the parts of the next months. It returns the number of parts made. Repeating it is harmless.
func (s *Service) Prepare(ctx context.Context) (int, error) {
	var made int
	if err := s.PG.Pool.QueryRow(ctx, `SELECT monthly_prepare($1)`, Ahead).Scan(&made); err != nil {
		return 0, fmt.Errorf("prepare the months: %w", err)
	}
	return made, nil
}

// Analyse analyses the divided tables with their parts. It reads for as long as it takes.
func (s *Service) Analyse(ctx context.Context) error {
	err := s.long(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT monthly_analyse()`)
		return err
	})
	if err != nil {
		return fmt.Errorf("analyse the months: %w", err)
	}
	return nil
}

// State is what of the months needs attention.
type State struct {
	Until time.Time // the end of the last month for which all tables have a part
	Stray bool      // rows of no month exist
	Due   time.Time // when the oldest month should have left for the archive that is in the tables; zero if none should
}

// State returns the state.
func (s *Service) State(ctx context.Context, q storage.RowQuerier) (State, error) {
	var st State
	if err := q.QueryRow(ctx, `SELECT ends AT TIME ZONE 'UTC', stray FROM monthly_state()`).Scan(&st.Until, &st.Stray); err != nil {
		return State{}, fmt.Errorf("read the months: %w", err)
	}
	st.Until = st.Until.UTC()
	if s.Keep <= 0 {
		return st, nil
	}
	var ends *time.Time
	err := q.QueryRow(ctx, `SELECT min(p.ends) AT TIME ZONE 'UTC'`+dueParts, s.limit(), s.Clock.Now().Add(-returnedFor)).Scan(&ends)
	if err != nil {
		return State{}, fmt.Errorf("read the months: %w", err)
	}
	if ends != nil {
		st.Due = ends.UTC().AddDate(0, s.Keep, 0)
	}
	return st, nil
}

// firstKept is, of archived months, the first day behind them in every time zone.
const firstKept = `SELECT max(ends)::date + 2 FROM month_archives WHERE state = 'archived'`

// KeptFrom returns the first day before which days are in the archive, in every time zone; zero if none are.
func KeptFrom(ctx context.Context, q storage.RowQuerier) (businessday.Day, error) {
	return firstDay(ctx, q, firstKept)
}

func firstDay(ctx context.Context, q storage.RowQuerier, sql string, args ...any) (businessday.Day, error) {
	var day *businessday.Day
	if err := q.QueryRow(ctx, sql, args...).Scan(&day); err != nil {
		return businessday.Day{}, fmt.Errorf("look into the archive: %w", err)
	}
	if day == nil {
		return businessday.Day{}, nil
	}
	return *day, nil
}

// ofPeriod selects of archived months those that have rows of a period. A row's id is made some moments before or
// after the time that it bears.
const ofPeriod = ` AND ends > $1::timestamptz AT TIME ZONE 'UTC' - interval '1 hour'
	AND (label LIKE 'before\_%' OR ends - interval '1 month' < $2::timestamptz AT TIME ZONE 'UTC' + interval '1 hour')`

// RequireKept refuses a period of which days are in the archive. before is its end; zero for none. Errors:
// ErrPeriodArchived with the first day behind them.
func RequireKept(ctx context.Context, q storage.RowQuerier, from, before time.Time) error {
	if before.IsZero() {
		before = endless()
	}
	first, err := firstDay(ctx, q, firstKept+ofPeriod, from, before)
	if err != nil || first.IsZero() {
		return err
	}
	return ErrPeriodArchived.WithDetails(apperr.Line("FIRST_KEPT_DAY", "the first day that can be listed is "+first.String(), "day", first.String()).At("from"))
}

func endless() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// RequireKeptID refuses an id of a frozen month. Errors: ErrArchived.
func RequireKeptID(ctx context.Context, q storage.RowQuerier, id uuid.UUID) error {
	return refuse(ctx, q, `SELECT EXISTS (SELECT FROM month_archives WHERE least_id <= $1 AND $1 < before_id)`, id)
}

// RequireDrawKept refuses a draw on which lines are that cannot change any more. Errors: ErrArchived.
func RequireDrawKept(ctx context.Context, q storage.RowQuerier, at time.Time) error {
	return refuse(ctx, q, `SELECT EXISTS (SELECT FROM month_archives WHERE draws_until >= $1)`, at)
}

// RequireDrawListed refuses a draw on which lines are that are not in the tables. Errors: ErrArchived.
func RequireDrawListed(ctx context.Context, q storage.RowQuerier, at time.Time) error {
	return refuse(ctx, q, `SELECT EXISTS (SELECT FROM month_archives WHERE state = 'archived' AND draws_until >= $1
		AND (label LIKE 'before\_%' OR ends - interval '1 month' <= $1::timestamptz AT TIME ZONE 'UTC'))`, at)
}

func refuse(ctx context.Context, q storage.RowQuerier, sql string, arg any) error {
	var frozen bool
	if err := q.QueryRow(ctx, sql, arg).Scan(&frozen); err != nil {
		return fmt.Errorf("look into the archive: %w", err)
	}
	if frozen {
		return ErrArchived
	}
	return nil
}
