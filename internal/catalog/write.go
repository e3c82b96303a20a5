package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/storage"
)

// errDryRun rolls a transaction back that was only to be tried.
var errDryRun = errors.New("catalog: dry run")

// write runs a change of the catalogue as a whole.
func (s *Service) write(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return s.change(ctx, func(tx pgx.Tx) error {
		if err := storage.LockCatalogue.Take(ctx, tx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// writeGame runs a change of one game.
func (s *Service) writeGame(ctx context.Context, game uuid.UUID, fn func(tx pgx.Tx) error) error {
	return s.change(ctx, func(tx pgx.Tx) error {
		if err := lockGame(ctx, tx, game); err != nil {
			return err
		}
		return fn(tx)
	})
}

func lockGame(ctx context.Context, tx pgx.Tx, games ...uuid.UUID) error {
	keys := make([]int32, len(games))
	for i := range games {
		keys[i] = storage.Key(games[i])
	}
	return storage.LockGame.TakeKeys(ctx, tx, keys...)
}

// change runs a transaction. What this process has cached is dropped after it; other processes learn of the change
// when theirs expires.
func (s *Service) change(ctx context.Context, fn func(tx pgx.Tx) error) error {
	err := s.pg.InTx(ctx, fn)
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err == nil {
		s.Forget()
		s.options.Wake()
	}
	return err
}

// record adds an entry to the activity log, as the last statement of its transaction. The catalogue is the operator's.
func record(
	ctx context.Context, tx pgx.Tx, action activity.Action, target uuid.UUID, details any, changes activity.Changes,
) error {
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{
		Action: action, Target: target.String(), Details: details, Changes: changes,
	})
}

// entryDetails are the details of an entry about a change.
type entryDetails struct {
	Code    string           `json:"code"`
	Name    string           `json:"name"`
	Changes activity.Changes `json:"-"`
	Fields  []string         `json:"fields,omitempty"` // whose documents were changed
	Forced  string           `json:"forced,omitempty"`
	Version int              `json:"rule_version,omitempty"`
}
