package tools_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant"
	"banca/internal/assistant/tools"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/reports"
	"banca/internal/risk/exposure"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/tickets"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is an operator that sold yesterday and today at ticket points of two agencies, with the tools over its
// services.
type bundle struct {
	*fixture.Operator

	deps  tools.Deps
	tools map[string]assistant.Tool
	sold  []*sales.Ticket
}

var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo", "la-granjita"}, Change: []string{`DELETE FROM risk_limits`}, DrawDays: 1,
}.Template()

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded), tools: map[string]assistant.Tool{}}
	selling, _ := b.StartSales(t)
	totals := rollup.New(b.PG, fixture.Caracas)
	renderer, err := receipts.New()
	require.NoError(t, err)
	b.deps = tools.Deps{
		Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Sales: selling, Exposure: exposure.New(b.PG, b.Org, b.Catalog, b.Ledger), Clock: b.Clock, Zone: fixture.Caracas,
		Reports: reports.New(reports.Deps{PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Totals: totals, Clock: b.Clock, Zone: fixture.Caracas}),
		Prizes:  prizes.New(prizes.Deps{PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Clock: b.Clock, Zone: fixture.Caracas}),
		Draws:   draws.New(draws.Deps{PG: b.PG, Catalog: b.Catalog, Clock: b.Clock, Log: slog.New(slog.DiscardHandler), Events: realtime.Discard{}}),
		Closes:  closes.New(closes.Deps{PG: b.PG, Org: b.Org, Ledger: b.Ledger, Sales: b.Risk, Renderer: renderer, Clock: b.Clock, Zone: fixture.Caracas}),
	}
	for _, tool := range tools.New(b.deps) {
		b.tools[tool.Name] = tool
	}
	animals, farm := b.OpenDraws(t, "lotto-activo"), b.OpenDraws(t, "la-granjita")
	sell := func(point, amount, selection string, d *catalog.Draw) {
		req := fixture.Ticket(fixture.Line(d, catalog.BetStraight, amount, selection))
		req.EntityID = fixture.EntityID(point)
		sold, err := selling.Sell(t.Context(), fixture.As(fixture.Cashier), req)
		require.NoError(t, err)
		b.sold = append(b.sold, &sold.Ticket)
	}
	b.Clock.Advance(-24 * time.Hour)
	sell(seed.CodeTicketPoint, "1234.50", "5", animals[0])
	b.Clock.Advance(24 * time.Hour)
	sell(seed.CodeTicketPoint, "1000.01", "7", animals[0])
	sell(seed.CodeTicketPoint2, "869.01", "9", farm[0])
	sell(seed.CodeOtherPoint, "500.00", "11", animals[0])
	b.CountTotals(t, totals.Advance)
	return b
}

// at is a user of an entity with all permissions of a role.
func (b *bundle) at(t *testing.T, code, role string) caller.Caller {
	t.Helper()
	id := fixture.EntityID(code)
	by := caller.Caller{UserID: fixture.Cashier, EntityID: id, Role: role, Permissions: auth.RolePermissions(role)}
	by.Scope = testkit.Scope(b.Text(t, `SELECT path FROM entities WHERE id = $1`, id))
	return by
}

func (b *bundle) call(t *testing.T, tool string, by caller.Caller, args assistant.Arguments) *assistant.Result {
	t.Helper()
	res, err := b.tools[tool].Run(t.Context(), by, args)
	require.NoError(t, err, "%s %+v", tool, args)
	return res
}

// value returns the value of a column in the row whose first cell is first.
func value(t *testing.T, res *assistant.Result, first, column string) string {
	t.Helper()
	for i, c := range res.Columns {
		for _, row := range res.Rows {
			if c == column && row[0] == first {
				return row[i]
			}
		}
	}
	require.Fail(t, "no such value", "%s %s in %+v", first, column, res)
	return ""
}

// callers are users of every level.
func (b *bundle) callers(t *testing.T) map[string]caller.Caller {
	t.Helper()
	return map[string]caller.Caller{
		"operator": b.at(t, seed.CodeOperator, models.RoleAdmin), "agency": b.at(t, seed.CodeAgency, models.RoleSocio), "other agency": b.at(t, seed.CodeOtherAgency, models.RoleSocio),
		"group": b.at(t, seed.CodeGroup, models.RoleSocio), "ticket point": b.at(t, seed.CodeTicketPoint, models.RoleTaquilla),
	}
}

