package bank

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/alerts"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/logdriver"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/storage"
)

// TestMain runs the tests or, called by TestKilledBetweenCommitAndAnswer, a process that answers until it is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == answererCommand {
		os.Exit(runAnswerer(os.Args[2:]))
	}
	os.Exit(testkit.Run(m))
}

const (
	testToken = "0b2c7d1e-3f4a-4b5c-8d6e-7f8091a2b3c4"
	nextToken = "5a6b7c8d-9e0f-4a1b-8c2d-3e4f5a6b7c8d"
	bankIP    = "203.0.113.7"
)

// bundle is a seeded operator with the bank's calls, for one test. Its clock stands still at ten in the morning.
type bundle struct {
	*fixture.Operator
	*Service
	alerts *alerts.Service
	admin  caller.Caller
}

func options() Options {
	return Options{
		Token: testToken, AllowedIPs: []netip.Prefix{netip.MustParsePrefix(bankIP + "/32")}, Zone: fixture.Caracas, Currency: "VES",
		Hold: 15 * time.Minute, RequestExpiry: 24 * time.Hour, OpenDeposits: true, Unmatched: UnmatchedReject,
		CallLimit: 1_000_000, CallWindow: time.Minute, RefusedLimit: 60, RefusedWindow: time.Minute,
		EventRetention: 30 * 24 * time.Hour, PayloadRetention: 24 * time.Hour,
	}
}

// setup returns a bundle; change edits its options.
func setup(t testing.TB, change ...func(*Options)) *bundle {
	t.Helper()
	env := seeded.New(t)
	return setupSeeded(t, env, env.PG, change...)
}

// setupOn is setup over a server of the test's own, with an empty database.
func setupOn(t testing.TB, env *testkit.Env, pg *storage.Postgres, change ...func(*Options)) *bundle {
	t.Helper()
	require.NoError(t, fixture.Rows{}.Write(t.Context(), pg))
	return setupSeeded(t, env, pg, change...)
}

// seeded is the database that the tests begin with.
var seeded = fixture.Rows{}.Template() //nolint:gochecknoglobals // a lazy constant

// morning is the time at which the clocks of the tests begin.
func morning() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, fixture.Caracas) }

// setupSeeded is setup over a database with the seed.
func setupSeeded(t testing.TB, env *testkit.Env, pg *storage.Postgres, change ...func(*Options)) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.Over(env, pg, env.Redis, clock.NewFake(morning())), admin: fixture.As(seed.ID("user", "admin@banca.test"))}
	b.start(t, change...)
	return b
}

// start makes the service over the bundle's database and serves it until the test ends.
func (b *bundle) start(t testing.TB, change ...func(*Options)) {
	t.Helper()
	o := options()
	for _, c := range change {
		c(&o)
	}
	b.Service = newService(b.PG, b.Clock, b.Env.Log, o)
	b.alerts = alerts.New(alerts.Deps{PG: b.PG, Clock: b.Clock, Retention: o.EventRetention})
	fixture.Start(t, b.Run)
}

func newService(pg *storage.Postgres, clk clock.Clock, log *slog.Logger, o Options) *Service {
	entities := org.New(pg.Gorm, org.Options{})
	messages := messaging.New(messaging.Deps{
		Pool: pg.Pool, Org: entities, Routes: messaging.NewStaticRoute(channel.Channel{Driver: "log"}),
		Drivers: channel.ByName(logdriver.New(log)), Clock: clk, Log: log, Wake: func() {},
	})
	return New(Deps{
		PG: pg, Org: entities, Ledger: ledger.New(pg, ledger.Options{Zone: o.Zone}), Messages: messages, Clock: clk, Log: log, Wake: func() {}, Options: o,
	})
}

// call is a call of the bank with everything right.
func call(phase Phase, body string) *Call {
	return &Call{Phase: phase, Method: http.MethodPost, Peer: bankIP + ":4711", Authorization: []string{testToken}, Body: strings.NewReader(body), HTTPID: "test"}
}

