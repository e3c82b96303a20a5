package reports_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a seeded operator that has sold at three ticket points, and its reports.
type bundle struct {
	*fixture.Operator
	*reports.Service
	totals *rollup.Service
	sales  *sales.Service
	draws  []*catalog.Draw // of two games
	by     caller.Caller   // of the operator
}

var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo", "la-granjita"}, Change: []string{`DELETE FROM risk_limits`}, DrawDays: 1,
}.Template()

func setup(t testing.TB) *bundle {
	t.Helper()
	return setupOver(t, seeded)
}

func setupOver(t testing.TB, template *testkit.Template) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, template), by: fixture.As(fixture.Cashier)}
	b.sales, _ = b.StartSales(t)
	b.totals = rollup.New(b.PG, fixture.Caracas)
	standby := b.likeAStandby(t)
	b.Service = reports.New(reports.Deps{PG: standby, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Totals: rollup.New(standby, fixture.Caracas), Clock: b.Clock, Zone: fixture.Caracas})
	b.draws = []*catalog.Draw{b.OpenDraws(t, "lotto-activo")[0], b.OpenDraws(t, "lotto-activo")[1], b.OpenDraws(t, "la-granjita")[0]}
	for i, point := range []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint} {
		for n, d := range b.draws {
			req := fixture.Ticket(fixture.Line(d, catalog.BetStraight, strconv.Itoa(7+10*i+n)+".01", "5"))
			req.EntityID = fixture.EntityID(point)
			_, err := b.sales.Sell(t.Context(), b.by, req)
			require.NoError(t, err)
		}
	}
	b.CountTotals(t, b.totals.Advance)
	return b
}

// likeAStandby returns the database as storage.Replica gives it to reports: it refuses writes, and has no pool for commits and no gorm.
func (b *bundle) likeAStandby(t testing.TB) *storage.Postgres {
	t.Helper()
	config, err := pgxpool.ParseConfig(b.Env.PostgresURL)
	require.NoError(t, err)
	config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return &storage.Postgres{Pool: pool}
}

func (b *bundle) today() businessday.Day { return businessday.Of(b.Clock.Now(), fixture.Caracas) }

// at returns a partner of an entity.
func (b *bundle) at(t testing.TB, code string) caller.Caller {
	t.Helper()
	scope, err := b.Org.Scope(t.Context(), fixture.EntityID(code))
	require.NoError(t, err)
	return caller.Caller{UserID: fixture.Typist, EntityID: fixture.EntityID(code), Scope: scope}
}

// At each level and in each group the rows sum to the total of the report.
func TestRowsSumToTheTotal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, code := range []string{seed.CodeOperator, seed.CodeSuperAgency, seed.CodeAgency, seed.CodeGroup, seed.CodeTicketPoint, seed.CodeOtherAgency} {
		for _, group := range reports.Groups() {
			f := &reports.Filter{EntityID: fixture.EntityID(code), Currency: "VES"}
			if group == reports.GroupDraw {
				f.GameID = b.draws[0].GameID
			}
			report, err := b.Sales(t.Context(), b.by, f, group)
			require.NoError(t, err, "%s by %s", code, group)
			require.NotEmpty(t, report.Rows)
			require.False(t, report.AsOf.IsZero())
			var sum rollup.Figures
			for i := range report.Rows {
				sum.Add(&report.Rows[i].Figures)
			}
			total := report.Total
			if group == reports.GroupGame || group == reports.GroupDraw {
				total.Tickets = 0
			}
			if group == reports.GroupMeans { // it has sales only
				total = rollup.Figures{Sold: total.Sold, Voided: total.Voided, Refunded: total.Refunded}
			}
			require.Equal(t, total, sum, "%s by %s", code, group)
		}
	}
}

func TestSalesLeadDownToATicketPoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by, f := b.at(t, seed.CodeAgency), &reports.Filter{Currency: "VES"}
	report, err := b.Sales(t.Context(), by, f, reports.GroupEntity)
	require.NoError(t, err)
	require.Equal(t, "Agencia El Ávila", report.Entity.Name)
	require.Len(t, report.Rows, 1)
	require.Equal(t, "GRU-001", report.Rows[0].Code)
	require.EqualValues(t, 78_06, report.Rows[0].NetSales())

	f.EntityID = report.Rows[0].ID
	report, err = b.Sales(t.Context(), by, f, reports.GroupEntity)
	require.NoError(t, err)
	require.Equal(t, []string{seed.CodeTicketPoint2, seed.CodeTicketPoint}, []string{report.Rows[0].Code, report.Rows[1].Code}, "highest sales first")

	f.EntityID, f.GameID = report.Rows[0].ID, b.draws[0].GameID
	report, err = b.Sales(t.Context(), by, f, reports.GroupDraw)
	require.NoError(t, err)
	require.Len(t, report.Rows, 2)
	require.Equal(t, b.draws[0].ID, report.Rows[0].ID)
	require.Equal(t, b.draws[0].Time, report.Rows[0].DrawTime)
	require.EqualValues(t, 17_01, report.Rows[0].Sold)
}