// The figures of the tools equal the reports, for users of every level.
func TestFiguresAreThoseOfTheReports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	today := businessday.Of(b.Clock.Now(), fixture.Caracas)
	currencies, err := b.Ledger.Currencies(t.Context())
	require.NoError(t, err)
	var ves ledger.Currency
	for _, c := range currencies {
		if c.Code == "VES" {
			ves = c
		}
	}
	sold := map[string][2]string{
		"operator": {"2369.02", "1234.50"}, "agency": {"1869.02", "1234.50"}, "other agency": {"500.00", ""}, "group": {"", ""}, "ticket point": {"1000.01", "1234.50"},
	}
	for name, by := range b.callers(t) {
		for i, date := range []string{"", "ayer"} {
			day := today.AddDays(-i)
			f := &reports.Filter{From: day, To: day, Currency: ves.ID.String()}
			report, err := b.deps.Reports.Summary(t.Context(), by, f)
			require.NoError(t, err)
			res := b.call(t, "getDailyAggregatedBets", by, assistant.Arguments{Date: date})
			require.Equal(t, []any{day, day}, []any{res.From, res.To})
			if want := sold[name][i]; want != "" {
				assert.Equal(t, want, value(t, res, "Bs", "sold"), "%s %s", name, date)
			}
			for j := range report.Totals {
				figures := &report.Totals[j].Figures
				if figures.Sold == 0 {
					continue
				}
				assert.Equal(t, figures.NetSales().Format(ves.Digits), value(t, res, "Bs", "net_sales"))
				assert.Equal(t, figures.Commission.Total().Format(ves.Digits), value(t, res, "Bs", "commission"))
				assert.Equal(t, figures.GameResult().Format(ves.Digits), value(t, res, "Bs", "game_result"))
				assert.Equal(t, figures.Cash().Format(ves.Digits), value(t, res, "Bs", "cash"))
				assert.Equal(t, strconv.FormatInt(figures.Tickets, 10), value(t, res, "Bs", "tickets"))
			}
			balances, err := b.deps.Reports.Balances(t.Context(), by, f, 0)
			require.NoError(t, err)
			res = b.call(t, "getDailyBalance", by, assistant.Arguments{Date: date})
			if own := balances.Own; own != nil && len(res.Rows) > 0 {
				assert.Equal(t, own.Opening.Format(ves.Digits), value(t, res, "Bs", "opening"), name)
				assert.Equal(t, own.Closing.Format(ves.Digits), value(t, res, "Bs", "closing"), name)
				assert.Equal(t, own.Sale.Format(ves.Digits), value(t, res, "Bs", "sale"), name)
			}
			for _, group := range []string{reports.GroupEntity, reports.GroupGame, reports.GroupDay} {
				list, err := b.deps.Reports.Sales(t.Context(), by, f, group)
				require.NoError(t, err)
				res = b.call(t, "getSales", by, assistant.Arguments{Date: date, Group: group})
				rows := 0
				for k := range list.Rows {
					if r := &list.Rows[k]; r.Sold != 0 {
						label := r.Name
						if !r.Day.IsZero() {
							label = r.Day.String()
						}
						assert.Equal(t, r.Sold.Format(ves.Digits), value(t, res, label, "sold"), "%s %s", name, label)
						rows++
					}
				}
				if rows > 0 {
					assert.Len(t, res.Rows, rows+1)
					assert.Equal(t, list.Total.Sold.Format(ves.Digits), value(t, res, "total", "sold"))
				}
			}
		}
		res := b.call(t, "comparePeriods", by, assistant.Arguments{Date: "hoy", Other: "ayer"})
		if name == "operator" {
			assert.Equal(t, []string{"Bs", "sold", "2369.02", "1234.50", "1134.52", "91.90"}, res.Rows[1][:6])
			assert.Contains(t, res.Link, "/admin/reports/sales?currency=VES&")
			assert.Equal(t, []assistant.Period{{today, today}, {today.AddDays(-1), today.AddDays(-1)}}, (&assistant.Message{Results: []assistant.Result{*res, *res, {From: today.AddDays(-2), Problem: "?"}}}).Periods())
		}
	}
}

