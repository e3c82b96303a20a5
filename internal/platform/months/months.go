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

// Ahead is the number of months whose partitions are created before they begin.
const Ahead = 3

// Service keeps the partitions of the tables.
type Service struct {
	PG      *storage.Postgres
	Objects Store
	Clock   clock.Clock
	Keep    int // whole months before the current one that stay in the tables; 0 keeps all
	Log     *slog.Logger

	chunk int // rows of an object of the archive; 0 means chunkRows
}

// Prepare creates the partitions of the next months and returns their number. It is idempotent.
func (s *Service) Prepare(ctx context.Context) (int, error) {
	var made int
	if err := s.PG.Pool.QueryRow(ctx, `SELECT monthly_prepare($1)`, Ahead).Scan(&made); err != nil {
		return 0, fmt.Errorf("prepare the months: %w", err)
	}
	return made, nil
}

// Analyse analyses the partitioned tables, without a statement timeout.
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

// State reports the months that need attention.
type State struct {
	Until time.Time // end of the last month with all partitions
	Stray bool      // the default partition has rows
	Due   time.Time // when the oldest month in the tables should have been archived; zero if none is due
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
	err := q.QueryRow(ctx, `SELECT min(p.ends) AT TIME ZONE 'UTC'`+duePartitions, s.limit(), s.Clock.Now().Add(-returnedFor)).Scan(&ends)
	if err != nil {
		return State{}, fmt.Errorf("read the months: %w", err)
	}
	if ends != nil {
		st.Due = ends.UTC().AddDate(0, s.Keep, 0)
	}
	return st, nil
}

// firstKept is the first day after the archived months in every time zone.
const firstKept = `SELECT max(ends)::date + 2 FROM month_archives WHERE state = 'archived'`

// KeptFrom returns the first day that is not archived in any time zone; zero if nothing is archived.
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

// ofPeriod selects the archived months with rows of a period. The timestamps of a row and of its id differ by moments.
const ofPeriod = ` AND ends > $1::timestamptz AT TIME ZONE 'UTC' - interval '1 hour'
	AND (label LIKE 'before\_%' OR ends - interval '1 month' < $2::timestamptz AT TIME ZONE 'UTC' + interval '1 hour')`

// RequireKept refuses a period with archived days. before is its end; zero for none. Errors: ErrPeriodArchived with the
// first day after them.
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

// RequireDrawKept refuses a draw with lines of a frozen month. Errors: ErrArchived.
func RequireDrawKept(ctx context.Context, q storage.RowQuerier, at time.Time) error {
	return refuse(ctx, q, `SELECT EXISTS (SELECT FROM month_archives WHERE draws_until >= $1)`, at)
}

// RequireDrawListed refuses a draw with archived lines. Errors: ErrArchived.
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
