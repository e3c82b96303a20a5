package prizes_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/prizes"
	"banca/internal/setup/seed"
	"banca/storage"
)

// soldTickets and linesATicket make a table of which a sequential scan reads some 1,700 blocks.
const (
	soldTickets  = 20_000
	linesATicket = 5
	wonShare     = 50 // one ticket of fifty has won
)

// sellMany writes decided tickets straight into the tables, each with its lines on one of the draws, and analyses them.
func (b *bundle) sellMany(t testing.TB, list []*catalog.Draw) {
	t.Helper()
	for _, d := range list {
		b.Exec(t, `WITH sold AS (INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, created_at, total,
				cancel_before, potential_prize, settled_at, prize, expires_at)
			SELECT gen_random_uuid(), $2::text || '-' || g, '123456', w.entity_id, gen_random_uuid(), w.id, w.currency_id, CASE WHEN g % $6 = 0 THEN 'won' ELSE 'lost' END,
				now(), 5000, now(), 150000, now(), CASE WHEN g % $6 = 0 THEN 30000 ELSE 0 END, now() + interval '3 days'
			FROM generate_series(1, $3::integer) g CROSS JOIN (SELECT * FROM wallets WHERE kind = 'main' AND entity_id = $7 ORDER BY id LIMIT 1) w RETURNING id, status
		), lines AS (INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			SELECT s.id, l, $1, $4, 'straight', '5', 1000, 3000, 30000, 1, '{}' FROM sold s CROSS JOIN generate_series(1, $5::integer) l
		) INSERT INTO winning_lines (ticket_id, line_no, result_id, draw_id, prize, created_at)
			SELECT id, 1, gen_random_uuid(), $1, 30000, now() FROM sold WHERE status = 'won'`,
			d.ID, d.ID.String()[24:], soldTickets/len(list), d.GameID, linesATicket, wonShare, seed.ID("entity", seed.CodeTicketPoint))
	}
	b.Exec(t, `ANALYZE tickets, ticket_items, winning_lines`)
}

func TestPrizesOfADrawReadFewBlocksOfManyLines(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.open(t)[:5]
	b.sellMany(t, list)
	branch := b.by
	branch.EntityID = seed.ID("entity", seed.CodeSuperAgency)
	branch.Scope = testkit.Scope(b.by.Scope.Path() + branch.EntityID.String() + "/")
	for name, c := range map[string]struct {
		by     caller.Caller
		filter prizes.Filter
	}{
		"a draw": {b.by, prizes.Filter{DrawID: list[2].ID}}, "a game": {b.by, prizes.Filter{GameID: list[2].GameID}},
		"a draw of a branch": {branch, prizes.Filter{DrawID: list[2].ID}},
	} {
		f := c.filter
		f.Limit = 50
		blocks := b.Env.BlocksRead(t, "ticket_items", func(pg *storage.Postgres) {
			over := *b.Service
			over.PG = pg
			found, total, err := over.List(t.Context(), c.by, &f)
			require.NoError(t, err, name)
			assert.Len(t, found, 50, name)
			assert.GreaterOrEqual(t, total, int64(soldTickets/len(list)/wonShare), name)
			sums, err := over.Summary(t.Context(), c.by, &f)
			require.NoError(t, err, name)
			require.Len(t, sums, 1, name)
			assert.Equal(t, total, sums[0].WonTickets, name)
		})
		assert.Zero(t, blocks, "%s: winners are found without the lines that were sold", name)
	}
}
