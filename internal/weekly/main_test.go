package weekly_test

import (
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a seeded operator that sells, pays and settles its weeks, for one test.
type bundle struct {
	*fixture.Operator
	*weekly.Service
	totals *rollup.Service
	sales  *sales.Service
	draws  *draws.Service
	prizes *prizes.Service
	by     caller.Caller // of the operator
}

// seeded is the database that the tests begin with: one game with draws on three weeks, no limits, and the
// participations of the worked example.
var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo"},
	Change: []string{
		`UPDATE wallets SET credit_limit = 100000000000`, `DELETE FROM risk_limits`,
		`UPDATE entities SET finance_info = finance_info || jsonb_build_object('participation', jsonb_build_object('percent',
			CASE entity_type WHEN 'SUPER_AGENCY' THEN '40' WHEN 'AGENCY' THEN '25' WHEN 'GROUP' THEN '10' ELSE '0' END)) WHERE parent_id IS NOT NULL`,
	},
	DrawDays: 22,
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
	b.totals = rollup.New(b.PG, fixture.Caracas)
	renderer, err := receipts.New()
	require.NoError(t, err)
	b.Service = weekly.New(weekly.Deps{
		PG: b.PG, Org: b.Org, Ledger: b.Ledger, Prizes: b.prizes, Totals: b.totals, Renderer: renderer, Clock: b.Clock, Zone: fixture.Caracas,
	})
	return b
}

var ves = seed.ID("currency", "VES") //nolint:gochecknoglobals // a constant

func (b *bundle) week() businessday.Day {
	return weekly.Monday(businessday.Of(b.Clock.Now(), fixture.Caracas))
}

// nextWeek advances the clock to the Monday after, when the week can be drafted.
func (b *bundle) nextWeek() {
	b.advanceTo(b.week().AddDays(7))
}

// advanceTo advances the clock to two in the morning of a day.
func (b *bundle) advanceTo(day businessday.Day) {
	b.Clock.Advance(day.At(2, 0, fixture.Caracas).Sub(b.Clock.Now()))
	b.Forget()
}

// drawOf returns the n-th draw of the day of the clock that is on sale.
func (b *bundle) drawOf(t testing.TB, n int) *catalog.Draw {
	t.Helper()
	return b.OpenDraws(t, "lotto-activo")[n]
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

// correct supersedes the result of a settled draw, and returns the new one.
func (b *bundle) correct(t testing.TB, result *draws.Result, animal string) *draws.Result {
	t.Helper()
	proposed, _, err := b.draws.Correct(t.Context(), fixture.As(fixture.Typist), result.ID, catalog.Outcome{Value: animal}, "misread", false)
	require.NoError(t, err)
	verified, _, err := b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), proposed.ID, nil)
	require.NoError(t, err)
	return verified
}

func (b *bundle) pay(t testing.TB, ticket *sales.Ticket) {
	t.Helper()
	_, err := b.prizes.Pay(t.Context(), b.by, &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode})
	require.NoError(t, err)
}

// settleDifference books the open difference of a paid ticket that was corrected.
func (b *bundle) settleDifference(t testing.TB) {
	t.Helper()
	list, _, err := b.prizes.Differences(t.Context(), b.by, &prizes.DifferenceFilter{Status: prizes.DifferenceOpen, Limit: 1})
	require.NoError(t, err)
	require.Len(t, list, 1)
	_, err = b.prizes.Resolve(t.Context(), b.by, list[0].ID)
	require.NoError(t, err)
}

// count counts until every event is in the totals. Transactions of other tests in the same cluster may delay it.
func (b *bundle) count(t testing.TB) {
	t.Helper()
	b.CountTotals(t, b.totals.Advance)
}

// draft counts the totals and drafts every week that is over.
func (b *bundle) draft(t testing.TB) {
	t.Helper()
	b.count(t)
	_, err := b.Due(t.Context())
	require.NoError(t, err)
}

// of returns the newest settlement of the entity with a code.
func (b *bundle) of(t testing.TB, code string) *weekly.Settlement {
	t.Helper()
	list, _, err := b.List(t.Context(), b.by, &weekly.Filter{EntityID: fixture.EntityID(code), Limit: 1})
	require.NoError(t, err)
	require.NotEmpty(t, list, code)
	return &list[0]
}

func (b *bundle) confirm(t testing.TB, code string) *weekly.Settlement {
	t.Helper()
	confirmed, _, err := b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: b.of(t, code).ID})
	require.NoError(t, err)
	return confirmed
}

// confirmAll confirms the drafts of the newest week.
func (b *bundle) confirmAll(t testing.TB) {
	t.Helper()
	_, refused, err := b.ConfirmWeek(t.Context(), b.by, &weekly.Filter{Week: b.of(t, seed.CodeSuperAgency).Week})
	require.NoError(t, err)
	require.Empty(t, refused)
}

func (b *bundle) wallet(t testing.TB, code string) uuid.UUID {
	t.Helper()
	wallets, err := b.Ledger.MainWallets(t.Context(), ves, fixture.EntityID(code))
	require.NoError(t, err)
	return wallets[0]
}

// deposit makes a deposit, or a withdrawal of a negative amount, on the wallet of an entity.
func (b *bundle) deposit(t testing.TB, code string, amount money.Amount) *ledger.Movement {
	t.Helper()
	r := &ledger.MovementRequest{WalletID: b.wallet(t, code), Amount: max(amount, -amount).Format(2), Reference: uuid.NewString()}
	move := b.Ledger.Deposit
	if amount < 0 {
		move = b.Ledger.Withdraw
	}
	m, _, err := move(t.Context(), b.by, r)
	require.NoError(t, err)
	return m
}

// short is what the wallets of an entity and below are short of.
func (b *bundle) short(t testing.TB, code string) money.Amount {
	t.Helper()
	return money.Amount(b.Number(t, `SELECT coalesce(-sum(p.amount), 0)::bigint FROM wallet_postings p JOIN wallets w ON w.id = p.wallet_id AND w.kind = 'main' AND w.currency_id = $2
		JOIN entities e ON e.id = w.entity_id JOIN entities top ON top.id = $1 AND starts_with(e.path, top.path)`, fixture.EntityID(code), ves))
}

// requireSound proves the books, the tickets, the totals and the settlements.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	b.RequireSound(t, b.sales.Verify, b.draws.Checks, b.prizes.Verify, b.totals.Verify, b.Verify)
}

// callerOf returns a caller of the entity with a code, whose scope is that entity.
func (b *bundle) callerOf(t testing.TB, code string) caller.Caller {
	t.Helper()
	by := testkit.Within(b.Text(t, `SELECT path FROM entities WHERE id = $1`, fixture.EntityID(code)))
	by.EntityID, by.UserID = fixture.EntityID(code), fixture.Cashier
	return by
}
