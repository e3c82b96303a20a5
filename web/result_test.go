package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant"
	"banca/internal/assistant/tools"
	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/sales"
	"banca/web/kit"
)

// tags matches the tags of a page.
var tags = regexp.MustCompile(`<[^>]*>|\s+`)

// A draw that waits for its result says what it sold.
func TestWaitingResultsSayWhatWasSold(t *testing.T) {
	t.Parallel()
	s := emptyTestbed(t)
	draw := s.OpenDraws(t, "lotto-activo")[0]
	_, err := s.sales.Sell(t.Context(), fixture.As(fixture.Cashier), fixture.Ticket(fixture.Line(draw, catalog.BetStraight, "125.50", "5")))
	require.NoError(t, err)
	s.Clock.Advance(draw.Time.Sub(s.Clock.Now()))
	_, err = s.draws.CloseDue(t.Context())
	require.NoError(t, err)
	s.count(t)
	s.enterAs(t, "admin@banca.test")
	text := strings.Join(strings.Fields(tags.ReplaceAllString(s.get("/admin/draws/results").Body.String(), " ")), " ")
	require.Equal(t, 1, strings.Count(text, "125,50 Bs"), text)
}

// sellOneDay sells two winners and two losers on a draw of today, and pays one prize.
func (s *testbed) sellOneDay(t *testing.T) {
	t.Helper()
	draw := s.OpenDraws(t, "lotto-activo")[0]
	var first *sales.Ticket
	for _, selection := range []string{"5", "5", "7", "9"} {
		sold, err := s.sales.Sell(t.Context(), fixture.As(fixture.Cashier), fixture.Ticket(fixture.Line(draw, catalog.BetStraight, "100.00", selection)))
		require.NoError(t, err)
		if first == nil {
			first = &sold.Ticket
		}
	}
	s.Clock.Advance(draw.Time.Sub(s.Clock.Now()))
	_, err := s.draws.CloseDue(t.Context())
	require.NoError(t, err)
	s.settle(t, draw, catalog.Outcome{Value: "5"})
	_, err = s.deps.Prizes.Pay(t.Context(), fixture.As(fixture.Cashier), &prizes.PayRequest{TicketID: first.ID, ValidationCode: first.ValidationCode})
	require.NoError(t, err)
	s.count(t)
}

// One day has one game result and one cash: on every page that has them, in files, and in the answers of the assistant.
func TestOneDayHasOneResult(t *testing.T) {
	t.Parallel()
	s := emptyTestbed(t)
	s.sellOneDay(t)
	by := fixture.As(fixture.Typist)
	report, err := s.deps.Reports.Sales(t.Context(), by, &reports.Filter{Currency: "VES"}, reports.GroupTotal)
	require.NoError(t, err)
	game, cash := report.Total.GameResult(), report.Total.Cash()
	require.EqualValues(t, -3000_00, game-cash, "one of two prizes is paid")
	require.Equal(t, game, 400_00-report.Total.Commission.Total()-6000_00)
	written := func(a money.Amount) string { return (&kit.View{Language: "es"}).Money(a, 2) }

	s.enterAs(t, "admin@banca.test")
	for page, shown := range map[string][]string{
		home:                 {written(game) + " Bs Resultado del juego caja: " + written(cash)},
		"/admin/draws/board": {written(game) + " Bs resultado de los sorteos", "400,00 Bs venta neta de los sorteos del día"},
		reportsPath + "/sales": {
			written(game) + " Bs Resultado del juego", written(cash) + " Bs Caja premios pagados: 3.000,00; ganados menos pagados: 3.000,00",
		},
		reportsPath + "/waterfall": {"Resultado del juego — " + written(game), "Caja — " + written(cash)},
		reportsPath + "/levels":    {"queda en los niveles " + written(report.Total.Commission.Total()+cash)},
	} {
		w := s.get(page)
		require.Equal(t, http.StatusOK, w.Code, page)
		text := strings.Join(strings.Fields(tags.ReplaceAllString(w.Body.String(), " ")), " ")
		for _, figure := range shown {
			assert.Contains(t, text, figure, page)
		}
	}
	for _, head := range []string{"Resultado del juego", "Caja"} {
		want := map[string]money.Amount{"Resultado del juego": game, "Caja": cash}[head]
		for _, query := range []string{"/sales?format=csv", "/sales?by=game&format=csv", "/sales?by=day&format=csv"} {
			assert.Equal(t, want, sumOfFile(t, s.get(reportsPath+query).Body.String(), head), query)
		}
	}
	for _, tool := range tools.New(tools.Deps{Org: s.Org, Catalog: s.Catalog, Ledger: s.Ledger, Reports: s.deps.Reports, Clock: s.Clock, Zone: fixture.Caracas}) {
		if tool.Name != "getDailyAggregatedBets" && tool.Name != "getSales" {
			continue
		}
		answer, err := tool.Run(t.Context(), by, assistant.Arguments{Date: "today"})
		require.NoError(t, err)
		require.NotEmpty(t, answer.Rows, tool.Name)
		last := answer.Rows[len(answer.Rows)-1] // the total
		for i, column := range answer.Columns {
			switch column {
			case "game_result":
				assert.Equal(t, game.Format(2), last[i], tool.Name)
			case "cash":
				assert.Equal(t, cash.Format(2), last[i], tool.Name)
			}
		}
		assert.Subset(t, answer.Columns, []string{"game_result", "cash"}, tool.Name)
		assert.NotContains(t, answer.Columns, "result", tool.Name)
	}
}
