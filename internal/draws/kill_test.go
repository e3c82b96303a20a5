package draws_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/internal/sales"
	"banca/models"
	"banca/storage"
)

// settlerCommand and refunderCommand make the test binary a process that does that to a draw, until it is done or killed.
const (
	settlerCommand  = "settle-until-killed"
	refunderCommand = "refund-until-killed"
)

// fill sells many tickets of one line each on a draw by copying one ticket, below the sale path, with its bookings.
func (h *world) fill(t testing.TB, ticket uuid.UUID, tickets int) {
	t.Helper()
	h.Exec(t, `CREATE TABLE copies AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, $1::integer) n`, tickets)
	h.Exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		SELECT c.id, 'COPY-' || c.n, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at
		FROM tickets t, copies c WHERE t.id = $1`, ticket)
	h.Exec(t, `INSERT INTO ticket_items SELECT c.id, line_no, draw_id, game_id, bet_type, (c.n % 36 + 1)::text, amount, payout, potential_prize, rule_version, commission_rates
		FROM ticket_items i, copies c WHERE i.ticket_id = $1`, ticket)
	for _, of := range []string{"id", "(substr(id::text, 1, 34) || lpad(to_hex(get_byte(decode(right(id::text, 2), 'hex'), 0) # 255), 2, '0'))::uuid"} { // as ledger.SaleID and CommissionID
		original := h.Text(t, `SELECT `+of+` FROM tickets WHERE id = $1`, ticket)
		h.Exec(t, `INSERT INTO transactions (id, type, entity_id, currency_id, amount, ticket_id, user_id, created_at)
			SELECT (SELECT `+of+` FROM (SELECT c.id) x), type, entity_id, currency_id, amount, c.id, user_id, created_at FROM transactions, copies c WHERE transactions.id = $1`, original)
		h.Exec(t, `INSERT INTO postings (transaction_id, wallet_id, amount, direct, created_at)
			SELECT (SELECT `+of+` FROM (SELECT c.id) x), wallet_id, amount, false, created_at FROM postings, copies c WHERE transaction_id = $1`, original)
	}
	h.Exec(t, `DROP TABLE copies`)
}

// killed runs a command of this binary on a draw and kills it after a wait, which begins when the command does; it reports
// whether it was killed.
func (h *world) killed(t testing.TB, command string, draw uuid.UUID, wait func()) bool {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, command, h.Env.PostgresURL, draw.String(), h.Clock.Now().Format(time.RFC3339))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	ready := make([]byte, 1)
	_, err = out.Read(ready) // it has connected and begins now
	require.NoError(t, err)
	wait()
	_ = child.Process.Kill()
	return child.Wait() != nil
}

// A process that is killed while it settles leaves the draw as it was; the next run decides every ticket.
func TestKilledSettlement(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.fill(t, h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5")).ID, 20_000)
	h.result(t, draw, catalog.Outcome{Value: "5"})
	kills := 0
	for round := 0; h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID) == models.DrawResulted && round < 8; round++ {
		if h.killed(t, settlerCommand, draw.ID, func() { time.Sleep(time.Duration(20+rand.IntN(250)) * time.Millisecond) }) {
			kills++
		}
		h.waitForBackends(t)
		decided := h.Number(t, `SELECT count(*) FROM tickets WHERE status <> 'pending'`)
		require.Contains(t, []int64{0, 20_001}, decided, "all or nothing")
		require.Equal(t, decided == 0, h.Number(t, `SELECT count(*) FROM winning_lines`) == 0)
	}
	require.Positive(t, kills)
	_, err := h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	require.Zero(t, h.Number(t, `SELECT count(*) FROM tickets WHERE status NOT IN ('won', 'lost')`))
	require.EqualValues(t, 557, h.Number(t, `SELECT count(*) FROM tickets WHERE status = 'won' AND prize = 15000`))
	h.requireSound(t)
}

// A process that is killed while it refunds goes on where it stood: nothing is refunded twice, nothing forgotten.
func TestKilledRefund(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.fill(t, h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5")).ID, 1_500)
	_, err := h.Ledger.Fold(t.Context())
	require.NoError(t, err)
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), draw.ID, "the machine broke"))
	halfway, refunded := 0, int64(0)
	for round := 0; h.Number(t, `SELECT count(*) FROM tickets WHERE status = 'pending'`) > 0 && round < 40; round++ {
		h.killed(t, refunderCommand, draw.ID, func() {
			require.Eventually(t, func() bool { return h.Number(t, `SELECT count(*) FROM draw_refunds`) > refunded }, testkit.WaitTimeout, time.Millisecond)
			time.Sleep(rand.N(20 * time.Millisecond))
		})
		h.waitForBackends(t)
		if refunded = h.Number(t, `SELECT count(*) FROM draw_refunds`); refunded < 1_501 {
			halfway++
		}
	}
	require.Positive(t, halfway, "it was killed on the way")
	require.NoError(t, h.Refund(t.Context(), draw.ID))
	require.EqualValues(t, 1_501, h.Number(t, `SELECT count(*) FROM draw_refunds`))
	require.EqualValues(t, 1_501, h.Number(t, `SELECT count(*) FROM tickets WHERE status = 'cancelled' AND refunded = total`))
	require.Zero(t, h.Number(t, `SELECT count(*) FROM wallets w WHERE balance + coalesce((SELECT sum(amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0) <> 0`))
	h.requireSound(t)
}

// waitForBackends waits until Postgres has rolled back the transactions of a killed process.
func (h *world) waitForBackends(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return h.Number(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'killed'`) == 0
	}, 10*time.Second, 10*time.Millisecond)
}

// withName adds a name to a connection by which its backends are found.
func withName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	q.Set("application_name", "killed")
	u.RawQuery = q.Encode()
	return u.String()
}

// runKilled is the process.
func runKilled(args []string) int {
	ctx := context.Background()
	at, err := time.Parse(time.RFC3339, args[3])
	if err != nil {
		return 2
	}
	pg, err := storage.OpenPostgres(ctx, storage.PostgresOptions{URL: withName(args[1])})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	clk := clock.NewFake(at)
	sold := sales.New(sales.Deps{PG: pg, Ledger: ledger.New(pg, ledger.Options{Zone: time.UTC}), Clock: clk, Log: slog.New(slog.DiscardHandler), Wake: func() {}})
	service := draws.New(draws.Deps{PG: pg, Catalog: catalog.New(pg, clk, catalog.Options{Zone: fixture.Caracas}), Refunds: sold, Clock: clk, Events: realtime.Discard{}})
	_, _ = os.Stdout.WriteString(".")
	id := uuid.MustParse(args[2])
	if args[0] == refunderCommand {
		err = service.Refund(ctx, id)
	} else {
		_, err = service.Settle(ctx, id)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
