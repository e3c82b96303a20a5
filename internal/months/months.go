package months

import (
	"context"
	"fmt"
	"time"

	"banca/storage"
)

// Ahead is the number of months whose parts are made before they begin.
const Ahead = 3

// Service keeps the parts of the tables.
type Service struct{ PG *storage.Postgres }

// Prepare makes the parts of the next months and analyses the divided tables. It returns the number of parts made. Repeating it is harmless.
func (s *Service) Prepare(ctx context.Context) (int, error) {
	var made int
	if err := s.PG.Pool.QueryRow(ctx, `SELECT monthly_prepare($1)`, Ahead).Scan(&made); err != nil {
		return 0, fmt.Errorf("prepare the months: %w", err)
	}
	if _, err := s.PG.Pool.Exec(ctx, `SELECT monthly_analyse()`); err != nil {
		return made, fmt.Errorf("analyse the months: %w", err)
	}
	return made, nil
}

// State is what of the months needs attention.
type State struct {
	Until time.Time // the end of the last month for which all tables have a part
	Stray bool      // rows of no month exist
}

// Read returns the state.
func Read(ctx context.Context, q storage.RowQuerier) (State, error) {
	var s State
	if err := q.QueryRow(ctx, `SELECT ends AT TIME ZONE 'UTC', stray FROM monthly_state()`).Scan(&s.Until, &s.Stray); err != nil {
		return State{}, fmt.Errorf("read the months: %w", err)
	}
	s.Until = s.Until.UTC()
	return s, nil
}
