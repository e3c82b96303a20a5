package risk_test

import (
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/storage"
)

// on makes an engine count in the Redis of an address.
func (e *engine) on(t testing.TB, address string) {
	t.Helper()
	client, err := storage.OpenRedis(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	env := *e.env // whose own client its cleanup uses
	env.Redis, e.env = client, &env
	e.Service = risk.New(e.env.PG, client, e.clock).WithTimeout(testkit.RedisTimeout)
}

// insist reserves, and repeats while Redis is away, as tills do.
func (e *engine) insist(t testing.TB, req *risk.Request) (*risk.Reservation, error) {
	t.Helper()
	for end := time.Now().Add(testkit.WaitTimeout); ; time.Sleep(20 * time.Millisecond) {
		r, err := e.Reserve(t.Context(), req)
		if !errors.Is(err, risk.ErrUnavailable) || time.Now().After(end) {
			return r, err
		}
	}
}

// Counts in a cluster of three masters: a ticket with draws on all of them is counted at each or at none, a limit
// holds for fifty at once, and after one master was killed and its replica promoted.
func TestLimitsHoldInACluster(t *testing.T) {
	t.Parallel()
	cluster := testkit.StartRedisCluster(t, true)
	e := setup(t)
	e.on(t, cluster.URL)
	for range 5 {
		e.draws = append(e.draws, e.addDraw(t)) // eight are on one master once in two thousand runs
	}
	e.limit(t, 1, 1000)
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)

	var granted atomic.Int64
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() {
			switch _, err := e.Reserve(t.Context(), e.request(100, e.draws...)); {
			case err == nil:
				granted.Add(1)
			case !errors.Is(err, risk.ErrLimitExceeded):
				t.Error(err)
			}
		})
	}
	running.Wait()
	require.LessOrEqual(t, granted.Load(), int64(10))
	for _, draw := range e.draws {
		stake, notes := e.sold(t, draw)
		assert.Equal(t, (money.Amount(granted.Load()) * 100).Format(0), stake)
		assert.Equal(t, granted.Load(), notes, "a ticket that one master refused is taken back on the others")
	}
	e.requireCounts(t)

	e.clock.Advance(time.Minute)
	swept, err := e.Sweep(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, granted.Load()*int64(len(e.draws)), swept.Released, "no ticket was committed")
	draw := e.draws[0]
	e.sell(t, draw, 900)
	require.NoError(t, e.Rebuild(t.Context(), e.draws, true))

	cluster.FailOver(t, "risk:{"+draw.String()+"}:n")
	_, err = e.insist(t, e.request(101, draw))
	require.ErrorIs(t, err, risk.ErrLimitExceeded, "what was sold before the master died is counted")
	_, err = e.insist(t, e.request(100, draw))
	require.NoError(t, err)
	_, err = e.insist(t, e.request(1, draw))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	for _, d := range e.draws[1:] {
		_, err = e.insist(t, e.request(1000, d))
		require.NoError(t, err)
	}
	e.requireCounts(t)
}

// A draw whose slot moves to another master is counted again there, at the first request.
func TestADrawMovesToAnotherMaster(t *testing.T) {
	t.Parallel()
	cluster := testkit.StartRedisCluster(t, false)
	e := setup(t)
	e.on(t, cluster.URL)
	e.limit(t, 1, 1000)
	draw := e.draws[0]
	e.sell(t, draw, 600)
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	before := e.epoch(t, draw)
	for range 2 { // there and back: the first master still has the scripts of its run
		cluster.MoveSlot(t, "risk:{"+draw.String()+"}:n")
		_, err = e.Reserve(t.Context(), e.request(401, draw))
		require.ErrorIs(t, err, risk.ErrLimitExceeded)
		after, err := e.Reserve(t.Context(), e.request(400, draw))
		require.NoError(t, err)
		require.Greater(t, after.Epochs[draw], before, "no reservation of the master before can commit")
		before = after.Epochs[draw]
		require.NoError(t, e.Release(t.Context(), after))
	}
	e.requireCounts(t)
}

// A master that became a replica and is the master again has its process and its scripts, but the data of its time as a
// replica: what the scripts counted since the other server had synchronised is lost, though the run id is the same.
func TestAMasterThatComesBackIsAnotherRun(t *testing.T) {
	t.Parallel()
	first := testkit.StartRedisNode(t)
	e := setup(t)
	e.on(t, "redis://"+first.Addr)
	e.limit(t, 1, 1000)
	draw := e.draws[0]
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(first.Addr)
	require.NoError(t, err)
	second := testkit.StartRedisNode(t, "replicaof", host+" "+port)
	linked := func(n *testkit.RedisNode) func() bool {
		return func() bool {
			info, _ := n.Client.Info(t.Context(), "replication").Result()
			return strings.Contains(info, "master_link_status:up")
		}
	}
	require.Eventually(t, linked(second), testkit.WaitTimeout, 10*time.Millisecond)
	e.sell(t, draw, 900)
	sold, err := e.Reserve(t.Context(), e.request(900, draw)) // that sale, which scripts do not replicate
	require.NoError(t, err)
	require.NoError(t, e.Confirm(t.Context(), sold))

	promote := func(n *testkit.RedisNode) { require.NoError(t, n.Client.ReplicaOf(t.Context(), "no", "one").Err()) }
	promote(second)
	require.NoError(t, second.Client.Do(t.Context(), "debug", "change-repl-id").Err(), "so that the data are sent as a whole")
	host, port, err = net.SplitHostPort(second.Addr)
	require.NoError(t, err)
	require.NoError(t, first.Client.ReplicaOf(t.Context(), host, port).Err())
	require.Eventually(t, linked(first), testkit.WaitTimeout, 10*time.Millisecond)
	promote(first)
	require.NoError(t, first.Client.Do(t.Context(), "client", "kill", "type", "normal").Err(), "as sentinels do")

	_, err = e.insist(t, e.request(101, draw))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	_, err = e.insist(t, e.request(100, draw))
	require.NoError(t, err)
}
