package risk_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/realtime"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// row is a limit of the ticket point; its base identifies it.
type row struct {
	category, game, draw bool
	element, bet         string
	base                 int64
	pct                  int
}

// The most specific row of a level bounds a line: element above draw above game above category above bet type, and
// all of them together below a row with a condition of a higher rank.
func TestTheMostSpecificLimitOfALevelCounts(t *testing.T) {
	t.Parallel()
	e := setup(t)
	all := row{base: 1}
	for name, c := range map[string]struct {
		rows []row
		want int64 // base of the row that bounds straight 5 of the first draw; 0 for no limit
	}{
		"no row":                      {nil, 0},
		"a row without conditions":    {[]row{all}, 1},
		"bet type above none":         {[]row{all, {bet: "straight", base: 2}}, 2},
		"category above bet type":     {[]row{{bet: "straight", base: 1}, {category: true, base: 2}}, 2},
		"game above category and bet": {[]row{{category: true, bet: "straight", base: 1}, {game: true, base: 2}}, 2},
		"draw above game and below":   {[]row{{category: true, game: true, bet: "straight", base: 1}, {draw: true, base: 2}}, 2},
		"element above all others":    {[]row{{category: true, game: true, draw: true, bet: "straight", base: 1}, {element: "5", base: 2}}, 2},
		"element with more":           {[]row{{element: "5", base: 1}, {element: "5", bet: "straight", base: 2}}, 2},
		"another element":             {[]row{all, {element: "6", base: 2}}, 1},
		"another bet type":            {[]row{all, {bet: "dupleta", base: 2}}, 1},
		"a part of an element":        {[]row{all, {element: "55", base: 2}}, 1},
		"only rows that do not match": {[]row{{element: "6", base: 1}, {bet: "dupleta", base: 2}}, 0},
		"more than the other has":     {[]row{{game: true, draw: true, base: 2}, {draw: true, bet: "straight", base: 1}}, 2},
		"a percentage is no block":    {[]row{{element: "5", draw: true, pct: 1}, {category: true, game: true, draw: true, element: "5", bet: "straight", base: 2}}, 2},
	} {
		e.exec(t, `DELETE FROM risk_limits`)
		for _, r := range c.rows {
			e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, category_id, game_id, draw_id, element, bet_type, base, pct_bps)
				VALUES (gen_random_uuid(), $1, $2, 'stake', $3, $4, $5, nullif($6, ''), nullif($7, ''), $8, $9)`, e.chain[2].ID, e.currency,
				models.Optional(only(r.category, e.game)), models.Optional(only(r.game, e.game)), models.Optional(only(r.draw, e.draws[0])), r.element, r.bet, r.base, r.pct)
		}
		remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, e.request(1, e.draws[0]).Lines)
		require.NoError(t, err, name)
		assert.Equal(t, c.want == 0, remaining[0].Unlimited, name)
		assert.EqualValues(t, c.want, remaining[0].Limit, name)
	}
}

// only returns an id or, unless it is wanted, none.
func only(wanted bool, id uuid.UUID) uuid.UUID {
	if wanted {
		return id
	}
	return uuid.Nil
}

// Every level on the way to the operator bounds a sale; a ticket point uses up the room of its agency for the others,
// and not the limit of another ticket point.
func TestEveryLevelBoundsASale(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.limit(t, 1, 1_000)
	e.limit(t, 2, 700)
	at := func(chain org.Chain, stake money.Amount) error {
		req := e.request(stake, e.draws[0])
		req.Chain = chain
		_, err := e.Reserve(t.Context(), req)
		return err
	}
	require.NoError(t, at(e.chain, 600))
	requireDetail(t, at(e.chain, 101), models.EntityTicketPoint, "7.00", "6.00", "1.00")
	require.NoError(t, at(e.second(), 300), "the other ticket point has no limit of its own")
	requireDetail(t, at(e.second(), 101), models.EntityAgency, "10.00", "9.00", "1.00")
	require.NoError(t, at(e.chain, 100))
	requireDetail(t, at(e.second(), 1), models.EntityAgency, "10.00", "10.00", "0.00")
	alone := org.Chain{e.chain[0]}
	require.NoError(t, at(alone, 5_000), "a sale of the operator itself is below no agency")
}

// requireDetail requires a refusal with one detail.
func requireDetail(t testing.TB, err error, level, limit, sold, available string) {
	t.Helper()
	list := requireRefused(t, err)
	require.Len(t, list, 1)
	require.Equal(t, []string{level, limit, sold, available}, []string{list[0].Level, list[0].Limit, list[0].Sold, list[0].Available})
}

func requireRefused(t testing.TB, err error) []apperr.Detail {
	t.Helper()
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	var refused *apperr.Error
	require.ErrorAs(t, err, &refused)
	return refused.Details
}

// A refusal names every line that a limit refuses, in their order, with each level that refuses it, and counts
// nothing: not even on the draws that had room.
func TestARefusalNamesEveryRefusedLineAndCountsNothing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.limit(t, 1, 500)
	e.limit(t, 2, 400)
	req := e.request(450, e.draws...)
	req.Lines[1].Stake = 100
	req.Lines[2].Stake = 501
	for i, item := range []int{7, 3, 5} { // positions in the seller's request
		req.Lines[i].Item = item
	}
	_, err := e.Reserve(t.Context(), req)
	list := requireRefused(t, err)
	var named []string
	for _, d := range list {
		named = append(named, d.Location+" "+d.Level+" "+d.Available)
	}
	require.Equal(t, []string{
		apperr.ItemAt(7) + " TICKET_POINT 4.00", apperr.ItemAt(5) + " AGENCY 5.00", apperr.ItemAt(5) + " TICKET_POINT 4.00",
	}, named)
	for _, draw := range e.draws {
		stake, notes := e.sold(t, draw)
		require.Equal(t, "0", stake)
		require.Zero(t, notes)
	}
}

// The liability of a line is its prize, whatever its stake: the room of a liability limit is used up by prizes.
func TestALiabilityLimitBoundsPrizes(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES (gen_random_uuid(), $1, $2, 'liability', 10000)`, e.chain[1].ID, e.currency)
	line := func(stake money.Amount, payout money.Payout, partial bool) (*risk.Reservation, error) {
		req := e.request(stake, e.draws[0])
		req.Partial = partial
		req.Lines[0].Payout, req.Lines[0].Prize = payout, payout.Of(stake)
		return e.Reserve(t.Context(), req)
	}
	_, err := line(200, 3000, false) // 6,000
	require.NoError(t, err)
	_, err = line(134, 3000, false)
	requireDetail(t, err, models.EntityAgency, "100.00", "60.00", "1.33")
	r, err := line(134, 3000, true)
	require.NoError(t, err)
	require.Equal(t, []money.Amount{133}, r.Accepted)
	require.Equal(t, []risk.Cut{{Line: 0, Level: models.EntityAgency, Metric: models.MetricLiability, Limit: 10_000, Sold: 6_000, Available: 133}}, r.Cuts)
	_, err = line(10, 100, false) // ten more at even money: 10,000 of 10,000
	require.NoError(t, err)
	_, err = line(1, 100, true)
	require.ErrorIs(t, err, risk.ErrLimitExceeded, "nothing is left to cut to")
}

