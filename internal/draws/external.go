package draws

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// noSources is true of a game that no external system knows of.
const noSources = `(SELECT coalesce(jsonb_array_length(g.api_config -> 'sources'), 0) FROM games g WHERE g.id = draws.game_id) = 0`

// CloseExternal marks a draw that no external system has to be told of.
func (s *Service) CloseExternal(ctx context.Context, id uuid.UUID) error {
	if _, err := s.PG.Pool.Exec(ctx, `UPDATE draws SET external_closed_at = $2 WHERE id = $1 AND external_closed_at IS NULL AND `+noSources, id, s.Clock.Now()); err != nil {
		return fmt.Errorf("close draw outside: %w", err)
	}
	return nil
}

// Poll ends the polling of a draw that no external system publishes.
func (s *Service) Poll(ctx context.Context, id uuid.UUID) error {
	if _, err := s.PG.Pool.Exec(ctx, `UPDATE draws SET poll_next_at = NULL WHERE id = $1 AND `+noSources, id); err != nil {
		return fmt.Errorf("poll result: %w", err)
	}
	return nil
}