func TestASummaryHasACurrencyForEachWithFigures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, err := b.Summary(t.Context(), b.by, &reports.Filter{})
	require.NoError(t, err)
	require.Len(t, list.Totals, 1)
	require.Equal(t, "VES", list.Totals[0].Currency.Code)
	require.EqualValues(t, 162_09, list.Totals[0].Sold)
	list, err = b.Summary(t.Context(), b.by, &reports.Filter{Currency: "USD", From: b.today().AddDays(-1)})
	require.NoError(t, err)
	require.Len(t, list.Totals, 1)
	require.Zero(t, list.Totals[0].Figures)
}

// Opening balance, movements and closing balance agree with the wallets, also while the days are not counted.
func TestBalancesAgreeWithTheWallets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 2 {
		for _, code := range []string{seed.CodeOperator, seed.CodeGroup, seed.CodeTicketPoint} {
			report, err := b.Balances(t.Context(), b.by, &reports.Filter{EntityID: fixture.EntityID(code), Currency: "VES"}, reports.MaxBalances)
			require.NoError(t, err)
			for _, m := range append(report.Children, *report.Own) {
				require.Zero(t, m.Opening)
				require.Equal(t, m.Closing, m.Opening+m.Sale+m.Prize+m.Commission+m.Deposit+m.Withdrawal)
				w, err := b.Ledger.Wallet(t.Context(), b.by, m.WalletID, time.Time{})
				require.NoError(t, err)
				require.Equal(t, w.Balance, m.Closing, m.Entity.Code)
				require.NotZero(t, m.Closing, m.Entity.Code)
			}
			tomorrow := b.today().AddDays(1)
			later, err := b.Balances(t.Context(), b.by, &reports.Filter{EntityID: fixture.EntityID(code), Currency: "VES", From: tomorrow}, reports.MaxBalances)
			require.NoError(t, err)
			require.Equal(t, report.Own.Closing, later.Own.Opening)
			require.Equal(t, report.Own.Closing, later.Own.Closing)
		}
		require.NoError(t, b.Ledger.CountDays(t.Context()))
	}
}

func TestWrongFiltersAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	today := b.today()
	for name, x := range map[string]struct {
		filter reports.Filter
		by     caller.Caller
		err    error
	}{
		"reversed":         {reports.Filter{Currency: "VES", From: today, To: today.AddDays(-1)}, b.by, reports.ErrPeriodReversed},
		"ten years":        {reports.Filter{Currency: "VES", From: today.AddDays(-3650), To: today}, b.by, reports.ErrPeriodTooLong},
		"a leap year":      {reports.Filter{Currency: "VES", From: today.AddDays(-365), To: today}, b.by, nil},
		"no currency":      {reports.Filter{}, b.by, ledger.ErrCurrencyNotFound},
		"unknown currency": {reports.Filter{Currency: "XXX"}, b.by, ledger.ErrCurrencyNotFound},
		"unknown entity":   {reports.Filter{Currency: "VES", EntityID: uuid.New()}, b.by, org.ErrEntityNotFound},
		"unknown category": {reports.Filter{Currency: "VES", CategoryID: uuid.New()}, b.by, catalog.ErrCategoryNotFound},
		"unknown game":     {reports.Filter{Currency: "VES", GameID: uuid.New()}, b.by, catalog.ErrGameNotFound},
		"another branch":   {reports.Filter{Currency: "VES", EntityID: fixture.EntityID(seed.CodeOtherAgency)}, b.at(t, seed.CodeAgency), org.ErrEntityNotFound},
		"above":            {reports.Filter{Currency: "VES", EntityID: fixture.RootID}, b.at(t, seed.CodeAgency), org.ErrEntityNotFound},
	} {
		_, err := b.Sales(t.Context(), x.by, &x.filter, reports.GroupTotal)
		require.ErrorIs(t, err, x.err, name)
	}
	_, err := b.Sales(t.Context(), b.by, &reports.Filter{Currency: "VES"}, reports.GroupDraw)
	require.ErrorIs(t, err, reports.ErrNoGame)
}

// The rows by means sum to the net sales: what is not counted by means is cash in the currency. Payments belong to no game.
func TestSalesByMeans(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req := fixture.Ticket(fixture.Line(b.draws[0], catalog.BetStraight, "60.00", "5"))
	req.EntityID, req.Payments = fixture.EntityID(seed.CodeTicketPoint), []sales.PaymentItem{{Means: "card", Amount: "45"}, {Means: "cash", Amount: "15"}}
	_, err := b.sales.Sell(t.Context(), b.by, req)
	require.NoError(t, err)
	b.CountTotals(t, b.totals.Advance)
	report, err := b.Sales(t.Context(), b.by, &reports.Filter{Currency: "VES"}, reports.GroupMeans)
	require.NoError(t, err)
	require.Len(t, report.Rows, 2)
	cash, card := &report.Rows[0], &report.Rows[1]
	require.Equal(t, []any{"card", "VES", money.Amount(45_00), money.Amount(45_00)}, []any{card.Means, card.Currency.Code, card.Amount, card.NetSales()})
	require.Equal(t, []any{"cash", "VES", report.Total.NetSales() - 45_00}, []any{cash.Means, cash.Currency.Code, cash.Amount})
	require.Equal(t, report.Total.NetSales(), cash.NetSales()+card.NetSales())
	require.Zero(t, card.Participation)
	report, err = b.Sales(t.Context(), b.by, &reports.Filter{Currency: "VES", GameID: b.draws[0].GameID}, reports.GroupMeans)
	require.NoError(t, err)
	require.Empty(t, report.Rows)
}