// A sliding limit follows the sales of the draw at its own entity before the sale, and no other draw's.
func TestASlidingLimitFollowsTheSalesOfItsDraw(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, element, metric, base, pct_bps) VALUES (gen_random_uuid(), $1, $2, '5', 'stake', 100, 2550)`, e.chain[1].ID, e.currency)
	sell := func(draw uuid.UUID, element string, stake money.Amount) error {
		req := e.request(stake, draw)
		req.Lines[0].Selection = element
		_, err := e.Reserve(t.Context(), req)
		return err
	}
	requireDetail(t, sell(e.draws[0], "5", 101), models.EntityAgency, "1.00", "0.00", "1.00")
	require.NoError(t, sell(e.draws[1], "6", 100_000))
	require.Error(t, sell(e.draws[0], "5", 101), "sales of another draw")
	require.NoError(t, sell(e.draws[0], "6", 1_001))
	requireDetail(t, sell(e.draws[0], "5", 356), models.EntityAgency, "3.55", "0.00", "3.55") // 25.5% of 1,001 is 255.255
	require.NoError(t, sell(e.draws[0], "5", 355))
}

// Tickets that many processes reserve at once never pass a limit, and use it up to the last unit.
func TestSeveralProcessesUseUpALimitExactly(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.limit(t, 1, 1_000)
	processes := []*risk.Service{e.Service, e.process(), e.process()}
	var granted, refused atomic.Int64
	var running sync.WaitGroup
	for i := range 60 {
		running.Go(func() {
			req := e.request(50, e.draws[0], e.draws[1])
			if i%2 == 1 {
				req.Chain = e.second()
			}
			if _, err := processes[i%3].Reserve(t.Context(), req); err != nil {
				assert.ErrorIs(t, err, risk.ErrLimitExceeded)
				refused.Add(1)
				return
			}
			granted.Add(1)
		})
	}
	running.Wait()
	require.EqualValues(t, 20, granted.Load())
	require.EqualValues(t, 40, refused.Load())
	for _, draw := range e.draws[:2] {
		stake, notes := e.sold(t, draw)
		require.Equal(t, "1000", stake)
		require.EqualValues(t, 20, notes)
	}
}

// process is an engine of another process over the same stores.
func (e *engine) process() *risk.Service { return e.processOver(e.env.PG) }

// processOver is process over a client of the database of its own.
func (e *engine) processOver(pg *storage.Postgres) *risk.Service {
	return risk.New(pg, e.env.Redis, e.clock).WithTimeout(testkit.RedisTimeout)
}

// A line that is cut below its least stake is dropped; a request of which nothing is left is refused.
func TestAPartialRequestRespectsTheLeastStake(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.limit(t, 2, 100)
	req := e.request(300, e.draws...)
	req.Partial = true
	req.Lines[0].MinStake, req.Lines[1].MinStake, req.Lines[2].Stake = 100, 101, 40
	r, err := e.Reserve(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, []money.Amount{100, 0, 40}, r.Accepted)
	require.Contains(t, r.Epochs, e.draws[0])
	require.NotContains(t, r.Epochs, e.draws[1], "nothing is reserved there")
	_, notes := e.sold(t, e.draws[1])
	require.Zero(t, notes)
	again := e.request(300, e.draws[0], e.draws[1])
	again.Partial = true
	again.Lines[1].MinStake = 101
	_, err = e.Reserve(t.Context(), again)
	require.Len(t, requireRefused(t, err), 2)
}

// Another currency has limits and counts of its own.
func TestLimitsAreOfOneCurrency(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.limit(t, 2, 100)
	dollars := risk.Currency{ID: uuid.Must(uuid.NewV7()), Code: "USD", Digits: 2}
	e.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'USD', 'Dollar', 2)`, dollars.ID)
	req := e.request(5_000, e.draws[0])
	req.Currency = dollars
	_, err := e.Reserve(t.Context(), req)
	require.NoError(t, err)
	_, err = e.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.NoError(t, err)
	_, err = e.Reserve(t.Context(), e.request(1, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	stake, _ := e.sold(t, e.draws[0])
	require.Equal(t, "100", stake)
}

// A closed draw refuses reservations in every process, also after its counts are lost, and its sold tickets can
// still be cancelled.
func TestAClosedDrawReservesNothing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	r, err := e.Reserve(t.Context(), e.request(100, e.draws[0], e.draws[1]))
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, e.CloseDraws(t.Context(), e.draws[0], e.draws[2]), "also without counts")
	}
	other := e.process()
	_, err = other.Reserve(t.Context(), e.request(100, e.draws[1], e.draws[0]))
	require.ErrorIs(t, err, risk.ErrDrawClosed)
	stake, _ := e.sold(t, e.draws[1])
	require.Equal(t, "100", stake, "the open draw counts nothing for it")
	c, err := other.BeginCancellation(t.Context(), uuid.Must(uuid.NewV7()), e.chain, "VES", []risk.SoldLine{{DrawID: e.draws[0], BetType: "straight", Selection: "5", Stake: 100, Prize: 3_000}})
	require.NoError(t, err)
	require.NoError(t, e.Confirm(t.Context(), r))
	require.NoError(t, other.Apply(t.Context(), c))
	stake, _ = e.sold(t, e.draws[0])
	require.Equal(t, "0", stake)

	e.exec(t, `UPDATE draws SET status = 'closed' WHERE id = ANY ($1::uuid[])`, storage.UUIDs(e.draws[:1]))
	require.NoError(t, e.env.Redis.FlushDB(t.Context()).Err())
	_, err = other.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrDrawClosed)
}

