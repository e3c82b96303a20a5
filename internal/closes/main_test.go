package closes_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/closes"
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
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a seeded operator that sells, pays and closes, for one test.
type bundle struct {
	*fixture.Operator
	*closes.Service
	sales  *sales.Service
	draws  *draws.Service
	prizes *prizes.Service
	by     caller.Caller // a cashier whose scope is the whole organisation
}

// seeded is the database that the tests begin with: one game with draws on four days, and no limits.
var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games:    []string{"lotto-activo"},
	Change:   []string{`UPDATE wallets SET credit_limit = 100000000`, `DELETE FROM risk_limits`},
	DrawDays: 4,
}.Template()

func setup(t testing.TB) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded), by: fixture.As(fixture.Cashier, auth.SalesCancelAny)}
	b.Operator = b.Process(b.Clock)
	b.sales, _ = b.StartSales(t)
	b.draws = draws.New(draws.Deps{
		PG: b.PG, Catalog: b.Catalog, Cache: b.Risk, Refunds: b.sales, Clock: b.Clock, Log: b.Env.Log, Events: realtime.Discard{},
	})
	b.prizes = prizes.New(prizes.Deps{
		PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Guesses: ratelimit.NewGuesses(b.Redis, b.Clock).WithTimeout(testkit.RedisTimeout),
		Clock: b.Clock, Events: realtime.Discard{}, Zone: fixture.Caracas,
	})
	renderer, err := receipts.New()
	require.NoError(t, err)
	b.Service = closes.New(closes.Deps{
		PG: b.PG, Org: b.Org, Ledger: b.Ledger, Sales: b.Risk, Renderer: renderer, Clock: b.Clock, Zone: fixture.Caracas, PendingWait: 20 * time.Second,
	})
	return b
}

// point is the first ticket point, other the one of another agency.
var (
	point = fixture.EntityID(seed.CodeTicketPoint) //nolint:gochecknoglobals // a constant
	other = fixture.EntityID(seed.CodeOtherPoint)  //nolint:gochecknoglobals // a constant
)

func (b *bundle) today() businessday.Day { return businessday.Of(b.Clock.Now(), fixture.Caracas) }

// next advances the clock to ten in the morning of the next day.
func (b *bundle) next() {
	at := b.today().AddDays(1).At(10, 0, fixture.Caracas)
	b.Clock.Advance(at.Sub(b.Clock.Now()))
	b.Forget()
}

// sell sells a ticket of 10.00 on each draw.
func (b *bundle) sell(t testing.TB, entity uuid.UUID, list ...*catalog.Draw) *sales.Ticket {
	t.Helper()
	sold, err := b.trySell(t, entity, list...)
	require.NoError(t, err)
	return sold
}

func (b *bundle) trySell(t testing.TB, entity uuid.UUID, list ...*catalog.Draw) (*sales.Ticket, error) {
	t.Helper()
	req := fixture.Ticket()
	req.EntityID = entity
	for _, d := range list {
		req.Items = append(req.Items, fixture.Line(d, catalog.BetStraight, "10.00", "5"))
	}
	sold, err := b.sales.Sell(t.Context(), b.by, req)
	if err != nil {
		return nil, err
	}
	return &sold.Ticket, nil
}

func (b *bundle) cancel(t testing.TB, ticket *sales.Ticket) {
	t.Helper()
	_, err := b.sales.Cancel(t.Context(), b.by, &sales.CancelRequest{TicketID: ticket.ID})
	require.NoError(t, err)
}

// settle gives a draw the result 5 and settles it.
func (b *bundle) settle(t testing.TB, draw *catalog.Draw) {
	t.Helper()
	b.Clock.Advance(draw.Time.Sub(b.Clock.Now()))
	_, err := b.draws.CloseDue(t.Context())
	require.NoError(t, err)
	entered, err := b.draws.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	_, _, err = b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	_, err = b.draws.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
}

// move posts a deposit (positive) or a withdrawal on the wallet of a ticket point.
func (b *bundle) move(t testing.TB, entity uuid.UUID, amount money.Amount) {
	t.Helper()
	ves := seed.ID("currency", "VES")
	wallets, err := b.Ledger.MainWallets(t.Context(), ves, entity)
	require.NoError(t, err)
	external, err := b.Ledger.OperatorWallet(t.Context(), fixture.RootID, ves, models.WalletExternal)
	require.NoError(t, err)
	kind, debited := models.TransactionDeposit, external
	if amount < 0 {
		kind, debited = models.TransactionWithdrawal, wallets[0]
	}
	err = b.PG.Retried(t.Context(), func(tx pgx.Tx) error {
		return b.Ledger.PostTx(t.Context(), tx, []uuid.UUID{debited}, ledger.Transaction{
			ID: uuid.Must(uuid.NewV7()), Type: kind, EntityID: entity, CurrencyID: ves, Amount: max(amount, -amount), At: b.Clock.Now(),
			Postings: []ledger.Posting{{WalletID: wallets[0], Amount: amount}, {WalletID: external, Amount: -amount}},
		})
	})
	require.NoError(t, err)
}

// open opens the current day of an entity.
func (b *bundle) open(t testing.TB, entity uuid.UUID) *closes.Close {
	t.Helper()
	c, _, err := b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: entity, Currency: "VES"})
	require.NoError(t, err)
	return c
}

// finish closes a day with counted cash, and returns it.
func (b *bundle) finish(t testing.TB, c *closes.Close, cash string) *closes.Close {
	t.Helper()
	closed, err := b.tryFinish(t, c, cash, "")
	require.NoError(t, err)
	return closed
}

func (b *bundle) tryFinish(t testing.TB, c *closes.Close, cash, key string) (*closes.Close, error) {
	t.Helper()
	closed, _, err := b.Close(t.Context(), b.by, &closes.CloseRequest{ID: c.ID, Cash: closes.Cash{Other: cash}, IdempotencyKey: key})
	return closed, err
}

// totals are the totals of a close in short.
func totals(c *closes.Close) string {
	digits := c.Currency.Digits
	return fmt.Sprintf("sales %s voids %s refunds %s prizes %s commissions %s deposits %s withdrawals %s late %d %s", c.Sales.Format(digits), c.Voids.Format(digits),
		c.Refunds.Format(digits), c.Prizes.Format(digits), c.Commissions.Format(digits), c.Deposits.Format(digits), c.Withdrawals.Format(digits), c.LateEvents, c.LateNet.Format(digits))
}

// ofDay lists the closes of a day.
func (b *bundle) ofDay(t testing.TB, entity uuid.UUID, day businessday.Day) []closes.Close {
	t.Helper()
	list, _, err := b.List(t.Context(), b.by, &closes.Filter{EntityID: entity, From: day, To: day, Limit: 100})
	require.NoError(t, err)
	return list
}

// requireSound requires that every invariant of all domains holds.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	b.RequireSound(t, b.sales.Verify, b.prizes.Verify, b.Verify)
}
