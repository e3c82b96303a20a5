package reports

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/exports"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/clientaddr"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/setup/seed"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

type bundle struct {
	*fixture.Operator
	*operations

	ctx  context.Context //nolint:containedctx // of a request in Spanish
	draw *catalog.Draw
	by   caller.Caller
}

var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo"}, Change: []string{`DELETE FROM risk_limits`}, DrawDays: 1,
}.Template()

// setup returns the operations of an operator that has sold a ticket at each of two ticket points.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded), by: fixture.As(fixture.Cashier), ctx: spanish(t)}
	sales, _ := b.StartSales(t)
	totals := rollup.New(b.PG, fixture.Caracas)
	b.operations = &operations{reports: reports.New(reports.Deps{
		PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Totals: totals, Clock: b.Clock, Zone: fixture.Caracas,
	})}
	b.draw = b.OpenDraws(t, "lotto-activo")[0]
	for i, point := range []string{seed.CodeTicketPoint, seed.CodeOtherPoint} {
		req := fixture.Ticket(fixture.Line(b.draw, catalog.BetStraight, strconv.Itoa(1234+i)+".50", "5"))
		req.EntityID = fixture.EntityID(point)
		_, err := sales.Sell(b.ctx, b.by, req)
		require.NoError(t, err)
	}
	b.CountTotals(t, totals.Advance)
	return b
}

// spanish returns the context of a request in Spanish.
func spanish(t *testing.T) context.Context {
	t.Helper()
	var served *http.Request
	engine := gin.New()
	engine.Use(middleware.Begin(clientaddr.Proxies{}))
	engine.GET("/", func(c *gin.Context) { served = c.Request })
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Language", "es")
	engine.ServeHTTP(httptest.NewRecorder(), r)
	ctx := context.WithoutCancel(served.Context())
	require.Equal(t, "es", middleware.Language(ctx))
	return ctx
}

// records writes a table as CSV in Spanish and returns its records.
func records(t *testing.T, table *sheet.Table, err error) [][]string {
	t.Helper()
	var content bytes.Buffer
	require.NoError(t, err)
	file, err := sheet.Create(table, sheet.CSV, sheet.Locale{Language: "es", Zone: fixture.Caracas})
	require.NoError(t, err)
	_, err = file.WriteTo(&content)
	require.NoError(t, err)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(content.String(), "\uFEFF")))
	r.Comma = ';'
	list, err := r.ReadAll()
	require.NoError(t, err)
	for i, head := range list[0] {
		require.NotEmpty(t, head, "the title of column %d", i)
	}
	return list
}

// sumOf returns the sum of a column of amounts in minor units.
func sumOf(t *testing.T, list [][]string, head string) money.Amount {
	t.Helper()
	var sum money.Amount
	for column, text := range list[0] {
		if text != head {
			continue
		}
		for _, record := range list[1:] {
			if record[column] == "" {
				continue
			}
			n, err := strconv.ParseInt(strings.Replace(record[column], ",", "", 1), 10, 64)
			require.NoError(t, err)
			sum += money.Amount(n)
		}
		return sum
	}
	require.Fail(t, "no column "+head)
	return 0
}

// A day together with a period is refused.
func TestADayBesideAPeriodIsRefused(t *testing.T) {
	t.Parallel()
	for p, refused := range map[PeriodParams]bool{
		{Date: "2026-11-26"}: false, {From: "2026-11-01", To: "2026-11-02"}: false, {}: false,
		{Date: "2026-11-26", From: "2026-11-01"}: true, {Date: "2026-11-26", To: "2026-11-26"}: true,
	} {
		require.Equal(t, refused, len(p.Resolve(nil)) > 0, "%+v", p)
	}
	var _ huma.Resolver = &PeriodParams{}
}

