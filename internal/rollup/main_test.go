package rollup_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/prizes"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a seeded operator that sells, settles and pays, with the totals of its days.
type bundle struct {
	*fixture.Operator
	*rollup.Service
	sales  *sales.Service
	draws  *draws.Service
	prizes *prizes.Service
	by     caller.Caller // the cashier, whose scope is the whole organisation
}

// seeded is the database that the tests begin with: two games, whose rates the tests know, and no limits.
var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games:    []string{"lotto-activo", "la-granjita"},
	Change:   []string{`UPDATE wallets SET credit_limit = 100000000000`, `DELETE FROM risk_limits`},
	DrawDays: 1,
}.Template()

func setup(t testing.TB) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded), by: fixture.As(fixture.Cashier)}
	b.sales, _ = b.StartSales(t)
	b.draws = draws.New(draws.Deps{
		PG: b.PG, Catalog: b.Catalog, Cache: b.Risk, Refunds: b.sales, Clock: b.Clock, Log: b.Env.Log, Events: realtime.Discard{},
	})
	b.prizes = prizes.New(prizes.Deps{
		PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Guesses: ratelimit.NewGuesses(b.Redis, b.Clock).WithTimeout(testkit.RedisTimeout),
		Clock: b.Clock, Events: realtime.Discard{}, Zone: fixture.Caracas,
	})
	b.Service = rollup.New(b.PG, fixture.Caracas)
	return b
}

// sellAt sells a ticket of lines at a ticket point.
func (b *bundle) sellAt(t testing.TB, point string, lines ...sales.Item) *sales.Ticket {
	t.Helper()
	req := fixture.Ticket(lines...)
	req.EntityID = fixture.EntityID(point)
	sold, err := b.sales.Sell(t.Context(), b.by, req)
	require.NoError(t, err)
	return &sold.Ticket
}

func (b *bundle) cancel(t testing.TB, ticket *sales.Ticket) {
	t.Helper()
	_, err := b.sales.Cancel(t.Context(), b.by, &sales.CancelRequest{TicketID: ticket.ID})
	require.NoError(t, err)
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

func (b *bundle) pay(t testing.TB, ticket *sales.Ticket) error {
	t.Helper()
	_, err := b.prizes.Pay(t.Context(), b.by, &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode})
	return err
}

// advance counts until every event is counted. Transactions of other tests in the same cluster may delay it.
func (b *bundle) advance(t testing.TB) {
	t.Helper()
	b.CountTotals(t, b.Advance)
}

// today is the day of the fixture's clock.
func (b *bundle) today() businessday.Day { return businessday.Of(b.Clock.Now(), fixture.Caracas) }

// of returns the totals in bolívares of the entity with a code on the days of the test.
func (b *bundle) of(t testing.TB, code string) rollup.Figures {
	t.Helper()
	rows, err := b.Sum(t.Context(), b.query(fixture.EntityID(code)))
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0].Figures
}

func (b *bundle) query(entity uuid.UUID) *rollup.Query {
	return &rollup.Query{EntityID: entity, CurrencyID: seed.ID("currency", "VES"), From: b.today().AddDays(-3), To: b.today().AddDays(3)}
}

// requireSound proves the books, the tickets and the totals.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	b.RequireSound(t, b.sales.Verify, b.draws.Checks, b.prizes.Verify, b.Verify)
}

// table returns the rows of daily_totals whose figures are not all 0.
func (b *bundle) table(t testing.TB) []string {
	t.Helper()
	rows, err := b.PG.Pool.Query(t.Context(), `SELECT d::text FROM daily_totals d
		WHERE (tickets, voided_tickets, lines, sold, voided, refunded, won, paid) <> (0, 0, 0, 0, 0, 0, 0, 0) OR commission_ticket_point <> 0 ORDER BY 1`)
	require.NoError(t, err)
	var list []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		list = append(list, text)
	}
	require.NoError(t, rows.Err())
	return list
}

// broken returns the names of the checks of the totals that fail.
func (b *bundle) broken(t testing.TB) []string {
	t.Helper()
	checks, err := b.Verify(t.Context())
	require.NoError(t, err)
	var names []string
	for _, c := range checks {
		if c.Broken > 0 {
			names = append(names, fmt.Sprintf("%s (%d)", c.Name, c.Broken))
		}
	}
	return names
}