// A branch that is not in the caller's scope is refused as one that does not exist, however it is named; and no
// result names it.
func TestAnotherBranchIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.Text(t, `SELECT name FROM entities WHERE id = $1`, fixture.EntityID(seed.CodeOtherPoint))
	agency := b.Text(t, `SELECT name FROM entities WHERE id = $1`, fixture.EntityID(seed.CodeOtherAgency))
	foreign := b.sold[len(b.sold)-1]
	for name, by := range b.callers(t) {
		if name == "operator" || name == "other agency" {
			continue
		}
		for _, branch := range []string{other, agency, seed.CodeOtherPoint, strings.ToLower(seed.CodeOtherAgency), fixture.EntityID(seed.CodeOtherPoint).String(), seed.CodeOperator, "%", "' OR 1=1 --"} {
			for _, tool := range []string{"getDailyAggregatedBets", "getDailyBalance", "getSales", "comparePeriods"} {
				_, err := b.tools[tool].Run(t.Context(), by, assistant.Arguments{Date: "hoy", Other: "ayer", Branch: branch})
				require.Error(t, err, "%s %s %s", name, tool, branch)
				var refusal assistant.ToolError
				require.ErrorAs(t, err, &refusal, "%s %s %s", name, tool, branch)
				assert.NotContains(t, err.Error(), other)
			}
		}
		_, err := b.tools["getTicket"].Run(t.Context(), by, assistant.Arguments{Serial: foreign.SerialCode})
		require.ErrorIs(t, err, tickets.ErrNotFound, name)
		for tool := range b.tools {
			args := assistant.Arguments{Date: "hoy", Other: "ayer", Serial: b.sold[0].SerialCode}
			if tool == "getTicket" && name == "group" {
				continue
			}
			res, err := b.tools[tool].Run(t.Context(), by, args)
			if err != nil {
				require.True(t, refused(err), "%s %s: %v", name, tool, err)
				continue
			}
			raw, err := json.Marshal(res)
			require.NoError(t, err)
			for _, secret := range []string{other, agency, seed.CodeOtherPoint, seed.CodeOtherAgency, foreign.SerialCode, "500.00"} {
				assert.NotContains(t, string(raw), secret, "%s %s", name, tool)
			}
		}
	}
	mine := b.call(t, "getDailyAggregatedBets", b.at(t, seed.CodeAgency, models.RoleSocio), assistant.Arguments{Branch: seed.CodeTicketPoint})
	assert.Equal(t, "1000.01", value(t, mine, "Bs", "sold"))
}

// The exposure, the numbers, the draws and a ticket equal the services' answers.
func TestDrawsAndTickets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.OpenDraws(t, "lotto-activo")[0]
	game, err := b.Catalog.Game(t.Context(), draw.GameID)
	require.NoError(t, err)
	at := draw.Time.In(fixture.Caracas).Format("15:04")
	for name, want := range map[string][]string{"operator": {"5", "7", "11"}, "agency": {"5", "7"}, "ticket point": {"5", "7"}} {
		by := b.callers(t)[name]
		e, err := b.deps.Exposure.Of(t.Context(), by, &exposure.Request{DrawID: draw.ID, Currency: "VES", Top: exposure.MaxTop})
		require.NoError(t, err)
		for _, tool := range []string{"getTopNumbers", "getExposure"} {
			res := b.call(t, tool, by, assistant.Arguments{Game: "lotto activo", Time: at})
			var numbers []string
			for _, row := range res.Rows {
				numbers = append(numbers, row[1])
			}
			assert.ElementsMatch(t, want, numbers, "%s %s", name, tool)
			assert.Equal(t, "draw_sales", res.Facts[0].Name)
			assert.Equal(t, e.Sales.Format(e.Currency.Digits), res.Facts[0].Value)
		}
	}
	by := b.at(t, seed.CodeAgency, models.RoleSocio)
	one := b.call(t, "getExposure", by, assistant.Arguments{Game: "lotto activo", Time: at, Number: "05"})
	require.Len(t, one.Rows, 1)
	assert.Equal(t, "5", one.Rows[0][1])
	assert.Empty(t, b.call(t, "getExposure", by, assistant.Arguments{Game: "lotto activo", Time: at, Number: "11"}).Rows, "of another branch")
	res := b.call(t, "getDrawStatus", by, assistant.Arguments{Game: "LOTTO-ACTIVO", Time: at})
	require.Len(t, res.Rows, 1)
	assert.Equal(t, "open", value(t, res, game.Name, "status"))
	res = b.call(t, "getTicket", by, assistant.Arguments{Serial: strings.ToLower(b.sold[0].SerialCode)})
	assert.Equal(t, "1234.50", value(t, res, game.Name, "amount"))
	assert.Contains(t, res.Facts, assistant.Fact{Name: "total", Value: "1234.50", Unit: "Bs"})
	res = b.call(t, "getDailyClose", by, assistant.Arguments{Date: "ayer"})
	missing, err := b.deps.Closes.Missing(t.Context(), by, by.EntityID, businessday.Of(b.Clock.Now(), fixture.Caracas).AddDays(-1))
	require.NoError(t, err)
	assert.Equal(t, strconv.Itoa(len(missing)), res.Facts[0].Value)
	b.Exec(t, `UPDATE tickets SET status = 'won', prize = 3703500, settled_at = $2 WHERE id = $1`, b.sold[0].ID, b.Clock.Now())
	res = b.call(t, "getPendingPrizes", by, assistant.Arguments{})
	require.Len(t, res.Rows, 1)
	assert.Equal(t, "37035.00", value(t, res, "Bs", "won"))
	assert.Contains(t, res.Facts, assistant.Fact{Name: "pending", Value: "37035.00", Unit: "Bs"})
	for want, wrong := range map[string]assistant.Arguments{
		"no such game": {Game: "no hay"}, "the date is not understood": {Date: "nunca jamás"}, "no such draw": {Date: "hoy", Time: "4:44"}, "the time is not understood": {Date: "hoy", Time: "a la hora del almuerzo"},
	} {
		for _, tool := range []string{"getTopNumbers", "getExposure", "getDrawStatus"} {
			if tool == "getDrawStatus" && want == "no such draw" {
				continue
			}
			_, err := b.tools[tool].Run(t.Context(), by, wrong)
			require.ErrorContains(t, err, want)
			assert.True(t, refused(err), "%v", err)
		}
	}
	for _, noon := range []string{"12 m", "mediodía", "12:00", "12 pm"} {
		assert.NotEmpty(t, b.call(t, "getDrawStatus", by, assistant.Arguments{Time: noon}).Rows, noon)
	}
}