// The sweep completes cancellations that a crash left: a committed one is applied, any other is dropped.
func TestTheSweepCompletesCancellations(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.sell(t, e.draws[0], 700)
	e.sell(t, e.draws[0], 300)
	intend := func(stake money.Amount) uuid.UUID {
		id := uuid.Must(uuid.NewV7())
		_, err := e.BeginCancellation(t.Context(), id, e.chain, "VES", []risk.SoldLine{{DrawID: e.draws[0], BetType: "straight", Selection: "5", Stake: stake, Prize: 30 * stake}})
		require.NoError(t, err)
		return id
	}
	committed := intend(700)
	intend(300)
	e.exec(t, `UPDATE tickets SET status = 'cancelled' WHERE total = 700`)
	e.exec(t, `INSERT INTO transactions (id, type, entity_id, currency_id, amount, user_id, created_at) VALUES ($1, 'sale', $2, $3, 700, $2, now())`, committed, e.chain[2].ID, e.currency)
	e.clock.Advance(29 * time.Second)
	swept, err := e.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, swept.Released+swept.Settled, "either may still commit")
	e.clock.Advance(time.Second)
	swept, err = e.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{swept.Released, swept.Settled})
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "300", stake)
	require.Zero(t, notes)
	e.requireCounts(t)
}

