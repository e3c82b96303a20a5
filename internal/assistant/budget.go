package assistant

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/completion"
)

// checkBudget returns ErrBudget if the tokens of an entity are used up today.
func (s *Service) checkBudget(ctx context.Context, entity uuid.UUID) error {
	allowed, err := s.Tokens(ctx, entity)
	if err != nil {
		return err
	}
	var used int64
	err = s.PG.Pool.QueryRow(ctx, `SELECT tokens FROM assistant_budgets WHERE entity_id = $1 AND day = $2`, entity, s.today()).Scan(&used)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read budget: %w", err)
	}
	if used >= allowed {
		return ErrBudget
	}
	return nil
}

// reservation is the estimated tokens of a call that is being made. A killed process leaves it, and it counts as spent.
type reservation struct {
	entity uuid.UUID
	day    businessday.Day
	tokens int64
}

// reserve takes the estimated tokens of a call from the budget of today. It succeeds while anything is left, so that
// all calls together exceed the budget by one call at most, as far as the estimates are right. Errors: ErrBudget.
func (s *Service) reserve(ctx context.Context, entity uuid.UUID, tokens int64) (*reservation, error) {
	allowed, err := s.Tokens(ctx, entity)
	if err != nil {
		return nil, err
	}
	if allowed <= 0 {
		return nil, ErrBudget
	}
	r := &reservation{entity: entity, day: s.today(), tokens: tokens}
	tag, err := s.PG.Pool.Exec(ctx, `INSERT INTO assistant_budgets AS b (entity_id, day, tokens) VALUES ($1, $2, $3)
		ON CONFLICT (entity_id, day) DO UPDATE SET tokens = b.tokens + excluded.tokens WHERE b.tokens < $4`, r.entity, r.day, r.tokens, allowed)
	if err != nil {
		return nil, fmt.Errorf("reserve tokens: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil, ErrBudget
	}
	return r, nil
}

// recordSQL replaces the reservation of an attempt by what it took, and adds the attempt to the usage.
const recordSQL = `WITH settled AS (UPDATE assistant_budgets SET tokens = greatest(tokens - $11 + $5 + $6, 0) WHERE entity_id = $1 AND day = $2)
	INSERT INTO assistant_usage AS u (entity_id, day, model, attempts, failed, input_tokens, output_tokens, cost, latency_ms, first_ms, first_count)
	VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10)
	ON CONFLICT (entity_id, day, model) DO UPDATE SET attempts = u.attempts + 1, failed = u.failed + excluded.failed, input_tokens = u.input_tokens + excluded.input_tokens,
		output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost, latency_ms = u.latency_ms + excluded.latency_ms,
		first_ms = u.first_ms + excluded.first_ms, first_count = u.first_count + excluded.first_count`

// record counts an attempt with what it took. A failure is logged only, because the answer is worth more than its
// count; the reservation then stays.
func (s *Service) record(ctx context.Context, r *reservation, a *completion.Attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	failed, first := int64(0), int64(0)
	if a.Kind != "" && a.Kind != completion.Stopped {
		failed = 1
	}
	if a.First > 0 {
		first = 1
	}
	_, err := s.PG.Pool.Exec(ctx, recordSQL,
		r.entity, r.day, a.Model, failed, a.Usage.Input, a.Usage.Output, a.Cost, a.Latency.Milliseconds(), a.First.Milliseconds(), first, r.tokens)
	if err != nil {
		s.Log.ErrorContext(ctx, "usage of a model was not counted", "model", a.Model, "error", err)
	}
}
