package org

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/web/kit"
)

// sample is a week on its Wednesday.
func sample() *week {
	first := businessday.Date(2026, 11, 16) // a Monday
	w := &week{Currency: ledger.Currency{Code: "VES", Digits: 2}, of: &entityMoney{entity: &org.Entity{Code: "T"}, today: first.AddDays(9)}, first: first, past: 2}
	for i, sold := range map[int]money.Amount{0: 100_00, 1: 130_00, 6: 550_00, 7: 225_00, 9: 970_00} {
		w.days[i] = rollup.Figures{Sold: sold, Commission: rollup.Commission{TicketPoint: sold / 10}}
	}
	w.days[9].Won, w.days[9].Paid = 560_00, 470_00
	return w
}

// The first tile less the next two is the last one.
func TestTheTilesOfTodayAddUp(t *testing.T) {
	t.Parallel()
	v := &kit.View{Language: kit.Spanish}
	tiles := sample().Tiles(v)
	require.Len(t, tiles, 4)
	var figures []string
	for _, tile := range tiles {
		figures = append(figures, tile.Figure)
	}
	assert.Equal(t, []string{"970,00", "560,00", "97,00", v.Money(970_00-560_00-97_00, 2)}, figures)
	for i, tile := range tiles {
		assert.Equal(t, i == 1, tile.Hint != "", "what was paid is beside what was won alone")
	}
}

// The sales of today are compared with those of the same weekday until the same time, the weeks have figures of their own.
func TestTodayIsComparedWithTheSameWeekday(t *testing.T) {
	t.Parallel()
	v, w := &kit.View{Language: kit.Spanish}, sample()
	assert.Nil(t, w.Tiles(v)[0].Change, "nothing was sold then")
	w.byNow = 1000_00
	tiles := w.Tiles(v)
	require.NotNil(t, tiles[0].Change)
	assert.Equal(t, []string{"▼", kit.ToneTrouble}, []string{tiles[0].Change.Sign, tiles[0].Change.Tone})
	assert.Contains(t, tiles[0].Change.Text, "3 % ")
	assert.NotNil(t, tiles[0].Spark)
	assert.Nil(t, tiles[1].Change)
	assert.Contains(t, w.Links(v)[0].Title, "1.195,00", "225 and 970")
	assert.Contains(t, w.Links(v)[1].Title, "780,00")
	assert.Len(t, tiles[0].Spark.Values, 2, "today is not over")
	w.past = 1
	assert.Nil(t, w.Tiles(v)[0].Spark, "one day is no line")
}
