package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
)

// What remains after a setup.
const (
	RemainsSecond = "second" // factor of the user
	RemainsPoints = "points" // no entity below the operator
	RemainsDraw   = "draw"   // no draw
	RemainsDevice = "device" // no registered device
	RemainsBank   = "bank"   // the bank has not called, neither has its simulator
	RemainsSource = "source" // a game names a source of results that is not configured
)

// remaining reads what remains, in the order of the constants, after a setup that is finished.
const remaining = `SELECT EXISTS (SELECT 1 FROM users WHERE id = $1 AND totp_enabled_at IS NULL),
	NOT EXISTS (SELECT 1 FROM entities WHERE parent_id IS NOT NULL), NOT EXISTS (SELECT 1 FROM draws),
	NOT EXISTS (SELECT 1 FROM devices), NOT EXISTS (SELECT 1 FROM bank_events) FROM first_setup WHERE done_at IS NOT NULL`

// Remaining lists what a user still has to do after the setup. A database that was not set up by this release has
// nothing.
func (s *Service) Remaining(ctx context.Context, user uuid.UUID) ([]string, error) {
	if s.complete.Load() {
		return nil, nil
	}
	if needed, err := s.Needed(ctx); err != nil || needed {
		return nil, err
	}
	keys := []string{RemainsSecond, RemainsPoints, RemainsDraw, RemainsDevice, RemainsBank}
	open := make([]bool, len(keys))
	err := s.PG.Pool.QueryRow(ctx, remaining, user).Scan(&open[0], &open[1], &open[2], &open[3], &open[4])
	if errors.Is(err, pgx.ErrNoRows) {
		s.complete.Store(true)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what remains of the setup: %w", err)
	}
	var list []string
	for i, key := range keys {
		if open[i] {
			list = append(list, key)
		}
	}
	if unknown, err := catalog.UnknownSources(ctx, s.PG.Pool, s.Sources); err != nil {
		return nil, err
	} else if len(unknown) > 0 {
		list = append(list, RemainsSource)
	}
	return list, nil
}
