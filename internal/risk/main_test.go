package risk_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// engine is a risk engine over one game with three draws and a chain of three levels, with its tables and no services
// above it.
type engine struct {
	*risk.Service
	env      *testkit.Env
	clock    *clock.Fake
	chain    org.Chain
	draws    []uuid.UUID
	game     uuid.UUID
	currency uuid.UUID
}

// points is a chain of an operator, an agency and two ticket points; the ids come from the template.
var points = sync.OnceValue(func() [4]org.Node { //nolint:gochecknoglobals // a lazy constant
	var list [4]org.Node
	for i, kind := range []string{models.EntityOperator, models.EntityAgency, models.EntityTicketPoint, models.EntityTicketPoint} {
		list[i] = org.Node{ID: uuid.Must(uuid.NewV7()), No: i + 1, Type: kind, Status: models.StatusActive}
	}
	return list
})

// The game, which is its own category, and the currency of the template.
var game, currency = uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()) //nolint:gochecknoglobals // constants

// filled is the database that the tests begin with.
var filled = testkit.NewTemplate(func(ctx context.Context, pg *storage.Postgres) error { //nolint:gochecknoglobals // a lazy constant
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'VES', 'Bolívar', 2)`, currency)
	path := "/"
	for i, n := range points() {
		own := path + n.ID.String() + "/"
		b.Queue(`INSERT INTO entities (id, no, entity_type, name, code, path, status) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $4, $5, 'active')`, n.ID, n.No, n.Type, fmt.Sprint(n.Type, i), own)
		if i < 2 {
			path = own
		}
	}
	b.Queue(`INSERT INTO game_categories (id, name, code) VALUES ($1, 'A', 'ANIMALITOS')`, game)
	b.Queue(`INSERT INTO games (id, category_id, name, short_code) VALUES ($1, $1, 'G', 'g')`, game)
	// Counts are kept for limits only; this one refuses nothing.
	b.Queue(`INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, pct_bps) VALUES (gen_random_uuid(), $1, $2, 'stake', 1000000000, 1)`, points()[0].ID, currency)
	return pg.Pool.SendBatch(ctx, b).Close()
})

func setup(t testing.TB) *engine {
	t.Helper()
	env, all := filled.New(t), points()
	e := &engine{env: env, clock: clock.NewFake(clock.System{}.Now().Add(24 * time.Hour)), game: game, currency: currency, chain: all[:3]}
	e.Service = risk.New(env.PG, env.Redis, e.clock).WithTimeout(testkit.RedisTimeout)
	for range 3 {
		e.draws = append(e.draws, e.addDraw(t))
	}
	return e
}

// second is the chain of the other ticket point of the agency.
func (e *engine) second() org.Chain {
	all := points()
	return org.Chain{all[0], all[1], all[3]}
}

// addDraw adds an open draw, an hour from now.
func (e *engine) addDraw(t testing.TB) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	e.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		VALUES ($1::uuid, $2, left(md5($1::text), 8), $3::timestamptz::date, $3::timestamptz, $3::timestamptz, 'open')`, id, e.game, e.clock.Now().Add(time.Hour))
	return id
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

// requireCounts requires the counts of every draw on sale to equal its sales and reservations.
func (e *engine) requireCounts(t testing.TB) {
	t.Helper()
	wrong, err := e.Audit(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}
