package kit

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

func TestChangeOfAFigure(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	for _, try := range []struct {
		now, before      money.Amount
		tone, sign, text string
	}{
		{112, 100, ToneOK, "▲", "12 % vs sáb"},
		{1, 3, ToneTrouble, "▼", "67 % vs sáb"},
		{100, 100, ToneOff, "=", "0 % vs sáb"},
		{0, 0, ToneOff, "=", "0 % vs sáb"},
		{5, 0, ToneOK, "▲", "vs sáb (0)"},
		{-5, 0, ToneTrouble, "▼", "vs sáb (0)"},
		{50, -100, ToneOK, "▲", "150 % vs sáb"},
		{1_000_1, 1, ToneOK, "▲", "más de 1.000 % vs sáb"},
		{money.MaxAmount, -money.MaxAmount, ToneOK, "▲", "200 % vs sáb"},
		{1000, 1001, ToneOff, "=", "0 % vs sáb"},
	} {
		c := v.Change(try.now, try.before, "vs sáb")
		assert.Equal(t, []string{try.tone, try.sign, try.text}, []string{c.Tone, c.Sign, c.Text}, try)
	}
	assert.Equal(t, ToneTrouble, v.Change(2, 1, "").InvertTones().Tone)
	assert.Equal(t, ToneOK, v.Change(1, 2, "").InvertTones().Tone)
	assert.Equal(t, ToneOff, v.Change(1, 1, "").InvertTones().Tone)
	page := render(t, v, "stat", newStat("1", "Vendido").WithChange(v.Change(2, 1, hostile)).WithSpark(v.Spark("Vendido", []string{"1", "2"}, []money.Amount{1_00, 2_00}, 2)))
	assert.Contains(t, page, `<p class="change ok"><span aria-hidden="true">▲</span><span class="sr">sube</span> 100 % &#34;&gt;`)
	assert.Contains(t, page, `<th scope="row">2</th><td>2,00</td>`, "the values are in a table")
}

func TestSparkUsesItsFullHeight(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	s := v.Spark("x", []string{"a", "b", "c"}, []money.Amount{-1_00, 0, 1_00}, 2)
	assert.Equal(t, "3,25 60,14 117,3", s.Points)
	assert.Equal(t, []int{117, 3}, []int{s.LastX, s.LastY})
	assert.Equal(t, "3,14 117,14", v.Spark("x", []string{"a", "b"}, []money.Amount{5, 5}, 2).Points, "equal amounts are in the middle")
	assert.Equal(t, "3,14", v.Spark("x", []string{"a"}, []money.Amount{5}, 2).Points)
	assert.Equal(t, "3,25 117,3", v.Spark("x", []string{"a", "b"}, []money.Amount{-money.MaxAmount, money.MaxAmount}, 2).Points, "the greatest amounts do not overflow")
	assert.Len(t, v.Spark("x", []string{"a", "b", "c"}, []money.Amount{1, 2}, 2).Values, 2, "a step without an amount has no value")
	assert.Empty(t, render(t, v, "spark", v.Spark("x", nil, nil, 2)))
}

// The line of a week that is not over lies on that of the week before, in one scale.
func TestSparkAgainstAnEarlierLine(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	s := v.SparkAgainst("Esta semana", []string{"a", "b", "c"}, []money.Amount{0, 2_00}, "La pasada", []money.Amount{4_00, 0, 0}, 2)
	assert.Equal(t, "3,25 60,14", s.Points)
	assert.Equal(t, "3,3 60,25 117,25", s.EarlierPoints)
	assert.Equal(t, []int{60, 14}, []int{s.LastX, s.LastY}, "the dot is on the line of now")
	page := render(t, v, "spark", s)
	assert.Contains(t, page, `<tr><th scope="row">b</th><td>2,00</td><td>0,00</td></tr>`)
	assert.Contains(t, page, `<tr><th scope="row">c</th><td>—</td><td>0,00</td></tr>`, "a day to come has no amount")
	assert.Empty(t, render(t, v, "spark", v.SparkAgainst("x", []string{"a"}, nil, "y", []money.Amount{1}, 2)))
}

func TestFiguresAndTelephonesAreShort(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	assert.Equal(t, []string{"9.999,99", "12.346", "−12.346", "0,50"}, []string{v.Figure(9_999_99, 2), v.Figure(12_345_67, 2), v.Figure(-12_345_67, 2), v.Figure(50, 2)})
	assert.Equal(t, []string{"0414-100.00.49", "+15551234567", ""}, []string{v.Phone("+584141000049"), v.Phone("+15551234567"), v.Phone("")})
	assert.Equal(t, `<span class="figure" title="−12.345,67">−12.346 <span class="unit">Bs</span></span>`, render(t, v, "figure", v.Stat(-12_345_67, 2, "x").WithUnit("Bs")))
	assert.Equal(t, `<span class="figure">5,00</span>`, render(t, v, "figure", v.Stat(5_00, 2, "x")))
}

// A negative amount has its sign and no colour in rows, totals and facts.
func TestNegativeAmountsHaveASignAndNoColour(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	columns := []Column[money.Amount]{
		AmountColumn("label.amount", func(a *money.Amount) (money.Amount, int) { return *a, 2 }),
		WordColumn("label.total", func(v *View, a *money.Amount) string { return v.Money(*a, 2) + " Bs" }),
		TextColumn("label.reference", func(*money.Amount) string { return "-1-2" }),
	}
	table, err := RowsOf(columns, []money.Amount{-5, 5}, nil, "").Sum(func(v *View) []Cell { return []Cell{Text(v.Money(-5, 2)), None(), None()} })(v)
	require.NoError(t, err)
	page := render(t, v, "sheet", table)
	assert.NotContains(t, page, "negative", "amounts of tables have their sign alone")
	assert.Contains(t, page, `<td data-title="Total">−0,05 Bs</td>`)
	head := render(t, v, "head", v.Head("x").Fact("label.total", v.Amount(-5, 2)).Fact("label.amount", v.Amount(5, 2)))
	assert.Equal(t, 1, strings.Count(head, `<dd>−0,05</dd>`), head)
}

func TestHintsOfATileFollowEachOther(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "34 %, pagados 9", newStat(1, "Premios").AndHint("34 %").AndHint("pagados 9").Hint)
}
