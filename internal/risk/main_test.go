package risk_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/clock"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/risk"
	"banca/internal/testkit"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// engine is a risk engine over one game with three draws and a chain of three levels.
type engine struct {
	*risk.Service
	env      *testkit.Env
	clock    *clock.Fake
	chain    org.Chain
	draws    []uuid.UUID
	game     uuid.UUID
	currency uuid.UUID
}

func setup(t testing.TB) *engine {
	t.Helper()
	env := testkit.New(t)
	e := &engine{env: env, clock: clock.NewFake(clock.System{}.Now().Add(24 * time.Hour)), game: uuid.Must(uuid.NewV7()), currency: uuid.Must(uuid.NewV7())}
	e.Service = risk.New(env.PG, env.Redis, e.clock).WithTimeout(testkit.RedisTimeout)
	e.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'VES', 'Bolívar', 2)`, e.currency)
	path := "/"
	for _, kind := range []string{models.EntityOperator, models.EntityAgency, models.EntityTicketPoint} {
		n := org.Node{ID: uuid.Must(uuid.NewV7()), Type: kind, Status: models.StatusActive}
		path += n.ID.String() + "/"
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `INSERT INTO entities (id, entity_type, name, code, path, status) VALUES ($1, $2, $2, $2, $3, 'active') RETURNING no`,
			n.ID, kind, path).Scan(&n.No))
		e.chain = append(e.chain, n)
	}
	e.exec(t, `INSERT INTO game_categories (id, name, code) VALUES ($1, 'A', 'ANIMALITOS')`, e.game)
	e.exec(t, `INSERT INTO games (id, category_id, name, short_code) VALUES ($1, $1, 'G', 'g')`, e.game)
	for n := range 3 {
		id := uuid.Must(uuid.NewV7())
		e.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status) VALUES ($1, $2, $3, $4::timestamptz::date, $4::timestamptz, $4::timestamptz, 'open')`,
			id, e.game, string(rune('1'+n)), e.clock.Now().Add(time.Hour))
		e.draws = append(e.draws, id)
	}
	// Counters are kept for limits only; this one refuses nothing.
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, pct_bps) VALUES (gen_random_uuid(), $1, $2, 'stake', 1000000000, 1)`, e.chain[0].ID, e.currency)
	return e
}

func (e *engine) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := e.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
	e.ForgetLimits()
}

// limit sets a limit on any selection at one level of the chain.
func (e *engine) limit(t testing.TB, level int, base money.Amount) {
	t.Helper()
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES (gen_random_uuid(), $1, $2, 'stake', $3)`, e.chain[level].ID, e.currency, base)
}

// request asks for room for one stake on each of some draws.
func (e *engine) request(stake money.Amount, draws ...uuid.UUID) *risk.Request {
	req := &risk.Request{TicketID: uuid.Must(uuid.NewV7()), Chain: e.chain, Currency: risk.Currency{ID: e.currency, Code: "VES", Digits: 2}}
	for i, d := range draws {
		req.Lines = append(req.Lines, risk.Line{
			Item: i, DrawID: d, GameID: e.game, CategoryID: e.game, BetType: "straight", Selection: "5",
			Stake: stake, Payout: 3000, Prize: stake * 30, MinStake: 1,
		})
	}
	return req
}

// sold returns the counted stake of a draw at the root, and the number of notes.
func (e *engine) sold(t testing.TB, draw uuid.UUID) (stake string, notes int64) {
	t.Helper()
	tag := "risk:{" + draw.String() + "}:"
	stake, err := e.env.Redis.HGet(t.Context(), tag+"n", "1:VES:t").Result()
	if err != nil {
		stake = "0"
	}
	notes, err = e.env.Redis.HLen(t.Context(), tag+"r").Result()
	require.NoError(t, err)
	return stake, notes
}
