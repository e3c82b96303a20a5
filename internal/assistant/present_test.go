package assistant

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
)

// An answer without a model begins with its main figure; a result without that figure has no sentence.
func TestResultsBeginWithASentence(t *testing.T) {
	t.Parallel()
	day, err := businessday.Parse("2026-11-29")
	require.NoError(t, err)
	compared := &Result{
		Tool: "comparePeriods", From: day.AddDays(-1), To: day.AddDays(-1), Other: Period{day.AddDays(-8), day.AddDays(-8)}, Columns: []string{"currency", "figure", "first", "second", "difference", "percent"},
		Rows:  [][]string{{"Bs", "tickets", "9", "8", "1", "12.50"}, {"Bs", "net_sales", "1234.50", "2000.00", "-765.50", "-38.28"}},
		Facts: []Fact{{Name: "first", Value: "2026-11-28"}, {Name: "second", Value: "2026-11-21"}},
	}
	otherDay := &Result{
		Tool: "comparePeriods", From: day, To: day, Other: Period{day.AddDays(-1), day.AddDays(-1)}, Columns: compared.Columns,
		Rows: [][]string{{"Bs", "net_sales", "5.00", "6.00", "-1.00", "-3.63"}}, Facts: []Fact{{Name: FactWeekBefore, Value: "7.00", Unit: "Bs"}, {Name: FactWeekPercent, Value: "-28.57"}},
	}
	sales := &Result{Tool: "getSales", Columns: []string{"group", "currency", "net_sales"}, Rows: [][]string{{"Norte", "Bs", "10.00"}, {"total", "Bs", "30.00"}}}
	for _, c := range []struct {
		result         *Result
		language, want string
	}{
		{compared, "es", "La venta neta del sábado 28/11/2026 fue **1.234,50 Bs**, 38 % menos que los 2.000,00 Bs del sábado 21/11/2026."},
		{compared, english, "Net sales of Saturday 2026-11-28: **1,234.50 Bs**, 38 % less than the 2,000.00 Bs of Saturday 2026-11-21."},
		{&Result{Tool: "comparePeriods", From: day.AddDays(-6), To: day, Other: Period{day.AddDays(-13), day.AddDays(-7)}, Columns: compared.Columns, Rows: [][]string{{"Bs", "net_sales", "5.00", "0.00", "5.00", ""}}, Facts: compared.Facts}, "es", "La venta neta del 23/11/2026 al 29/11/2026 fue **5,00 Bs**, frente a los 0,00 Bs del 16/11/2026 al 22/11/2026."},
		{otherDay, "es", "La venta neta del domingo 29/11/2026 fue **5,00 Bs**, 3,6 % menos que los 6,00 Bs del sábado 28/11/2026; el domingo anterior fueron 7,00 Bs."},
		{otherDay, english, "Net sales of Sunday 2026-11-29: **5.00 Bs**, 3.6 % less than the 6.00 Bs of Saturday 2026-11-28; the Sunday before they were 7.00 Bs."},
		{sales, "es", "La venta neta fue **30,00 Bs**."},
		{&Result{Tool: "getDailyAggregatedBets", Columns: []string{"currency", "tickets", "net_sales"}, Rows: [][]string{{"Bs", "1", "5.00"}}}, "es", "La venta neta fue **5,00 Bs** en 1 ticket."},
		{&Result{Tool: "getPendingPrizes", Facts: []Fact{{Name: "pending", Value: "5.00", Unit: "Bs"}, {Name: "pending_tickets", Value: "2"}}}, "es", "Faltan por pagar **5,00 Bs** en 2 tickets."},
	} {
		assert.Equal(t, c.want, strings.SplitN(Markdown(c.result, c.language), "\n", 2)[0])
	}
	for percent, want := range map[string]string{"46.01": "46", "-46.50": "-47", "12.50": "13", "9.96": "10", "-9.94": "-9,9", "3.63": "3,6", "3.65": "3,7", "1234.56": "1.235", "": ""} {
		assert.Equal(t, want, words{"es"}.said("percent", percent), percent)
	}
	table := Markdown(compared, "es")
	assert.Contains(t, table, "| -38,28 |", "a table has the exact figure")
	assert.Contains(t, table, "|  | 28/11/2026 | 21/11/2026 | Diferencia | % |\n")
	assert.NotContains(t, table, "Moneda", "all rows have one currency, which the sentence says")
	assert.NotContains(t, table, "período", "the heads have the days")
	all := *compared
	all.Rows = nil
	for _, figure := range []string{"tickets", "sold", "net_sales", "commission", "prizes_won", "prizes_paid", "game_result", "cash"} {
		all.Rows = append(all.Rows, []string{"Bs", figure, "3.00", "4.00", "-1.00", "-25.00"})
	}
	table = Markdown(&all, "es")
	for word, shown := range map[string]bool{"Tickets vendidos": true, "Venta neta": true, "Comisión": true, "Premios ganados": true, "Resultado del juego": true, "Caja": true, "Vendido": false, "Premios pagados": false} {
		assert.Equal(t, shown, strings.Contains(table, "| "+word+" |"), word)
	}
	row := Markdown(&Result{Tool: "getDailyAggregatedBets", Columns: []string{"currency", "tickets", "voided", "sold"}, Rows: [][]string{{"Bs", "1", "0.00", "5.00"}}}, "es")
	assert.Contains(t, row, "Vendido | 5,00 Bs")
	assert.NotContains(t, row, "Anulado", "a figure that is zero says nothing")
	for net, shown := range map[string]bool{"5.00": false, "4.00": true} {
		again := Markdown(&Result{Tool: "getDailyAggregatedBets", Columns: []string{"currency", "sold", "net_sales"}, Rows: [][]string{{"Bs", "5.00", net}}}, "es")
		assert.Equal(t, shown, strings.Contains(again, "Vendido |"), "a figure that repeats another one says nothing")
	}
	dated := &Result{Tool: "getSales", Columns: []string{"currency", "net_sales"}, Rows: [][]string{{"Bs", "5.00"}}, From: day, To: day}
	assert.Contains(t, Markdown(dated, "es"), "La venta neta del domingo 29/11/2026 fue **5,00 Bs**.")
	assert.Contains(t, Markdown(dated, english), "Net sales of Sunday 2026-11-29: **5.00 Bs**.")
	dated.Facts = []Fact{{Name: "week_before", Value: "10.00", Unit: "Bs"}, {Name: "week_percent", Value: "-50.00"}}
	assert.Contains(t, Markdown(dated, "es"), "La venta neta del domingo 29/11/2026 fue **5,00 Bs**, 50 % menos que los 10,00 Bs de una semana antes.")
	assert.Contains(t, Markdown(dated, english), "Net sales of Sunday 2026-11-29: **5.00 Bs**, 50 % less than the 10.00 Bs a week before.")
	assert.NotContains(t, Markdown(dated, "es"), "\n- ", "the sentence says it")
	assert.Contains(t, Markdown(dated, "es"), "Venta neta | 5,00 Bs |\n| Venta neta una semana antes | 10,00 Bs |")
	empty := Markdown(&Result{Tool: "getDailyAggregatedBets"}, "es")
	assert.True(t, strings.HasPrefix(empty, "**Ventas**"), empty)
}
