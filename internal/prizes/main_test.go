package prizes_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/sales"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// heard counts the news of tickets.
type heard struct {
	mu      sync.Mutex
	tickets int
}

func (h *heard) Publish(_ context.Context, _ realtime.Audience, e realtime.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Name == realtime.TicketUpdated {
		h.tickets++
	}
}

func (h *heard) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tickets
}

// bundle is a seeded operator that sells and pays prizes, for one test.
type bundle struct {
	*fixture.Operator
	*prizes.Service
	sales *sales.Service
	draws *draws.Service
	news  *heard
	by    caller.Caller // the cashier, whose scope is the whole organisation
}

// seeded is the database that the tests begin with: one game and no limits.
var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games:    []string{"lotto-activo"},
	Change:   []string{`UPDATE wallets SET credit_limit = 100000000`, `DELETE FROM risk_limits`},
	DrawDays: 1,
}.Template()

func setup(t testing.TB) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded), news: &heard{}, by: fixture.As(fixture.Cashier)}
	b.assemble(t)
	return b
}

// assemble makes the services over the operator's stores, as a process does at its start.
func (b *bundle) assemble(t testing.TB) {
	t.Helper()
	b.Operator = b.Process(b.Clock)
	b.sales, _ = b.StartSales(t)
	b.draws = draws.New(draws.Deps{
		PG: b.PG, Catalog: b.Catalog, Cache: b.Risk, Refunds: b.sales, Clock: b.Clock, Log: b.Env.Log, Events: realtime.Discard{},
	})
	renderer, err := receipts.New()
	require.NoError(t, err)
	b.Service = prizes.New(prizes.Deps{
		PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Guesses: ratelimit.NewGuesses(b.Redis, b.Clock).WithTimeout(testkit.RedisTimeout),
		Renderer: renderer, Clock: b.Clock, Events: b.news, Zone: fixture.Caracas,
	})
}

// open lists the draws that are open now, by time.
func (b *bundle) open(t testing.TB) []*catalog.Draw {
	t.Helper()
	return b.OpenDraws(t, "")
}

// sell sells a ticket at the first ticket point: 10.00 on an animal of each draw, which pays 30 times as much.
func (b *bundle) sell(t testing.TB, animal string, list ...*catalog.Draw) *sales.Ticket {
	t.Helper()
	req := fixture.Ticket()
	for _, d := range list {
		req.Items = append(req.Items, fixture.Line(d, catalog.BetStraight, "10.00", animal))
	}
	sold, err := b.sales.Sell(t.Context(), b.by, req)
	require.NoError(t, err)
	return &sold.Ticket
}

// settle gives a draw its result and settles it.
func (b *bundle) settle(t testing.TB, d *catalog.Draw, animal string) *draws.Result {
	t.Helper()
	if wait := d.Time.Sub(b.Clock.Now()); wait > 0 {
		b.Clock.Advance(wait)
	}
	_, err := b.draws.CloseDue(t.Context())
	require.NoError(t, err)
	entered, err := b.draws.Enter(t.Context(), fixture.As(fixture.Typist), d.ID, catalog.Outcome{Value: animal})
	require.NoError(t, err)
	verified, _, err := b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	_, err = b.draws.Settle(t.Context(), d.ID)
	require.NoError(t, err)
	return verified
}

// correct supersedes the result of a settled draw.
func (b *bundle) correct(t testing.TB, result *draws.Result, animal string) *draws.Result {
	t.Helper()
	proposed, _, err := b.draws.Correct(t.Context(), fixture.As(fixture.Typist), result.ID, catalog.Outcome{Value: animal}, "misread", false)
	require.NoError(t, err)
	verified, _, err := b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), proposed.ID, nil)
	require.NoError(t, err)
	return verified
}

// winner sells a ticket on the next draw and settles it in its favour: 300.00.
func (b *bundle) winner(t testing.TB) (*sales.Ticket, *draws.Result) {
	t.Helper()
	d := b.open(t)[0]
	ticket := b.sell(t, "5", d)
	return ticket, b.settle(t, d, "5")
}

func (b *bundle) ask(ticket *sales.Ticket, key string) *prizes.PayRequest {
	return &prizes.PayRequest{
		TicketID: ticket.ID, ValidationCode: ticket.ValidationCode, IdempotencyKey: key,
	}
}

func (b *bundle) unask(ticket *sales.Ticket, key string) *prizes.CancelRequest {
	return &prizes.CancelRequest{
		TicketID: ticket.ID, Reason: "wrong ticket", IdempotencyKey: key,
	}
}

// state is a digest of every table a prize could change.
func (b *bundle) state(t testing.TB) string {
	t.Helper()
	var parts []string
	for _, table := range []string{"tickets", "paid_prizes", "prize_differences", "transactions", "postings", "pending_balances", "wallets", "idempotency_keys", "activity_logs", "winning_lines"} {
		var digest string
		require.NoError(t, b.PG.Pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM %s x`, table)).Scan(&digest))
		parts = append(parts, table+" "+digest)
	}
	return strings.Join(parts, "\n")
}

// balance returns the balance of the ticket's point, its pending part included.
func (b *bundle) balance(t testing.TB, ticket *sales.Ticket) int64 {
	t.Helper()
	return b.Number(t, `SELECT w.balance + coalesce((SELECT sum(amount) FROM pending_balances WHERE wallet_id = w.id), 0)::bigint
		FROM wallets w JOIN tickets t ON t.wallet_id = w.id WHERE t.id = $1`, ticket.ID)
}

func (b *bundle) status(t testing.TB, ticket *sales.Ticket) (status string) {
	t.Helper()
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT status FROM tickets WHERE id = $1`, ticket.ID).Scan(&status))
	return status
}

// difference is the open one of a ticket. The filter finds it by the seller and by every entity above it, and by no other.
func (b *bundle) difference(t testing.TB, ticket *sales.Ticket) *prizes.Difference {
	t.Helper()
	find := func(below uuid.UUID) []prizes.Difference {
		list, total, err := b.Differences(t.Context(), b.by, &prizes.DifferenceFilter{TicketID: ticket.ID, Below: below, Status: prizes.DifferenceOpen, Limit: 10})
		require.NoError(t, err)
		require.Len(t, list, int(total))
		return list
	}
	require.Empty(t, find(uuid.New()))
	require.Len(t, find(ticket.EntityID), 1)
	list := find(b.by.EntityID)
	require.Len(t, list, 1)
	return &list[0]
}

// requireSound proves every invariant of books, tickets, draws and prizes.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	b.RequireSound(t, b.sales.Verify, b.draws.Checks, b.Verify)
}