// A name that several games or branches have is asked back with their names.
func TestANameOfSeveral(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.at(t, seed.CodeAgency, models.RoleSocio)
	b.Exec(t, `UPDATE entities SET name = 'Punto Único' WHERE id IN ($1, $2)`, fixture.EntityID(seed.CodeTicketPoint), fixture.EntityID(seed.CodeTicketPoint2))
	var several *assistant.AmbiguousError
	for _, tool := range []string{"getTopNumbers", "getExposure", "getDrawStatus"} {
		_, err := b.tools[tool].Run(t.Context(), by, assistant.Arguments{Game: "a"})
		require.ErrorAs(t, err, &several, tool)
		assert.ElementsMatch(t, []string{"Lotto Activo", "La Granjita"}, several.Names)
	}
	assert.NotEmpty(t, b.call(t, "getDrawStatus", by, assistant.Arguments{Game: "granj"}).Rows, "a part of one name")
	for _, branch := range []string{"punto único", "Punto"} {
		_, err := b.tools["getSales"].Run(t.Context(), by, assistant.Arguments{Branch: branch})
		require.ErrorAs(t, err, &several, branch)
		assert.Subset(t, several.Names, []string{"Punto Único (" + seed.CodeTicketPoint + ")", "Punto Único (" + seed.CodeTicketPoint2 + ")"})
	}
}

// The sales of a day that is over are beside those of a week before; a day that is not over is compared with none.
func TestADayIsComparedWithTheWeekBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.at(t, seed.CodeTicketPoint, models.RoleTaquilla)
	assert.Empty(t, b.call(t, "getDailyAggregatedBets", by, assistant.Arguments{}).Facts)
	assert.Empty(t, b.call(t, "getDailyAggregatedBets", by, assistant.Arguments{Date: "ayer"}).Facts, "nothing was sold a week before")
	b.Exec(t, `UPDATE daily_totals SET day = day - 6, voided = 10000 WHERE day = $1`, businessday.Of(b.Clock.Now(), fixture.Caracas).AddDays(-1))
	b.Clock.Advance(24 * time.Hour)
	assert.Equal(t, []assistant.Fact{{Name: "week_before", Value: "1034.50", Unit: "Bs"}, {Name: "week_percent", Value: "-3.33"}},
		b.call(t, "getDailyAggregatedBets", by, assistant.Arguments{Date: "ayer"}).Facts)
	today := businessday.Of(b.Clock.Now(), fixture.Caracas)
	for other, told := range map[string]bool{"anteayer": true, today.AddDays(-8).String(): false, "últimos 7 días": false} {
		res := b.call(t, "comparePeriods", by, assistant.Arguments{Date: "ayer", Other: other})
		week := assistant.Fact{Name: "week_before", Value: "1034.50", Unit: "Bs"}
		assert.Equal(t, told, slices.Contains(res.Facts, week), "another weekday is compared: %s", other)
		back := b.call(t, "comparePeriods", by, assistant.Arguments{Date: other, Other: "ayer"})
		assert.Len(t, back.Facts, 2, "nothing was sold a week before: %s", other)
	}
}