// The rows of each file sum to the total of the report.
func TestFilesSumToTheReport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	total, err := b.reports.Sales(b.ctx, b.by, &reports.Filter{Currency: "VES"}, reports.GroupTotal)
	require.NoError(t, err)
	require.EqualValues(t, 2470_00, total.Total.Sold)
	for _, group := range reports.Groups() {
		in := &salesInput{ReportInput: ReportInput{Currency: "VES"}, GroupBy: group}
		if group == reports.GroupDraw {
			in.GameID = b.draw.GameID.String()
		}
		table, err := b.salesTable(b.ctx, b.by, in)
		list := records(t, table, err)
		require.Equal(t, total.Total.Sold, sumOf(t, list, "Vendido"), group)
		require.Equal(t, total.Total.NetSales(), sumOf(t, list, "Venta neta"), group)
		if group == reports.GroupMeans {
			continue // it has no commissions
		}
		require.Equal(t, total.Total.Commission.Total(), sumOf(t, list, "Comisiones"), group)
		require.Equal(t, total.Total.Cash(), sumOf(t, list, "Caja"), group)
	}
	in := &ReportInput{Currency: "VES"}
	table, err := b.levelsTable(b.ctx, b.by, in)
	list := records(t, table, err)
	require.Equal(t, total.Total.NetSales(), sumOf(t, list, "Le queda antes de participación"))
	require.Equal(t, "Taquilla", list[1][0])
	table, err = b.waterfallTable(b.ctx, b.by, in)
	require.Equal(t, total.Total.Cash(), sumOf(t, records(t, table, err), "Cambio"))
	table, err = b.summaryTable(b.ctx, b.by, &summaryInput{})
	require.Equal(t, total.Total.Sold, sumOf(t, records(t, table, err), "Vendido"))
	table, err = b.balancesTable(b.ctx, b.by, &balancesInput{Currency: "VES", EntityParams: EntityParams{EntityID: fixture.EntityID(seed.CodeGroup).String()}})
	list = records(t, table, err)
	require.Equal(t, seed.CodeGroup, list[1][1], "the entity itself first")
	require.EqualValues(t, -1234_50, sumOf(t, list, "Ventas"))
	tickets := &ticketsInput{ListInput: ListInput{Currency: "VES"}, DrawID: b.draw.ID.String()}
	table, err = b.ticketsTable(b.ctx, b.by, tickets)
	require.Equal(t, total.Total.Sold, sumOf(t, records(t, table, err), "Monto"))
	b.Exec(t, `UPDATE tickets SET status = 'won', prize = total * 30, settled_at = $1, expired_at = $1`, b.Clock.Now())
	table, err = b.expiredTable(b.ctx, b.by, &tickets.ListInput)
	require.Equal(t, 30*total.Total.Sold, sumOf(t, records(t, table, err), "Premio"))
}

