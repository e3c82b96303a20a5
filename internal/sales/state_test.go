package sales_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/sales"
	"banca/models"
)

// patience bounds every wait of these tests, glance is the interval of polling.
const (
	waitTimeout  = testkit.WaitTimeout
	pollInterval = 5 * time.Millisecond
)

// state is everything a sale or cancellation may change: a digest of each table, and every count and
// note in Redis that is not zero.
type state map[string]string

// state reads it all, once the confirmations of earlier sales are through.
func (b *bundle) state(t testing.TB) state {
	t.Helper()
	b.quiet(t)
	s := state{}
	for _, table := range []string{
		"tickets", "ticket_items", "transactions", "postings", "pending_balances", "wallets", "customers", "outbox", "idempotency_keys",
	} {
		var digest string
		err := b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) || ' rows, ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM `+table+` x`).Scan(&digest)
		require.NoError(t, err, table)
		s[table] = digest
	}
	maps.Copy(s, b.counts(t))
	return s
}

// counts reads every count and note of every draw that is not zero.
func (b *bundle) counts(t testing.TB) state {
	t.Helper()
	s := state{}
	keys, err := b.Redis.Keys(t.Context(), "risk:*").Result()
	require.NoError(t, err)
	cmds, err := b.Redis.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for _, key := range keys {
			p.HGetAll(t.Context(), key)
		}
		return nil
	})
	require.NoError(t, err)
	for i, key := range keys {
		fields, ok := cmds[i].(*redis.MapStringStringCmd)
		require.True(t, ok)
		for field, value := range fields.Val() {
			if value != "0" && field != "run" && field != "epoch" && field != "plan" && field != "about" && field != "closed" {
				s[key+" "+field] = value
			}
		}
	}
	return s
}

// notes counts the reservations and intended cancellations in Redis.
func (b *bundle) notes(t testing.TB) int {
	t.Helper()
	n := 0
	for key := range b.counts(t) {
		if strings.Contains(key, ":r ") {
			n++
		}
	}
	return n
}

// quiet waits until every reservation is confirmed or given back.
func (b *bundle) quiet(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return b.notes(t) == 0 }, waitTimeout, pollInterval, "reservations stay")
}

// count reads a count of a draw in Redis: a level's stake on a straight bet.
func (b *bundle) count(t testing.TB, draw uuid.UUID, entity, metric, key string) string {
	t.Helper()
	no := b.Number(t, `SELECT no FROM entities WHERE id = $1`, fixture.EntityID(entity))
	for name, value := range b.counts(t) {
		if name == "risk:{"+draw.String()+"}:n "+itoa(no)+":VES:"+metric+":"+key {
			return value
		}
	}
	return "0"
}

// requireRefused proves that a sale is refused for the right reason, names the right lines, repeats
// nothing that was submitted, and changes nothing.
func (b *bundle) requireRefused(t testing.TB, req *sales.SellRequest, code string, locations ...string) []apperr.Detail {
	t.Helper()
	return b.requireRefusedTo(t, cashier(), req, code, locations...)
}

// requireRefusedTo is requireRefused for another caller than the cashier.
func (b *bundle) requireRefusedTo(t testing.TB, by caller.Caller, req *sales.SellRequest, code string, locations ...string) []apperr.Detail {
	t.Helper()
	before := b.state(t)
	sold, err := b.Service.Sell(t.Context(), by, req)
	require.Nil(t, sold)
	require.Equal(t, code, apperr.CodeOf(err), "%v", err)
	require.Equal(t, before, b.state(t), "a refusal changes nothing")
	refusal := apperr.From(err)
	var named []string
	for _, d := range refusal.Details {
		named = append(named, d.Location)
		requireNoEcho(t, req, string(d.Message))
	}
	require.Equal(t, locations, named)
	requireNoEcho(t, req, refusal.Message)
	return refusal.Details
}

// requireNoEcho looks for anything submitted that is long enough to be recognised.
func requireNoEcho(t testing.TB, req *sales.SellRequest, text string) {
	t.Helper()
	submitted := []string{req.IdempotencyKey, req.Currency}
	if req.Customer != nil {
		submitted = append(submitted, req.Customer.Name, req.Customer.Phone)
	}
	for _, item := range req.Items {
		submitted = append(append(submitted, item.DrawID, item.BetType, item.Amount), item.Selection...)
	}
	for _, s := range submitted {
		if len(s) > 3 && s != "straight" { // the message may list the bet types that are offered
			require.NotContains(t, text, s)
		}
	}
}

// requireOnce proves that every acknowledged ticket exists exactly once, with its money, and has exactly
// one task to print it.
func (b *bundle) requireOnce(t testing.TB, tickets []sales.Ticket) {
	t.Helper()
	serials := make([]string, len(tickets))
	seen := map[string]bool{}
	for i := range tickets {
		serials[i] = tickets[i].SerialCode
		require.False(t, seen[serials[i]], "acknowledged twice")
		seen[serials[i]] = true
	}
	b.requireSerials(t, serials)
}

func (b *bundle) requireSerials(t testing.TB, serials []string) {
	t.Helper()
	require.EqualValues(t, len(serials), b.Number(t, `SELECT count(*) FROM tickets WHERE serial_code = ANY ($1)`, serials))
	require.Zero(t, b.Number(t, `SELECT count(*) FROM tickets k WHERE 1 <> (SELECT count(*) FROM outbox o WHERE o.payload->>'ticket_id' = k.id::text AND o.kind = 'receipt.render')`),
		"every ticket has one row in the outbox")
	require.Zero(t, b.Number(t, `SELECT count(*) FROM outbox o WHERE o.kind = 'receipt.render' AND NOT EXISTS (SELECT 1 FROM tickets k WHERE o.payload->>'ticket_id' = k.id::text)`),
		"and no row is without a ticket")
}

// sold counts the tickets that stand.
func (b *bundle) sold(t testing.TB) int64 {
	t.Helper()
	return b.Number(t, `SELECT count(*) FROM tickets WHERE status <> $1`, models.TicketCancelled)
}
