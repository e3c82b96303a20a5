package risk_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/risk"
	"banca/models"
)

// fields reads the names of a draw's counts.
func (e *engine) fields(t testing.TB, draw uuid.UUID) []string {
	t.Helper()
	all, err := e.env.Redis.HGetAll(t.Context(), "risk:{"+draw.String()+"}:n").Result()
	require.NoError(t, err)
	var names []string
	for name := range all {
		if name != "run" && name != "epoch" && name != "plan" && name != "rev" && name != "about" {
			names = append(names, name)
		}
	}
	return names
}

// Only counts that a limit needs are kept.
func TestOnlyLimitedLevelsAreCounted(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.exec(t, `DELETE FROM risk_limits`)
	_, err := e.Reserve(t.Context(), e.request(500, e.draws[0]))
	require.NoError(t, err)
	require.Empty(t, e.fields(t, e.draws[0]), "nothing is limited")
	e.limit(t, 1, 100_000)
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, pct_bps, element) VALUES (gen_random_uuid(), $1, $2, 'liability', 1, 5, 'x')`,
		e.chain[2].ID, e.currency)
	_, err = e.Reserve(t.Context(), e.request(300, e.draws[0]))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"2:VES:s:straight|5", "3:VES:t", "3:VES:l:straight|5"}, e.fields(t, e.draws[0]))
}

// sell puts a ticket into Postgres as the sale does, without the engine.
func (e *engine) sell(t testing.TB, draw uuid.UUID, stake int64) {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	e.exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		VALUES ($1, $1::uuid::text, '1', $2, $1, $1, $3, 'pending', $4::bigint, $4::bigint * 30, $5, $5, $5)`, id, e.chain[2].ID, e.currency, stake, e.clock.Now())
	e.exec(t, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		VALUES ($1, 0, $2, $3, 'straight', '5', $4::bigint, 3000, $4::bigint * 30, 1, '{}')`, id, draw, e.game, stake)
}

// The first limit of its kind counts earlier sales, too, at once in the process that changed it; a process that still
// has the old limits cached harms nothing: its reservation finds another plan and reads the limits again.
func TestTheFirstLimitOfALevelCountsWhatWasSold(t *testing.T) {
	t.Parallel()
	e := setup(t)
	other := risk.New(e.env.PG, e.env.Redis, e.clock)
	_, err := other.Reserve(t.Context(), e.request(1, e.draws[1])) // it has read the limits as they were
	require.NoError(t, err)
	e.sell(t, e.draws[0], 700)
	e.limit(t, 2, 1_000) // the ticket point had none
	_, err = e.Reserve(t.Context(), e.request(301, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	_, err = other.Reserve(t.Context(), e.request(301, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	before := e.epoch(t, e.draws[0])
	_, err = other.Reserve(t.Context(), e.request(300, e.draws[0]))
	require.NoError(t, err)
	require.Equal(t, before, e.epoch(t, e.draws[0]), "one rebuild served both")

	remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, e.request(1, e.draws[0]).Lines)
	require.NoError(t, err)
	require.EqualValues(t, 0, remaining[0].Stake)
	require.Equal(t, models.EntityTicketPoint, remaining[0].Level)
}

// A limit that goes away changes the plan back, and the sweep brings every draw to it.
func TestTheSweepAppliesAChangedPlan(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	e.limit(t, 2, 1_000)
	swept, err := e.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, len(e.draws), swept.Rebuilt)
	e.exec(t, `UPDATE risk_limits SET base = 2000`)
	swept, err = e.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, swept.Rebuilt, "another amount counts nothing else")
	e.requireCounts(t)
}
