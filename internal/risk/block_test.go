package risk_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/storage"
)

// keeper makes limits of the engine's game, whose elements are 5, 6 and 7.
func (e *engine) keeper(t testing.TB) *risk.Keeper {
	t.Helper()
	e.exec(t, `UPDATE games SET mechanics = '{"kind": "element"}', betting_rules = '{"bet_types": [{"type": "straight", "payout": "30"}, {"type": "dupleta", "payout": "200"}]}'`)
	for i, code := range []string{"5", "6", "7"} {
		e.exec(t, `INSERT INTO game_elements (id, game_id, code, name, display_value, position) VALUES (gen_random_uuid(), $1, $2, $2, $2, $3) ON CONFLICT DO NOTHING`, e.game, code, i)
	}
	return e.keeperOf(e.Service, e.env.PG)
}

// keeperOf returns the keeper of a process's engine over its client of the database.
func (e *engine) keeperOf(process *risk.Service, pg *storage.Postgres) *risk.Keeper {
	return risk.NewKeeper(process, risk.KeeperDeps{
		Org: org.New(pg.Gorm, org.Options{}), Catalog: catalog.New(pg, e.clock, catalog.Options{Zone: time.UTC}), Ledger: ledger.New(pg, ledger.Options{Zone: time.UTC}),
	})
}

func (e *engine) operator() caller.Caller { return testkit.Operator(e.chain[0].ID) }

func (e *engine) block(element string) *risk.BlockRequest {
	return &risk.BlockRequest{DrawID: e.draws[0], Element: element, Reason: "too much on it"}
}

// The first reservation after a block is refused in every process, whatever limits it has cached, and the first after
// its end is granted.
func TestABlockIsEffectiveAtOnceInEveryProcess(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	others := []*risk.Service{risk.New(e.env.PG, e.env.Redis, e.clock), risk.New(e.env.PG, e.env.Redis, e.clock), e.Service}
	for round := range 5 {
		for _, other := range others { // they have limits and counts now
			_, err := other.Reserve(t.Context(), e.request(100, e.draws[0], e.draws[1]))
			require.NoError(t, err)
		}
		blocked, err := k.Block(t.Context(), e.operator(), e.block("5"))
		require.NoError(t, err)
		require.Len(t, blocked, 1)
		for i, other := range others {
			_, err = other.Reserve(t.Context(), e.request(100, e.draws[0]))
			require.ErrorIs(t, err, risk.ErrLimitExceeded, "round %d, process %d", round, i)
			_, err = other.Reserve(t.Context(), e.request(100, e.draws[1]))
			require.NoError(t, err, "another draw sells on")
			req := e.request(100, e.draws[0])
			req.Lines[0].Selection = "6"
			_, err = other.Reserve(t.Context(), req)
			require.NoError(t, err, "and so do other elements")
			req = e.request(100, e.draws[0])
			req.Lines[0].BetType, req.Lines[0].Selection = "dupleta", "5,6"
			_, err = other.Reserve(t.Context(), req)
			require.ErrorIs(t, err, risk.ErrLimitExceeded, "a bet that holds it is one on it")
		}
		c := e.operator()
		_, err = k.Unblock(t.Context(), c, blocked[0].ID)
		require.NoError(t, err)
		for _, other := range others {
			_, err = other.Reserve(t.Context(), e.request(100, e.draws[0]))
			require.NoError(t, err)
		}
	}
}

// While blocks come and go, many processes sell; no sale that begins after a block's answer is granted, and the
// counts are right at the end.
func TestBlocksWhileSelling(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	var running sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		other := risk.New(e.env.PG, e.env.Redis, e.clock)
		for range 4 {
			running.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					r, err := other.Reserve(t.Context(), e.request(100, e.draws[0], e.draws[1]))
					if err == nil {
						_ = other.Release(t.Context(), r)
					}
				}
			})
		}
	}
	asking := risk.New(e.env.PG, e.env.Redis, e.clock)
	c := e.operator()
	for range 8 {
		blocked, err := k.Block(t.Context(), e.operator(), e.block("5"))
		require.NoError(t, err)
		_, err = asking.Reserve(t.Context(), e.request(100, e.draws[0]))
		require.ErrorIs(t, err, risk.ErrLimitExceeded)
		_, err = k.Unblock(t.Context(), c, blocked[0].ID)
		require.NoError(t, err)
		r, err := asking.Reserve(t.Context(), e.request(100, e.draws[0]))
		require.NoError(t, err)
		require.NoError(t, asking.Release(t.Context(), r))
	}
	close(stop)
	running.Wait()
	e.requireCounts(t)
}

