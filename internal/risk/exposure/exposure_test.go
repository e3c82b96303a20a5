package exposure_test

import (
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk/exposure"
	"banca/internal/setup/seed"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// world is a seeded operator with a draw of a game of numbers.
type world struct {
	*fixture.Operator
	*exposure.Service
	by   caller.Caller
	draw uuid.UUID
	game uuid.UUID
}

// betting are the bets of the game: numbers of three digits, with an approximation and a wildcard that doubles triples.
const (
	mechanics = `{"kind": "number", "digits": 3, "wildcards": [{"code": "C1", "multiply": "2", "bet_types": ["triple"]}]}`
	betting   = `{"bet_types": [{"type": "triple", "payout": "600"}, {"type": "terminal", "payout": "60"}, {"type": "first_two", "payout": "50"}, {"type": "approximation", "payout": "10"}]}`
)

// seeded is the database that the tests begin with.
var seeded = fixture.Rows{}.Template() //nolint:gochecknoglobals // a lazy constant

func setup(t testing.TB) *world {
	t.Helper()
	h := &world{Operator: fixture.New(t, seeded), by: testkit.Operator(fixture.RootID), draw: uuid.Must(uuid.NewV7()), game: seed.ID("game", "triple-zulia")}
	h.Exec(t, `UPDATE games SET mechanics = $2, betting_rules = $3, rule_version = 1 WHERE id = $1`, h.game, mechanics, betting)
	h.Exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status) VALUES ($1, $2, 'X', now()::date, now() + interval '1 hour', now() + interval '1 hour', 'open')`, h.draw, h.game)
	h.Service = exposure.New(h.PG, h.Org, h.Catalog, h.Ledger)
	return h
}

// sell files a ticket of one line at the first ticket point, under the game's present rules.
func (h *world) sell(t testing.TB, status, bet, selection string, amount, payout int64) {
	t.Helper()
	h.Exec(t, `WITH t AS (INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		VALUES (gen_random_uuid(), gen_random_uuid()::text, '1', $1, $1, $1, $2, $3, $4::bigint, $4::bigint * $5::bigint / 100, now(), clock_timestamp(), now()) RETURNING id)
		INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT id, 0, $6, $7, $8, $9, $4::bigint, $5::bigint, $4::bigint * $5::bigint / 100, (SELECT rule_version FROM games WHERE id = $7), '{}' FROM t`,
		seed.ID("entity", seed.CodeTicketPoint), seed.ID("currency", "VES"), status, amount, payout, h.draw, h.game, bet, selection)
}

func (h *world) of(t testing.TB, top int) *exposure.Exposure {
	t.Helper()
	e, err := h.Of(t.Context(), h.by, &exposure.Request{DrawID: h.draw, Currency: "VES", Top: top})
	require.NoError(t, err)
	return e
}

// The prize due on a number sums every bet that it makes win.
func TestANumberCountsAllItsBets(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.sell(t, "pending", "triple", "042", 100, 60000)
	h.sell(t, "pending", "terminal", "42", 1000, 6000)
	h.sell(t, "pending", "first_two", "04", 500, 5000)
	h.sell(t, "pending", "approximation", "041", 300, 1000)
	h.sell(t, "cancelled", "triple", "042", 9999, 60000)
	h.sell(t, "pending", "triple", "777", 50, 60000)
	e := h.of(t, 3)
	require.EqualValues(t, 1950, e.Sales)
	require.EqualValues(t, 5, e.Lines)
	require.Equal(t, 1000, e.Outcomes)
	require.Len(t, e.Top, 3)
	worst := e.Worst()
	assert.Equal(t, "042", worst.Value)
	assert.EqualValues(t, 60000+60000+25000+3000, worst.Liability)
	assert.EqualValues(t, 1900, worst.Stake)
	assert.EqualValues(t, 4, worst.Lines)
	assert.Equal(t, money.BasisPoints(9744), worst.Share)
	assert.EqualValues(t, 1950-148000, worst.Result)
	assert.EqualValues(t, 148000+60000, worst.Announced, "the wildcard doubles the triple alone")
	assert.Equal(t, []string{"142", "242"}, []string{e.Top[1].Value, e.Top[2].Value}, "which share the terminal")

	none, err := h.Of(t.Context(), h.by, &exposure.Request{EntityID: seed.ID("entity", seed.CodeTicketPoint), DrawID: h.draw, Currency: "USD", Top: 1})
	require.NoError(t, err)
	require.Zero(t, none.Sales)
	_, err = h.Of(t.Context(), testkit.Operator(uuid.New()), &exposure.Request{EntityID: seed.ID("entity", seed.CodeTicketPoint), DrawID: h.draw, Currency: "VES"})
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	_, err = h.Of(t.Context(), h.by, &exposure.Request{DrawID: uuid.New(), Currency: "VES"})
	require.ErrorIs(t, err, catalog.ErrDrawNotFound)
	other, err := h.Of(t.Context(), testkit.Operator(uuid.New()), &exposure.Request{DrawID: h.draw, Currency: "VES", Top: 1})
	require.NoError(t, err)
	require.Zero(t, other.Sales, "what others sold is not seen")
}

// A line counts by the rules it was sold under, whatever the game's rules are now; bets decided by several draws are
// separate.
func TestLinesCountByTheirOwnRules(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `UPDATE games SET mechanics = '{"kind": "element"}', betting_rules = '{"bet_types": [{"type": "straight", "payout": "30"}, {"type": "tripleta", "payout": "100", "draws": 11}]}' WHERE id = $1`, h.game)
	h.Exec(t, `DELETE FROM game_elements WHERE game_id = $1`, h.game)
	for i, code := range []string{"0", "00", "5"} {
		h.Exec(t, `INSERT INTO game_elements (id, game_id, code, name, display_value, position) VALUES (gen_random_uuid(), $1, $2, 'A ' || $2, $2, $3)`, h.game, code, i)
	}
	h.sell(t, "pending", "straight", "00", 100, 3000)
	h.Exec(t, `UPDATE games SET betting_rules = '{"bet_types": [{"type": "straight", "payout": "35"}, {"type": "tripleta", "payout": "100", "draws": 11}]}' WHERE id = $1`, h.game)
	h.sell(t, "pending", "straight", "00", 100, 3500)
	h.sell(t, "won", "straight", "0", 10, 3500)
	h.sell(t, "pending", "tripleta", "0,00,5", 70, 10000)
	e := h.of(t, 10)
	require.Equal(t, 3, e.Outcomes)
	require.EqualValues(t, 280, e.Sales)
	require.Equal(t, exposure.Windows{Stake: 70, Liability: 7000, Lines: 1}, e.Windows)
	require.EqualValues(t, 6500, e.Top[0].Liability)
	require.Equal(t, "A 00", e.Top[0].Name)
	require.EqualValues(t, 350, e.Top[1].Liability)
	require.Zero(t, e.Top[2].Liability)
}

// BenchmarkExposure sums a draw of 100,000 tickets and 500,000 lines.
func BenchmarkExposure(b *testing.B) {
	h := setup(b)
	h.Exec(b, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'S' || n, '1', $1, $1, $1, $2, 'pending', 500, 1, now(), clock_timestamp(), now() FROM generate_series(1, 100000) n`,
		seed.ID("entity", seed.CodeTicketPoint), seed.ID("currency", "VES"))
	h.Exec(b, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, l, $1, $2, CASE WHEN l < 3 THEN 'triple' WHEN l = 3 THEN 'terminal' ELSE 'approximation' END,
			CASE WHEN l = 3 THEN lpad((random() * 99)::int::text, 2, '0') ELSE lpad((random() * 999)::int::text, 3, '0') END, 100, 6000, 6000,
			(SELECT rule_version FROM games WHERE id = $2), '{1000,800,500}' FROM generate_series(1, 100000) n, generate_series(0, 4) l`, h.draw, h.game)
	h.Exec(b, `ANALYZE tickets`)
	h.Exec(b, `ANALYZE ticket_items`)
	for b.Loop() {
		h.of(b, 20)
	}
}

// A ticket wins at most what one outcome of each draw pays: numbers that exclude each other are not added, bets on the same number are.
func TestTheBestOfATicketIsOneOutcomeOfEachDraw(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.sell(t, "pending", "triple", "042", 100, 60000)
	h.sell(t, "pending", "terminal", "42", 1000, 6000)
	h.sell(t, "pending", "triple", "777", 150, 60000)
	h.sell(t, "pending", "triple", "001", 10, 60000)
	first := h.draw
	h.draw, h.game = h.anotherDraw(t, "lotto-activo"), seed.ID("game", "lotto-activo")
	h.Exec(t, `UPDATE games SET betting_rules = '{"bet_types": [{"type": "straight", "payout": "30"}, {"type": "tripleta", "payout": "100", "draws": 11}]}' WHERE id = $1`, h.game)
	h.sell(t, "pending", "straight", "1", 100, 3000)
	h.sell(t, "pending", "straight", "2", 50, 3000)
	h.sell(t, "pending", "tripleta", "1,2,3", 10, 10000)
	ticket := uuid.New()
	h.Exec(t, `UPDATE ticket_items i SET ticket_id = $1, line_no = n.no FROM (SELECT ticket_id, row_number() OVER (ORDER BY bet_type, selection) - 1 AS no FROM ticket_items WHERE draw_id IN ($2, $3)) n
		WHERE n.ticket_id = i.ticket_id`, ticket, first, h.draw) // straight 1, 2; terminal; triple 001, 042, 777; tripleta
	best := func(of exposure.Ticket) money.Amount {
		of.ID = ticket
		amount, err := h.Best(t.Context(), &of)
		require.NoError(t, err)
		return amount
	}
	assert.EqualValues(t, 60000+60000+3000+1000, best(exposure.Ticket{}))
	assert.EqualValues(t, 90000+3000+1000, best(exposure.Ticket{Won: []int{2}}), "without the terminal that has won")
	assert.EqualValues(t, 120000+1000, best(exposure.Ticket{Decided: []uuid.UUID{h.draw}}), "a bet over several draws can still win")
}