// ask sends a call and requires an answer of this status.
func (b *bundle) ask(t testing.TB, status int, c *Call) bool {
	t.Helper()
	reply := b.Answer(t.Context(), c)
	require.Equal(t, status, reply.Status, string(reply.Body))
	var body map[string]bool
	require.NoError(t, json.Unmarshal(reply.Body, &body))
	require.Len(t, body, 1)
	answer, named := body[c.Phase.answerName()]
	require.True(t, named, string(reply.Body))
	return answer
}

// fields are the fields of a call, as JSON; pairs change or, with nil, drop them.
func fields(base map[string]any, pairs ...any) string {
	m := make(map[string]any, len(base))
	maps.Copy(m, base)
	for i := 0; i < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		if m[key] = pairs[i+1]; pairs[i+1] == nil {
			delete(m, key)
		}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func queryBody(pairs ...any) string {
	return fields(map[string]any{"IdCliente": "V11222333", "Monto": "150.00", "TelefonoComercio": seed.MerchantPhone}, pairs...)
}

func notifyBody(pairs ...any) string {
	return fields(map[string]any{"Referencia": "000012345678", "BancoEmisor": "0134", "Monto": "150.00", "CodigoRed": "00"}, pairs...)
}

// query and notify send a well-formed call and return its answer.
func (b *bundle) query(t testing.TB, pairs ...any) bool {
	t.Helper()
	return b.ask(t, http.StatusOK, call(PhaseQuery, queryBody(pairs...)))
}

func (b *bundle) notify(t testing.TB, pairs ...any) bool {
	t.Helper()
	return b.ask(t, http.StatusOK, call(PhaseNotification, notifyBody(pairs...)))
}

// expect announces a payment of the usual client into the ticket point's wallet.
func (b *bundle) expect(t testing.TB, change ...func(*NewRequest)) *Request {
	t.Helper()
	n := &NewRequest{EntityID: pointID(), Amount: "150.00", ClientID: "V-11.222.333", ClientPhone: "04149998877"}
	for _, c := range change {
		c(n)
	}
	r, _, err := b.CreateRequest(t.Context(), b.admin, n)
	require.NoError(t, err)
	return r
}

func pointID() uuid.UUID { return seed.ID("entity", seed.CodeTicketPoint) }

// balance is the exact balance of an entity's wallet.
func (b *bundle) balance(t testing.TB, entity uuid.UUID, kind string) money.Amount {
	t.Helper()
	var amount money.Amount
	err := b.PG.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)), 0)::bigint
		FROM wallets w WHERE w.entity_id = $1 AND w.kind = $2 AND w.currency_id = $3`, entity, kind, seed.ID("currency", "VES")).Scan(&amount)
	require.NoError(t, err)
	return amount
}

// point is the balance of the ticket point's own wallet.
func (b *bundle) point(t testing.TB) money.Amount {
	t.Helper()
	return b.balance(t, pointID(), "main")
}

func (b *bundle) count(t testing.TB, table, where string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+where, args...).Scan(&n))
	return n
}

// requireSound proves every invariant of the ledger and of the payments.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	b.RequireSound(t, b.Verify)
}

// onlyPayment returns the one payment there is.
func (b *bundle) onlyPayment(t testing.TB) *Payment {
	t.Helper()
	list, total, err := b.Payments(t.Context(), b.admin, &PaymentFilter{Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, total, fmt.Sprint(list))
	return &list[0]
}

// lastEvent returns the newest event.
func (b *bundle) lastEvent(t testing.TB) *Event {
	t.Helper()
	require.NoError(t, b.Flush(t.Context()))
	rows, err := b.PG.Pool.Query(t.Context(), `SELECT id FROM bank_events ORDER BY id DESC LIMIT 1`)
	require.NoError(t, err)
	id, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	e, err := b.event(t.Context(), id)
	require.NoError(t, err)
	return e
}
