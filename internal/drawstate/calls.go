package drawstate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Attempt is a claimed turn to call the external systems of a draw's game.
type Attempt struct {
	Number     int // counted from one
	GameID     uuid.UUID
	DrawNumber string
	DrawTime   time.Time
	Config     []byte // api_config of the game
}

// ClaimClosing claims the attempt to close a draw in the external systems until lease, if one is due by due. It returns nil if
// none is due, if another task has it, or if the systems have closed the draw.
func ClaimClosing(ctx context.Context, q storage.RowQuerier, id uuid.UUID, due, lease time.Time) (*Attempt, error) {
	return claim(ctx, q, `UPDATE draws d SET external_attempts = external_attempts + 1, external_next_at = $3 FROM games g
		WHERE d.id = $1 AND g.id = d.game_id AND d.closed_at IS NOT NULL AND d.external_closed_at IS NULL
			AND (d.external_next_at IS NULL OR d.external_next_at <= $2)
		RETURNING d.external_attempts, d.game_id, d.draw_number, d.draw_time, g.api_config`, id, due, lease)
}

// ClaimPoll claims the attempt to fetch the result of a closed draw, as ClaimClosing does.
func ClaimPoll(ctx context.Context, q storage.RowQuerier, id uuid.UUID, due, lease time.Time) (*Attempt, error) {
	return claim(ctx, q, `UPDATE draws d SET poll_attempts = poll_attempts + 1, poll_next_at = $3 FROM games g
		WHERE d.id = $1 AND g.id = d.game_id AND d.status = 'closed' AND d.result_id IS NULL AND d.poll_next_at <= $2
		RETURNING d.poll_attempts, d.game_id, d.draw_number, d.draw_time, g.api_config`, id, due, lease)
}

func claim(ctx context.Context, q storage.RowQuerier, sql string, id uuid.UUID, due, lease time.Time) (*Attempt, error) {
	var a Attempt
	err := q.QueryRow(ctx, sql, id, due, lease).Scan(&a.Number, &a.GameID, &a.DrawNumber, &a.DrawTime, &a.Config)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // as documented
	}
	if err != nil {
		return nil, fmt.Errorf("claim attempt: %w", err)
	}
	return &a, nil
}

// ClosedExternally marks a draw as closed in the external systems.
func ClosedExternally(ctx context.Context, q storage.Execer, id uuid.UUID, now time.Time) error {
	return write(ctx, q, "close draw externally", `UPDATE draws SET external_closed_at = $2, external_next_at = NULL WHERE id = $1 AND external_closed_at IS NULL`, id, now)
}

// ClosingAtTx plans the next attempt to close a draw in the external systems.
func ClosingAtTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, next time.Time) error {
	return write(ctx, tx, "plan closing", `UPDATE draws SET external_next_at = $2 WHERE id = $1`, id, next)
}

// PollAtTx plans the next attempt to fetch the result of a draw.
func PollAtTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, next time.Time) error {
	return write(ctx, tx, "plan poll", `UPDATE draws SET poll_next_at = $2 WHERE id = $1`, id, next)
}

// StopPollTx ends the attempts to fetch the result of a draw.
func StopPollTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	return write(ctx, tx, "stop polls", `UPDATE draws SET poll_next_at = NULL WHERE id = $1`, id)
}
