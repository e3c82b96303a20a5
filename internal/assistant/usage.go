package assistant

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"banca/internal/businessday"
	"banca/internal/caller"
	"banca/internal/completion"
)

// budget returns ErrBudget if the tokens of an entity are used up today.
func (s *Service) budget(ctx context.Context, entity uuid.UUID) error {
	allowed, own := s.Budgets[entity]
	if !own {
		allowed = s.DailyTokens
	}
	var used int64
	err := s.PG.Pool.QueryRow(ctx, `SELECT coalesce(sum(input_tokens + output_tokens), 0)::bigint FROM assistant_usage WHERE entity_id = $1 AND day = $2`, entity, s.today()).Scan(&used)
	if err != nil {
		return fmt.Errorf("read usage: %w", err)
	}
	if used >= allowed {
		return ErrBudget
	}
	return nil
}

// note adds an attempt to the usage of an entity. A failure is logged only: the answer is worth more than its count.
func (s *Service) note(ctx context.Context, entity uuid.UUID, a *completion.Attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	failed, first := int64(0), int64(0)
	if a.Kind != "" {
		failed = 1
	}
	if a.First > 0 {
		first = 1
	}
	_, err := s.PG.Pool.Exec(ctx, `INSERT INTO assistant_usage AS u (entity_id, day, model, attempts, failed, input_tokens, output_tokens, cost, latency_ms, first_ms, first_count)
		VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (entity_id, day, model) DO UPDATE SET attempts = u.attempts + 1, failed = u.failed + excluded.failed, input_tokens = u.input_tokens + excluded.input_tokens,
			output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost, latency_ms = u.latency_ms + excluded.latency_ms,
			first_ms = u.first_ms + excluded.first_ms, first_count = u.first_count + excluded.first_count`,
		entity, s.today(), a.Model, failed, a.Usage.Input, a.Usage.Output, a.Cost, a.Latency.Milliseconds(), a.First.Milliseconds(), first)
	if err != nil {
		s.Log.ErrorContext(ctx, "usage of a model was not counted", "model", a.Model, "error", err)
	}
}

// Usage is what a model was used for by an entity on a day.
type Usage struct {
	EntityID uuid.UUID
	Day      businessday.Day
	Model    string
	Attempts int64
	Failed   int64
	Input    int64 // tokens
	Output   int64
	Cost     int64 // millionths of a US dollar
	// LatencyMS and FirstMS are means, in milliseconds; FirstMS to the first text.
	LatencyMS, FirstMS int64
}

// Spent returns the usage of the entities in the caller's scope in a period, the newest day first.
func (s *Service) Spent(ctx context.Context, by caller.Caller, from, to businessday.Day) ([]Usage, error) {
	const most = 1_000
	rows, err := s.PG.Pool.Query(ctx, `SELECT u.entity_id, u.day, u.model, u.attempts, u.failed, u.input_tokens, u.output_tokens, u.cost, u.latency_ms / u.attempts, u.first_ms / greatest(u.first_count, 1)
		FROM assistant_usage u JOIN entities e ON e.id = u.entity_id WHERE e.path LIKE $1 AND u.day BETWEEN $2 AND $3 ORDER BY u.day DESC, u.entity_id, u.model LIMIT $4`,
		by.Scope.Pattern(), from, to, most)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	defer rows.Close()
	var out []Usage
	for rows.Next() {
		var u Usage
		if err := rows.Scan(&u.EntityID, &u.Day, &u.Model, &u.Attempts, &u.Failed, &u.Input, &u.Output, &u.Cost, &u.LatencyMS, &u.FirstMS); err != nil {
			return nil, fmt.Errorf("read usage: %w", err)
		}
		out = append(out, u)
	}
	return out, rows.Err()
}
