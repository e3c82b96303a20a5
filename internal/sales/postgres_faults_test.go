package sales_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/platform/idempotency"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// setupPostgres is setup with a Postgres that may fail.
func setupPostgres(t testing.TB) (*bundle, *testkit.PostgresServer) {
	t.Helper()
	env, server := testkit.New(t), testkit.StartPostgres(t)
	return setupOn(t, env, server.Open(t, env.Log), env.Redis), server
}

// persistent clients repeat every request with its key until it is answered; keys counts the requests begun.
type persistent struct {
	answered, failed, keys atomic.Int64
	halt                   func()
}

func (b *bundle) persistent(t testing.TB, clients int) *persistent {
	t.Helper()
	p := &persistent{}
	draw := b.draw(t, "lotto-activo", 0)
	points := [3]string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	for c := range clients {
		running.Go(func() {
			for ctx.Err() == nil {
				req := at(keyed(b.request(draw, "5", "1.00"), itoa(p.keys.Add(1))), points[c%3])
				for !p.try(b, req) { // also after the end: every request is brought to its answer
				}
			}
		})
	}
	p.halt = func() { stop(); running.Wait() }
	t.Cleanup(p.halt)
	return p
}

func (p *persistent) try(b *bundle, req *sales.SellRequest) bool {
	_, err := b.Sell(context.Background(), req) // clients outlive the body of the test
	if err != nil {
		p.failed.Add(1)
		pauseAfter(err)
		return false
	}
	p.answered.Add(1)
	return true
}

func (p *persistent) await(t testing.TB, n *atomic.Int64, more int64) {
	t.Helper()
	goal := n.Load() + more
	require.Eventually(t, func() bool { return n.Load() >= goal }, 2*waitTimeout, pollInterval)
}

// Clients that repeat unanswered requests get every ticket once, whatever happens to Postgres.
func TestPostgresFailsUnderLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		take  func(s *testkit.PostgresServer)
		give  func(s *testkit.PostgresServer)
		times int
	}{
		{"stopped", func(s *testkit.PostgresServer) { s.Stop() }, func(s *testkit.PostgresServer) { s.Start() }, 2},
		{"killed", func(s *testkit.PostgresServer) { s.Kill() }, func(s *testkit.PostgresServer) { s.Start() }, 3},
		{"paused", func(s *testkit.PostgresServer) { s.Pause() }, func(s *testkit.PostgresServer) { s.Resume() }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, server := setupPostgres(t)
			p := b.persistent(t, 24)
			for range tt.times {
				p.await(t, &p.answered, 60)
				tt.take(server)
				p.await(t, &p.failed, 1)
				tt.give(server)
			}
			p.await(t, &p.answered, 60)
			p.halt()
			b.PG.Pool.Reset() // as below
			require.Equal(t, p.keys.Load(), p.answered.Load())
			require.Equal(t, p.keys.Load(), b.sold(t), "each request is one ticket")
			require.Equal(t, p.keys.Load(), b.Number(t, `SELECT count(DISTINCT ticket_id) FROM idempotency_keys`))
			b.settleAll(t, nil)
		})
	}
}

// A repeat that would be refused, because the sale itself has filled the limit or the draw has stopped since, is no refusal
// while Postgres cannot say whether its key has sold.
func TestARepeatIsUnknownWhilePostgresIsAway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, refusal string
		refuse        func(b *bundle, draw *catalog.Draw)
	}{
		{"limit", "RISK_LIMIT_EXCEEDED", func(*bundle, *catalog.Draw) {}},
		{"stop", "INVALID_TICKET", func(b *bundle, draw *catalog.Draw) { b.Clock.Advance(draw.SaleStopAt.Sub(b.Clock.Now())) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, server := setupPostgres(t)
			draw := b.draw(t, "lotto-activo", 0)
			b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 10_00})
			request := func(key string) *sales.SellRequest { return keyed(b.request(draw, "5", "10.00"), key) }
			first, err := b.Sell(t.Context(), request("sold"))
			require.NoError(t, err)
			tt.refuse(b, draw)
			b.requireRefused(t, request("other"), tt.refusal, "items[0]")

			server.Stop()
			_, err = b.Sell(t.Context(), request("sold"))
			require.ErrorIs(t, err, idempotency.ErrUnknownOutcome)
			server.Start()

			b.PG.Pool.Reset()
			again, err := b.Sell(t.Context(), request("sold"))
			require.NoError(t, err)
			require.True(t, again.Replayed)
			require.Equal(t, first.Ticket.ID, again.Ticket.ID)
			b.requireRefused(t, request("other"), tt.refusal, "items[0]")
		})
	}
}

// Clients without keys may not learn the outcome of a sale, but no sale is partial.
func TestPostgresKilledWithoutKeys(t *testing.T) {
	t.Parallel()
	b, server := setupPostgres(t)
	tr := b.mixed(t, 24)
	for range 3 {
		tr.awaitMore(t, 60)
		server.Kill()
		require.Eventually(t, func() bool { return b.PG.Ping(t.Context()) != nil }, waitTimeout, pollInterval)
		server.Start()
	}
	tr.awaitMore(t, 60)
	tr.halt()
	b.PG.Pool.Reset() // of connections that died with the server and were not used since
	require.GreaterOrEqual(t, b.sold(t), int64(len(tr.tickets)))
	require.LessOrEqual(t, b.sold(t), int64(len(tr.tickets)+tr.codes["OUTCOME_UNKNOWN"]))
	b.settleAll(t, tr.tickets)
}