// Without Redis nothing is reserved, read or cancelled; a Redis that returns empty counts again what Postgres has.
func TestNothingIsReservedWithoutRedis(t *testing.T) {
	t.Parallel()
	e := setup(t)
	server := testkit.StartRedis(t)
	client, err := storage.OpenRedis(t.Context(), server.URL())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	e.limit(t, 2, 1_000)
	e.sell(t, e.draws[0], 900)
	engine := risk.New(e.env.PG, client, e.clock)
	require.Eventually(t, func() bool {
		_, err := engine.Reserve(t.Context(), e.request(100, e.draws[0]))
		return err == nil
	}, testkit.WaitTimeout, 10*time.Millisecond)
	server.Kill()
	_, err = engine.Reserve(t.Context(), e.request(1, e.draws[0]))
	require.ErrorIs(t, err, risk.ErrUnavailable)
	_, err = engine.Available(t.Context(), e.chain, e.request(1).Currency, e.request(1, e.draws[0]).Lines)
	require.ErrorIs(t, err, risk.ErrUnavailable)
	_, err = engine.BeginCancellation(t.Context(), uuid.Must(uuid.NewV7()), e.chain, "VES", []risk.SoldLine{{DrawID: e.draws[0], Selection: "5", Stake: 1}})
	require.ErrorIs(t, err, risk.ErrUnavailable)
	_, err = engine.Sweep(t.Context())
	require.Error(t, err)
	server.Start()
	require.NoError(t, client.FlushDB(t.Context()).Err())
	require.Eventually(t, func() bool {
		_, err := engine.Reserve(t.Context(), e.request(101, e.draws[0]))
		return assertRefused(err, "9.00")
	}, testkit.WaitTimeout, 10*time.Millisecond, "the sold 9.00 count, and the lost reservation does not")
}

// assertRefused reports whether a limit refused a line of which so much was sold.
func assertRefused(err error, sold string) bool {
	var refused *apperr.Error
	return errors.As(err, &refused) && len(refused.Details) == 1 && refused.Details[0].Sold == sold
}

// announced records the events of limits.
type announced struct {
	mu     sync.Mutex
	events []realtime.Event
}

func (a *announced) Publish(_ context.Context, _ realtime.Audience, e realtime.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, e)
}