// A block stands above a limit that names more than it.
func TestABlockIsAboveEveryLimit(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, category_id, game_id, draw_id, element, bet_type)
		VALUES (gen_random_uuid(), $1, $2, 'stake', 5000, $3, $3, $4, '5', 'straight')`, e.chain[0].ID, e.currency, e.game, e.draws[0])
	_, err := e.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.NoError(t, err)
	_, err = k.Block(t.Context(), e.operator(), e.block("5"))
	require.NoError(t, err)
	_, err = e.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
}

func TestRefusedBlocks(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	count := func() (n int64) {
		require.NoError(t, e.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) + (SELECT sum(risk_rev)::bigint FROM draws) FROM risk_limits`).Scan(&n))
		return n
	}
	before := count()
	for name, c := range map[string]struct {
		change func(*risk.BlockRequest)
		want   error
	}{
		"no reason":   {func(r *risk.BlockRequest) { r.Reason = " " }, risk.ErrReasonMissing},
		"no draw":     {func(r *risk.BlockRequest) { r.DrawID = uuid.New() }, catalog.ErrDrawNotFound},
		"no element":  {func(r *risk.BlockRequest) { r.Element = "99" }, risk.ErrUnknownElement},
		"no currency": {func(r *risk.BlockRequest) { r.Currency = "XXX" }, ledger.ErrCurrencyNotFound},
	} {
		req := e.block("5")
		c.change(req)
		_, err := k.Block(t.Context(), e.operator(), req)
		require.ErrorIs(t, err, c.want, name)
	}
	elsewhere, req := testkit.Operator(uuid.New()), e.block("5")
	req.EntityID = e.chain[0].ID
	_, err := k.Block(t.Context(), elsewhere, req)
	require.ErrorIs(t, err, org.ErrEntityNotFound, "another's branch")
	require.Equal(t, before, count())
	first, err := k.Block(t.Context(), e.operator(), e.block("5"))
	require.NoError(t, err)
	again, err := k.Block(t.Context(), e.operator(), e.block("5"))
	require.NoError(t, err)
	require.Equal(t, first[0].ID, again[0].ID, "twice is once")
	list, total, err := k.Limits(t.Context(), e.operator(), &risk.LimitFilter{DrawID: e.draws[0], Blocks: true, Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.Equal(t, "5", list[0].Element)
	c := e.operator()
	c.Scope = testkit.Scope(c.Scope.Path() + uuid.NewString() + "/")
	_, err = k.Unblock(t.Context(), c, first[0].ID)
	require.ErrorIs(t, err, risk.ErrLimitNotFound)
}

func TestLimitsAreKept(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	c := e.operator()
	ask := risk.LimitRequest{EntityID: e.chain[1].ID, Currency: "VES", DrawID: e.draws[0], Metric: "stake", Base: "1.50", Pct: "10"}
	made, err := k.Create(t.Context(), c, &ask)
	require.NoError(t, err)
	require.EqualValues(t, 150, made.Base)
	require.EqualValues(t, 1000, made.Pct)
	_, err = k.Create(t.Context(), c, &ask)
	require.ErrorIs(t, err, risk.ErrLimitExists)
	_, err = e.Reserve(t.Context(), e.request(200, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	_, err = k.Change(t.Context(), c, made.ID, "3.00", "", "")
	require.NoError(t, err)
	_, err = e.Reserve(t.Context(), e.request(200, e.draws[0]))
	require.NoError(t, err)
	require.NoError(t, k.Remove(t.Context(), c, made.ID))
	require.ErrorIs(t, k.Remove(t.Context(), c, made.ID), risk.ErrLimitNotFound)
	for i, change := range []func(*risk.LimitRequest){
		func(r *risk.LimitRequest) { r.Base = "x" },
		func(r *risk.LimitRequest) { r.Base = "-1" },
		func(r *risk.LimitRequest) { r.Pct = "100000.00" },
		func(r *risk.LimitRequest) { r.Metric = "luck" },
		func(r *risk.LimitRequest) { r.BetType = "quintuple" },
		func(r *risk.LimitRequest) { r.Element = "5,6" },
		func(r *risk.LimitRequest) { r.DrawID = uuid.New() },
		func(r *risk.LimitRequest) { r.GameID = uuid.New() },
		func(r *risk.LimitRequest) { r.CategoryID = uuid.New() },
	} {
		bad := ask
		change(&bad)
		_, err := k.Create(t.Context(), c, &bad)
		require.ErrorIs(t, err, risk.ErrInvalidLimit, "case %d", i)
	}
}

// A limit of zero blocks, and a base of zero with a percentage slides with the draw's sales alone; both are made,
// changed and read.
func TestLimitsOfZero(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.exec(t, `DELETE FROM risk_limits`)
	k := e.keeper(t)
	by := e.operator()
	made, err := k.Create(t.Context(), by, &risk.LimitRequest{Currency: "VES", Element: "5", Metric: "stake", Base: "0", Pct: "0"})
	require.NoError(t, err)
	require.Zero(t, made.Base)
	reserve := func(element string, stake money.Amount) error {
		t.Helper()
		e.ForgetLimits()
		req := e.request(stake, e.draws[0])
		req.Lines[0].Selection = element
		_, err := e.Reserve(t.Context(), req)
		return err
	}
	require.ErrorIs(t, reserve("5", 1), risk.ErrLimitExceeded)
	require.NoError(t, reserve("6", 1_000))

	_, err = k.Change(t.Context(), by, made.ID, "0.00", "10", "sliding")
	require.NoError(t, err)
	require.NoError(t, reserve("6", 1_000))
	require.ErrorIs(t, reserve("5", 101), risk.ErrLimitExceeded)
	require.NoError(t, reserve("5", 100), "ten percent of the draw's sales")
	read, err := k.Limit(t.Context(), by, made.ID)
	require.NoError(t, err)
	require.Zero(t, read.Base)
	require.EqualValues(t, 1_000, read.Pct)

	_, err = k.Change(t.Context(), by, made.ID, "0", "", "")
	require.NoError(t, err)
	require.ErrorIs(t, reserve("5", 1), risk.ErrLimitExceeded)
	_, err = k.Create(t.Context(), by, &risk.LimitRequest{Currency: "VES", Element: "6", Metric: "stake", Base: "-1"})
	require.ErrorIs(t, err, risk.ErrInvalidLimit)
}

// A block of a number ends every bet that wins on it; one of its end ends the bets on the end alone.
func TestABlockEndsTheBetsThatPayOnIt(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	e.exec(t, `UPDATE games SET mechanics = '{"kind": "number", "digits": 3, "sign": true}', betting_rules = '{"bet_types": [{"type": "triple", "payout": "600"}, {"type": "triple_sign", "payout": "5000"},
		{"type": "terminal", "payout": "60"}, {"type": "terminal_sign", "payout": "600"}, {"type": "first_two", "payout": "60"}, {"type": "approximation", "payout": "10"}]}'`)
	type bet struct{ kind, selection string }
	all := []bet{
		{"triple", "042"}, {"triple_sign", "042,LEO"}, {"terminal", "42"}, {"terminal_sign", "42,ARI"}, {"first_two", "04"}, {"approximation", "041"}, {"approximation", "043"},
		{"triple", "142"}, {"triple", "043"}, {"triple_sign", "142,LEO"}, {"terminal", "43"}, {"first_two", "42"}, {"approximation", "042"},
	}
	for element, ended := range map[string][]bet{
		"042": append(slices.Clone(all[:7]), bet{"approximation", "042"}),
		"42":  {{"terminal", "42"}, {"terminal_sign", "42,ARI"}, {"first_two", "42"}},
		"LEO": {{"triple_sign", "042,LEO"}, {"triple_sign", "142,LEO"}},
	} {
		blocked, err := k.Block(t.Context(), e.operator(), e.block(element))
		require.NoError(t, err, element)
		for _, b := range all {
			req := e.request(100, e.draws[0])
			req.Lines[0].BetType, req.Lines[0].Selection = b.kind, b.selection
			_, err := e.Reserve(t.Context(), req)
			if slices.Contains(ended, b) {
				require.ErrorIs(t, err, risk.ErrLimitExceeded, "%s: %v", element, b)
			} else {
				require.NoError(t, err, "%s: %v", element, b)
			}
		}
		c := e.operator()
		for _, l := range blocked {
			_, err = k.Unblock(t.Context(), c, l.ID)
			require.NoError(t, err)
		}
	}
}
