package catalog_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/models"
	"banca/storage"
)

// sellLines writes lines of tickets, one a ticket, straight into the table, on draws of the game that are open, and
// analyses it.
func (s *shop) sellLines(t testing.TB, lines, draws int) {
	t.Helper()
	s.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		SELECT gen_random_uuid(), $1, 'SOLD-' || n, '2026-11-23', '2026-11-24T02:00:00Z', '2026-11-24T01:00:00Z', 'open' FROM generate_series(1, $2) n`, s.game, draws)
	s.exec(t, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT gen_random_uuid(), 0, d.id, $1, 'straight', '5', 1000, 3000, 30000, 1, '{}'
		FROM generate_series(1, $2::integer / $3::integer) l CROSS JOIN (SELECT id FROM draws WHERE draw_number LIKE 'SOLD-%') d`, s.game, lines, draws)
	s.exec(t, `ANALYZE draws, ticket_items`)
}

// A sequential scan reads some 1,700 blocks of this table, and thousands for each draw that is checked.
const (
	fewBlocks = 200
	probe     = 4 // blocks that one search of the index reads
	months    = 5 // partitions of the table that the months ahead have, which are searched one by one
)

func TestGenerationReadsFewBlocksOfManyLines(t *testing.T) {
	t.Parallel()
	for name, draws := range map[string]int{"few draws": 5, "many draws": 2_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			require.Positive(t, s.generate(t)) // draws without a line
			s.sellLines(t, 100_000, draws)
			blocks := s.env.BlocksRead(t, "ticket_items", func(pg *storage.Postgres) {
				_, err := s.on(pg).Generate(t.Context())
				require.NoError(t, err)
			})
			assert.Zero(t, blocks, "generation needs no ticket")
		})
	}
}

func TestChangesOfDrawsReadFewBlocksOfManyLines(t *testing.T) {
	t.Parallel()
	for name, draws := range map[string]int{"few draws": 5, "many draws": 1_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			require.Positive(t, s.generate(t))
			s.sellLines(t, 100_000, draws)
			tomorrow := day(24)
			blocks := s.env.BlocksRead(t, "ticket_items", func(pg *storage.Postgres) {
				counts, err := s.on(pg).SyncDraws(t.Context(), s.game, &catalog.DrawSync{From: tomorrow, To: tomorrow.AddDays(1)})
				require.NoError(t, err)
				assert.Equal(t, 6, counts.Deleted)
			})
			assert.Less(t, blocks, int64(fewBlocks))
			blocks = s.env.BlocksRead(t, "ticket_items", func(pg *storage.Postgres) {
				require.ErrorIs(t, s.on(pg).DeleteGame(t.Context(), s.game), catalog.ErrGameHasSales)
			})
			assert.Less(t, blocks, int64(fewBlocks+probe*draws*months), "the index is probed once a draw and month")
		})
	}
}

func TestDeletingAnUnsoldGameReadsFewBlocksOfManyLines(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.sellLines(t, 100_000, 5)
	other := uuid.Must(uuid.NewV7())
	s.exec(t, `INSERT INTO games (id, category_id, name, short_code, schedule_config) VALUES ($1, $2, 'H', 'h', '{"times": ["09:00", "12:00", "18:00"]}')`, other, s.game)
	require.Positive(t, s.generate(t))
	s.exec(t, `UPDATE games SET status = $2 WHERE id = $1`, other, models.StatusInactive)
	blocks := s.env.BlocksRead(t, "ticket_items", func(pg *storage.Postgres) {
		require.NoError(t, s.on(pg).DeleteGame(t.Context(), other))
	})
	assert.Less(t, blocks, int64(fewBlocks))
}

func TestAChangeOfMechanicsReadsFewBlocksOfManyLines(t *testing.T) {
	t.Parallel()
	for name, draws := range map[string]int{"few draws": 5, "many draws": 2_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			s.sellLines(t, 100_000, draws)
			other := uuid.Must(uuid.NewV7())
			s.exec(t, `INSERT INTO games (id, category_id, name, short_code, schedule_config, mechanics) VALUES ($1, $2, 'H', 'h', '{"times": ["09:00", "12:00", "18:00"]}',
				'{"kind": "element", "wildcards": [{"code": "W", "multiply": "1.5"}]}')`, other, s.game)
			require.Positive(t, s.generate(t))
			s.exec(t, `ANALYZE`)
			blocks := s.env.BlocksRead(t, "ticket_items", func(pg *storage.Postgres) {
				_, err := s.on(pg).UpdateGame(t.Context(), other, &catalog.GameChange{Documents: fields(catalog.FieldMechanics, `{"kind": "element"}`)})
				require.NoError(t, err)
			})
			assert.Positive(t, blocks, "the lines are asked")
			assert.Less(t, blocks, int64(fewBlocks))
		})
	}
}