// A caller reads and changes the limits of the own subtree only; every change is announced and recorded once, and a
// refused one neither.
func TestLimitsOfOtherSubtreesAreOutOfReach(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	news := &announced{}
	k.Events = news
	path := "/" + e.chain[0].ID.String() + "/" + e.chain[1].ID.String() + "/"
	agency, point := testkit.Within(path), testkit.Within(path+e.chain[2].ID.String()+"/")
	create := func(by caller.Caller, entity uuid.UUID) (*risk.Limit, error) {
		return k.Create(t.Context(), by, &risk.LimitRequest{EntityID: entity, Currency: "VES", Metric: "stake", Base: "5"})
	}
	own, err := create(agency, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, e.chain[1].ID, own.EntityID, "without an entity it is the caller's")
	below, err := create(agency, e.chain[2].ID)
	require.NoError(t, err)
	_, err = create(agency, e.chain[0].ID)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	_, err = create(point, e.second()[2].ID)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	_, err = k.Create(t.Context(), agency, &risk.LimitRequest{Currency: "EUR", Metric: "stake", Base: "5"})
	require.ErrorIs(t, err, ledger.ErrCurrencyNotFound)

	for name, c := range map[string]struct {
		by   caller.Caller
		f    risk.LimitFilter
		want []uuid.UUID
	}{
		"of the agency":      {agency, risk.LimitFilter{Limit: 10}, []uuid.UUID{own.ID, below.ID}},
		"of the point":       {point, risk.LimitFilter{Limit: 10}, []uuid.UUID{below.ID}},
		"of one entity":      {agency, risk.LimitFilter{EntityID: e.chain[2].ID, Limit: 10}, []uuid.UUID{below.ID}},
		"above the caller":   {agency, risk.LimitFilter{EntityID: e.chain[0].ID, Limit: 10}, nil},
		"the second page":    {agency, risk.LimitFilter{Limit: 1, Offset: 1}, []uuid.UUID{below.ID}},
		"blocks":             {agency, risk.LimitFilter{Blocks: true, Limit: 10}, nil},
		"without any scope":  {caller.Caller{}, risk.LimitFilter{Limit: 10}, nil},
		"of another subtree": {testkit.Operator(uuid.New()), risk.LimitFilter{Limit: 10}, nil},
	} {
		list, total, err := k.Limits(t.Context(), c.by, &c.f)
		require.NoError(t, err, name)
		var ids []uuid.UUID
		for _, l := range list {
			ids = append(ids, l.ID)
		}
		assert.Equal(t, c.want, ids, name)
		assert.GreaterOrEqual(t, total, int64(len(ids)), name)
	}

	_, err = k.Limit(t.Context(), point, own.ID)
	require.ErrorIs(t, err, risk.ErrLimitNotFound)
	_, err = k.Change(t.Context(), point, own.ID, "9", "", "")
	require.ErrorIs(t, err, risk.ErrLimitNotFound)
	require.ErrorIs(t, k.Remove(t.Context(), point, own.ID), risk.ErrLimitNotFound)
	_, err = k.Unblock(t.Context(), agency, own.ID)
	require.ErrorIs(t, err, risk.ErrLimitNotFound, "it is no block")
	changed, err := k.Change(t.Context(), agency, own.ID, "9", "12.5", " holiday ")
	require.NoError(t, err)
	require.EqualValues(t, 900, changed.Base)
	require.EqualValues(t, 1_250, changed.Pct)
	require.Equal(t, "holiday", changed.Reason)
	for _, bad := range [][3]string{{"-1", "", ""}, {"1.234", "", ""}, {"1", "10000.01", ""}, {"1", "x", ""}, {"1", "", strings.Repeat("ñ", 301)}} {
		_, err = k.Change(t.Context(), agency, own.ID, bad[0], bad[1], bad[2])
		require.ErrorIs(t, err, risk.ErrInvalidLimit, "%v", bad)
	}
	require.NoError(t, k.Remove(t.Context(), agency, below.ID))
	require.Len(t, news.events, 4)
	var logged []string
	require.NoError(t, e.env.PG.Pool.QueryRow(t.Context(), `SELECT array_agg(action ORDER BY id) FROM activity_logs WHERE module = 'risk'`).Scan(&logged))
	require.Equal(t, []string{"create", "create", "update", "delete"}, logged)
}
