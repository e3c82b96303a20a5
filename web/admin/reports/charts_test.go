package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/models"
	"banca/web/kit"
)

// The prizes, the amounts that the levels keep and the amount that is passed up add up to the net sales.
func TestTheChartOfTheLevelsDividesTheNetSales(t *testing.T) {
	t.Parallel()
	page := &levelsPage{
		Total: rollup.Figures{Sold: 1000_00, Paid: 600_00}, PassedUp: 270_00,
		levels: []reports.Level{{Type: models.EntityTicketPoint, Kept: 100_00}, {Type: models.EntityGroup, Kept: 30_00}},
	}
	chart := page.Chart(&kit.View{Language: kit.Spanish})
	assert.Equal(t, []money.Amount{600_00, 100_00, 30_00, 270_00}, chart.Rows[0].Amounts)
	assert.Equal(t, []kit.Hue{kit.HuePrizes, kit.Shade(0), kit.Shade(1), kit.HuePast}, kit.Map(chart.Series, func(s *kit.StackSeries) kit.Hue { return s.Hue }))
	assert.Equal(t, "100.00%", chart.Full.String())

	page.levels, page.PassedUp = []reports.Level{{Type: models.EntityOperator, Kept: 400_00}}, 0
	assert.Equal(t, []kit.StackSeries{{Title: "reports.prizes", Hue: kit.HuePrizes}, {Title: "type.OPERATOR", Hue: kit.HueResult}}, page.Chart(&kit.View{}).Series)
}

// Rows without sales, and payments, have no shares. The row with the highest sales is the first.
func TestSharesOfRowsOfSales(t *testing.T) {
	t.Parallel()
	page := &salesPage{group: reports.GroupGame, list: []reports.SalesRow{
		{Name: "Catia", Figures: rollup.Figures{Sold: 10_00, Won: 4_00}}, {Name: "Nada", Figures: rollup.Figures{Won: 5_00}},
		{Name: "Centro", Figures: rollup.Figures{Sold: 9_000_00, Won: 12_000_00}},
	}}
	v := &kit.View{Language: kit.Spanish}
	chart := page.Shares(v)
	assert.Equal(t, []string{"Centro", "Catia"}, kit.Map(chart.Rows, func(r *kit.StackRow) string { return r.Name }))
	assert.Equal(t, []money.Amount{12_000_00, 0, -3_000_00}, chart.Rows[0].Amounts)
	assert.True(t, chart.Compares())
	page.group = reports.GroupMeans
	assert.Empty(t, page.Shares(v).Rows)
}

// The chart of games has the one with the highest sales first, and as many as a page has room for. One day has none.
func TestTheChartOfGames(t *testing.T) {
	t.Parallel()
	v, day := &kit.View{Language: kit.Spanish}, businessday.Date(2026, time.November, 1)
	page := &salesPage{group: reports.GroupGame, list: []reports.SalesRow{
		{Name: "Triple Facil", Figures: rollup.Figures{Sold: 10_00, Won: 40_00}}, {Name: "La Granjita", Figures: rollup.Figures{Sold: 90_00, Won: 40_00}},
	}}
	page.Head.From, page.Head.To = day, day
	assert.Nil(t, page.Chart(v))
	page.Head.To = day.AddDays(29)
	chart := page.Chart(v)
	assert.Equal(t, []string{"La Granjita", "Triple Facil"}, chart.Steps)
	assert.Equal(t, []money.Amount{90_00, 10_00}, chart.Series[0].Values)
	assert.Equal(t, []money.Amount{50_00, -30_00}, chart.Series[1].Values)
	assert.True(t, chart.Lying())
	page.list = slices.Repeat(page.list, maxGames)
	assert.Len(t, page.Chart(v).Steps, maxGames)
}