// A workbook holds amounts as numbers below what they are of, and its totals are those of the report.
func TestAWorkbookOfSales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	table, err := b.salesTable(b.ctx, b.by, &salesInput{ReportInput: ReportInput{Currency: "VES"}, GroupBy: reports.GroupEntity})
	require.NoError(t, err)
	file, err := sheet.Create(table, sheet.XLSX, sheet.Locale{Language: "es", Zone: fixture.Caracas})
	require.NoError(t, err)
	var content bytes.Buffer
	_, err = file.WriteTo(&content)
	require.NoError(t, err)
	book, err := excelize.OpenReader(&content)
	require.NoError(t, err)
	name := book.GetSheetName(0)
	value, err := book.GetCellValue(name, "G7", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	require.Equal(t, "2470", value)
	rows, err := book.GetRows(name)
	require.NoError(t, err)
	today := businessday.Of(b.Clock.Now(), fixture.Caracas).Format("02/01/2006")
	require.Equal(t, [][]string{{"Ventas"}, {"Entidad: Banca La Fortuna"}, {"Período: " + today + " – " + today}, {"Moneda: VES"}, nil}, rows[:5])
	report, err := b.reports.Sales(b.ctx, b.by, &reports.Filter{Currency: "VES"}, reports.GroupEntity)
	require.NoError(t, err)
	last, f := len(rows), &report.Total
	for head, want := range map[string]money.Amount{
		"Vendido": f.Sold, "Venta neta": f.NetSales(), "Premios ganados": f.Won, "Comisiones": f.Commission.Total(), "Caja": f.Cash(), "Le queda tras participación": report.Net,
	} {
		column, err := excelize.CoordinatesToCellName(slices.Index(rows[5], head)+1, last)
		require.NoError(t, err)
		formula, err := book.GetCellFormula(name, column)
		require.NoError(t, err)
		require.Contains(t, formula, "SUBTOTAL(109,", head)
		sum, err := book.CalcCellValue(name, column, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		kept, err := book.GetCellValue(name, column, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		require.Equal(t, kept, sum, head)
		amount, err := strconv.ParseFloat(sum, 64)
		require.NoError(t, err)
		require.InDelta(t, float64(want)/100, amount, 0.001, head)
	}
}

// An export is the file of the operation.
func TestExportsAreTheFilesOfTheOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw.ID.String()
	content := func(table *sheet.Table, err error) string {
		t.Helper()
		require.NoError(t, err)
		file, err := sheet.Create(table, sheet.CSV, sheet.Locale{Language: "es", Zone: fixture.Caracas})
		require.NoError(t, err)
		defer func() { require.NoError(t, file.Close()) }()
		var out bytes.Buffer
		_, err = file.WriteTo(&out)
		require.NoError(t, err)
		return out.String()
	}
	files := map[string]string{}
	for _, source := range Sources(b.reports) {
		f := &exports.Filter{Currency: "VES"}
		if slices.Contains(source.Needs, exports.FieldDraw) {
			f.DrawID = draw
		}
		files[source.Report] = content(source.Table(t.Context(), b.by, "es", f))
	}
	require.Len(t, files, 7)
	require.Equal(t, content(b.levelsTable(b.ctx, b.by, &ReportInput{Currency: "VES"})), files["audit-by-level"])
	require.Equal(t, content(b.ticketsTable(b.ctx, b.by, &ticketsInput{ListInput: ListInput{Currency: "VES"}, DrawID: draw})), files["tickets"])
}

// An entity of another branch is unknown, in every format.
func TestFilesOfAnotherBranchAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	scope, err := b.Org.Scope(t.Context(), fixture.EntityID(seed.CodeAgency))
	require.NoError(t, err)
	by := caller.Caller{UserID: fixture.Typist, EntityID: fixture.EntityID(seed.CodeAgency), Scope: scope}
	other := EntityParams{EntityID: fixture.EntityID(seed.CodeOtherAgency).String()}
	report := ReportInput{Currency: "VES", EntityParams: other, FileParams: kit.FileParams{Format: "csv"}}
	lists := ListInput{Currency: "VES", EntityParams: other}
	for name, refused := range map[string]func() (*sheet.Table, error){
		"summary": func() (*sheet.Table, error) {
			return b.summaryTable(b.ctx, by, &summaryInput{EntityParams: other})
		},
		"sales":     func() (*sheet.Table, error) { return b.salesTable(b.ctx, by, &salesInput{ReportInput: report}) },
		"levels":    func() (*sheet.Table, error) { return b.levelsTable(b.ctx, by, &report) },
		"waterfall": func() (*sheet.Table, error) { return b.waterfallTable(b.ctx, by, &report) },
		"balances": func() (*sheet.Table, error) {
			return b.balancesTable(b.ctx, by, &balancesInput{Currency: "VES", EntityParams: other})
		},
		"expired": func() (*sheet.Table, error) { return b.expiredTable(b.ctx, by, &lists) },
		"tickets": func() (*sheet.Table, error) {
			return b.ticketsTable(b.ctx, by, &ticketsInput{ListInput: lists, DrawID: uuid.NewString()})
		},
	} {
		_, err := refused()
		require.ErrorIs(t, err, org.ErrEntityNotFound, name)
	}
}
