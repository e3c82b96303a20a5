package sales_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/storage"
)

// setupRedis is setup with a Redis that may fail.
func setupRedis(t testing.TB) (*bundle, *testkit.RedisServer) {
	t.Helper()
	env, server := testkit.New(t), testkit.StartRedis(t)
	client, err := storage.OpenRedis(t.Context(), server.URL())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	return setupOn(t, env, env.PG, client), server
}

// mixed is traffic at three ticket points over two draws.
func (b *bundle) mixed(t testing.TB, workers int) *traffic {
	t.Helper()
	draws := [2]string{"lotto-activo", "la-granjita"}
	points := [3]string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint}
	first, second := b.draw(t, draws[0], 0), b.draw(t, draws[1], 0)
	return b.traffic(t, workers, func(worker, n int) *sales.SellRequest {
		items := []sales.Item{straight(first, itoa(int64(n%9)), "1.00"), straight(second, "7", "1.00")}
		return at(fixture.Ticket(items[:1+n%2]...), points[worker%3])
	})
}

// settleAll runs the sweep and requires the books and counts to be sound.
func (b *bundle) settleAll(t testing.TB, tickets []sales.Ticket) {
	t.Helper()
	b.Clock.Advance(31 * time.Second)
	_, err := b.Risk.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, b.notes(t), "the sweep settles everything")
	b.requireOnce(t, tickets)
	b.requireSound(t)
}

const riskDown = "RISK_ENGINE_UNAVAILABLE"

func TestRedisStoppedUnderLoad(t *testing.T) {
	t.Parallel()
	b, server := setupRedis(t)
	tr := b.mixed(t, 8)
	tr.awaitMore(t, 40)
	server.Stop()
	tr.awaitRound(t) // sales with a reservation are finished
	sold := b.sold(t)
	tr.awaitRefusals(t, riskDown, 50)
	require.Equal(t, sold, b.sold(t), "nothing is sold without Redis")
	server.Start()
	tr.awaitMore(t, 40)
	tr.halt()
	require.Len(t, tr.codes, 1, "%v", tr.codes)
	b.settleAll(t, tr.tickets)
}

func TestRedisKilledUnderLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		before func(t *testing.T, b *bundle)             // what precedes the kill
		after  func(t *testing.T, b *bundle, dir string) // what happens to its files
	}{
		{name: "with what it had written", before: func(*testing.T, *bundle) {}, after: func(*testing.T, *bundle, string) {}},
		{
			name: "with its data deleted", before: func(*testing.T, *bundle) {},
			after: func(t *testing.T, _ *bundle, dir string) {
				t.Helper()
				require.NoError(t, os.RemoveAll(filepath.Join(dir, "appendonlydir")))
			},
		},
		{
			name: "with stale data", after: func(*testing.T, *bundle, string) {},
			before: func(t *testing.T, b *bundle) {
				t.Helper()
				require.NoError(t, b.Redis.ConfigSet(t.Context(), "appendonly", "no").Err())
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, server := setupRedis(t)
			dir, err := b.Redis.ConfigGet(t.Context(), "dir").Result()
			require.NoError(t, err)
			tr := b.mixed(t, 8)
			tr.awaitMore(t, 40)
			tt.before(t, b)
			tr.awaitMore(t, 40)
			server.Kill()
			tr.awaitRefusals(t, riskDown, 10)
			tt.after(t, b, dir["dir"])
			server.Start()
			tr.awaitMore(t, 40)
			tr.halt()
			require.Len(t, tr.codes, 1, "%v", tr.codes)
			b.settleAll(t, tr.tickets)
		})
	}
}

// Counts that vanish while Redis goes on are rebuilt by the sale that misses them.
func TestRedisFlushedUnderLoad(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tr := b.mixed(t, 20)
	for range 8 {
		tr.awaitMore(t, 20)
		require.NoError(t, b.Redis.FlushDB(t.Context()).Err())
	}
	tr.awaitMore(t, 20)
	tr.halt()
	require.Subset(t, []string{riskDown}, codesOf(tr), "%v", tr.codes)
	b.settleAll(t, tr.tickets)
}

func codesOf(tr *traffic) []string {
	codes := []string{}
	for code := range tr.codes {
		codes = append(codes, code)
	}
	return codes
}

// With a Redis that hangs, sales are refused in bounded time, and its late effects are repaired.
func TestRedisPausedUnderLoad(t *testing.T) {
	t.Parallel()
	b, server := setupRedis(t)
	draw := b.draw(t, "lotto-activo", 0)
	tr := b.mixed(t, 8)
	tr.awaitMore(t, 40)
	server.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second) // one call and one release
	defer cancel()
	_, err := b.Sell(ctx, b.request(draw, "5", "1.00"))
	require.Equal(t, riskDown, apperr.CodeOf(err))
	require.NoError(t, ctx.Err())
	server.Resume()
	tr.awaitMore(t, 40)
	tr.halt()
	require.Len(t, tr.codes, 1, "%v", tr.codes)
	b.settleAll(t, tr.tickets)
}

// Without Redis nothing is cancelled either.
func TestCancelWithoutRedis(t *testing.T) {
	t.Parallel()
	b, server := setupRedis(t)
	ticket := b.sell(t, straight(b.draw(t, "lotto-activo", 0), "5", "10.00"))
	b.quiet(t)
	balances, counts := b.balances(t), b.counts(t)
	server.Stop()
	_, err := b.Cancel(t.Context(), b.cancel(ticket.ID))
	require.Equal(t, riskDown, apperr.CodeOf(err))
	server.Start()
	b.sweep(t)
	require.Equal(t, balances, b.balances(t))
	require.Equal(t, counts, b.counts(t))
	require.EqualValues(t, 1, b.sold(t))
	_, err = b.Cancel(t.Context(), b.cancel(ticket.ID))
	require.NoError(t, err)
	b.requireSound(t)
}

// The sweep detects a restart of Redis before any sale does.
func TestTheSweepNoticesARestart(t *testing.T) {
	t.Parallel()
	b, server := setupRedis(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.sell(t, straight(draw, "5", "10.00"))
	swept, err := b.Risk.Sweep(t.Context())
	require.NoError(t, err)
	require.Positive(t, swept.Rebuilt)
	swept, err = b.Risk.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, risk.Swept{}, swept)
	server.Stop()
	server.Start()
	swept, err = b.Risk.Sweep(t.Context())
	require.NoError(t, err)
	require.Positive(t, swept.Rebuilt)
	b.requireSound(t)
}

// A rebuild that Postgres rolls back after Redis took the counts leaves an epoch that nothing can be
// sold under; the next sale puts that right.
func TestARolledBackRebuildBlocksSalesUntilTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	ticket := b.sell(t, straight(draw, "5", "10.00"))
	b.quiet(t)
	b.Exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`)
	b.Exec(t, `CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON draws DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	require.Error(t, b.Risk.Rebuild(t.Context(), []uuid.UUID{draw.ID}, true))
	b.Exec(t, `DROP TRIGGER refuse ON draws`)

	b.sell(t, straight(draw, "5", "10.00"))
	_, err := b.Cancel(t.Context(), b.cancel(ticket.ID))
	require.NoError(t, err)
	b.quiet(t)
	require.Equal(t, "1000", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.requireSound(t)
}