// A period is read as a whole, up to a bound that the result tells.
func TestPeriods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	today := businessday.Of(b.Clock.Now(), fixture.Caracas)
	by := b.at(t, seed.CodeAgency, models.RoleSocio)
	all := b.Number(t, `SELECT count(*) FROM draws WHERE local_date = $1`, today)
	b.Exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		SELECT gen_random_uuid(), game_id, 'A' || d || draw_number, local_date - d, draw_time - make_interval(days => d), sale_stop_at - make_interval(days => d), 'closed' FROM draws, generate_series(1, 40) d WHERE local_date = $1`, today)
	two := b.call(t, "getDrawStatus", by, assistant.Arguments{Date: "últimos 2 días"})
	assert.Equal(t, []any{today.AddDays(-1), today, 2 * all}, []any{two.From, two.To, two.Total})
	assert.Equal(t, "day", two.Columns[0])
	days := map[string]bool{}
	for _, row := range two.Rows {
		days[row[0]] = true
	}
	assert.Len(t, days, 2, "the draws around now are of both days")
	long := b.call(t, "getDrawStatus", by, assistant.Arguments{Date: "últimos 40 días"})
	assert.Equal(t, []any{today.AddDays(-6), 7 * all}, []any{long.From, long.Total})
	assert.Contains(t, long.Note, "last days")
	game := b.call(t, "getDrawStatus", by, assistant.Arguments{Date: "últimos 40 días", Game: "lotto activo", Time: "11 am"})
	assert.Equal(t, []any{today.AddDays(-30), today, int64(31)}, []any{game.From, game.To, game.Total})
	draw := b.OpenDraws(t, "lotto-activo")[0]
	at := draw.Time.In(fixture.Caracas).Format("15:04")
	top := b.call(t, "getTopNumbers", by, assistant.Arguments{Game: "lotto activo", Time: at, Date: "esta semana"})
	assert.Equal(t, []any{today, today}, []any{top.From, top.To}, "the day of the draw")

	b.Exec(t, `UPDATE tickets SET status = 'won', prize = 100000, settled_at = $2 WHERE id = $1`, b.sold[0].ID, b.Clock.Now())
	b.Exec(t, `UPDATE tickets SET status = 'won', prize = 50000, settled_at = $2 WHERE id = $1`, b.sold[1].ID, b.Clock.Now().Add(-24*time.Hour))
	b.Exec(t, `UPDATE tickets SET status = 'won', prize = 7700, settled_at = $2 WHERE id = $1`, b.sold[2].ID, b.Clock.Now().Add(-5*24*time.Hour))
	for date, want := range map[string]string{"últimos 2 días": "1500.00", "hoy": "1000.00", "ayer": "500.00", "": "1577.00"} {
		res := b.call(t, "getPendingPrizes", by, assistant.Arguments{Date: date})
		assert.Contains(t, res.Facts, assistant.Fact{Name: "pending", Value: want, Unit: "Bs"}, date)
	}
	res := b.call(t, "getPendingPrizes", by, assistant.Arguments{Date: "últimos 2 días"})
	assert.Equal(t, []any{today.AddDays(-1), today, 2}, []any{res.From, res.To, len(res.Rows)})
	assert.NotContains(t, res.Link, "date=")
	closes := b.call(t, "getDailyClose", by, assistant.Arguments{Date: "últimos 2 días"})
	assert.Contains(t, closes.Facts, assistant.Fact{Name: "not_closed_day", Value: today.String()})
}

// refused reports whether an error is about the arguments.
func refused(err error) bool {
	var refusal assistant.ToolError
	if _, several := errors.AsType[*assistant.AmbiguousError](err); several {
		return true
	}
	return errors.As(err, &refusal) || apperr.From(err).Kind != apperr.Internal
}
