package assistant

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/businessday"
)

func TestFiguresAreTraced(t *testing.T) {
	t.Parallel()
	today := businessday.Date(2026, time.November, 23)
	known := figuresOf([]Result{{
		Tool: "x", From: today.AddDays(-1), To: today.AddDays(-1), About: "Taquilla 12", Columns: strings.Split("abcdefghi", ""),
		Rows: [][]string{{"VES", "1234.56", "1000000.00", "0.00", "-12.50", "18:00", "27", "2026-11-22 18:05", "0.05"}, {"00"}}, Note: "status won, total 15000.00",
	}}, today)
	for _, text := range []string{
		"1.234,56", "1,234.56", "1234.56", "1234,56", "Bs. 1.234,56.", "1.000.000,00", "1,000,000", "1 000 000", "un total de 15.000", "15,000.00", "15000", "-12,5", "12.50", "0", "0,00", "0,05",
		"el 22/11/2026", "22 de noviembre", "2026-11-22", "November 22, 2026", "22/11", "hoy 23/11/2026", "6:00 pm", "18:00", "6 p.m.", "a las 18:05", "27 tickets", "2 filas", "Taquilla 12",
		"1. Ventas\n2. Premios", "- 1) Ventas", "la 1ª", "el 3er lugar", "sin cifras", "",
	} {
		assert.Empty(t, known.missing(text, today), text)
	}
	for text, want := range map[string]string{
		"1.234,57": "1.234,57", "1.235": "1.235", "1,2 millones": "1,2", "el 15/10/2026": "15/10/2026", "a las 7:00 pm": "7:00 pm", "999999": "999999", "31 de diciembre": "31 de diciembre", "12.345,6": "12.345,6", "28 tickets": "28",
	} {
		assert.Equal(t, []string{want}, known.missing(text, today), text)
	}
	named := figuresOf([]Result{{
		Tool: "x", About: "Agencia 500", Columns: []string{"entity", "game", "serial", "sold", "group"},
		Rows:  [][]string{{"Taquilla 12 (T-12)", "Triple 777", "7K3-22-11X", "8.00", "Zona 90"}, {"31", "Lotto 1.5", "999-44", "9.00", "2026-11-20"}},
		Facts: []Fact{{Name: "open_point", Value: "Punto 66"}, {Name: "status", Value: "won 55"}},
	}}, today)
	for _, text := range []string{"La Agencia 500 vendió 8", "agencia 500: 9,00", "AGENCIA  500.", "Taquilla 12 (T-12)", "Triple 777, ticket 7K3-22-11X", "Zona 90 el 20/11/2026", "Falta el Punto 66", "Lotto 1.5"} {
		assert.Empty(t, named.missing(text, today), text)
	}
	for text, want := range map[string]string{
		"La Agencia 500 vendió 500 Bs": "500", "500 Bs": "500", "Agencia 5001": "5001", "SubAgencia 500": "500", "12 tickets": "12", "777": "777", "22 premios": "22", "66 taquillas": "66", "90,00 Bs": "90,00",
		"1,5": "1,5", "31 ventas": "31", "55 tickets": "55", "999": "999",
	} {
		assert.Equal(t, []string{want}, named.missing(text, today), text)
	}
	drawn := figuresOf([]Result{{Tool: "x", Columns: []string{"game", "draw"}, Rows: [][]string{{"Lotto 7", "3"}}}}, today)
	assert.Empty(t, drawn.missing("el sorteo 3 de Lotto 7", today), "the number of a draw")
	assert.Equal(t, []string{"7"}, drawn.missing("7 tickets", today))
	changed := figuresOf([]Result{{Tool: "x", Columns: []string{"difference", "percent"}, Rows: [][]string{{"-5", "-46.01"}, {"3", "3.63"}, {"7", ""}}}}, today)
	for _, text := range []string{"46,01 % menos", "46 % menos", "46% less", "-46 %", "3,6 %", "3.63 %"} {
		assert.Empty(t, changed.missing(text, today), text)
	}
	for text, want := range map[string]string{"46 tickets": "46", "47 %": "47", "46,1 %": "46,1", "4 %": "4", "3,6 Bs": "3,6"} {
		assert.Equal(t, []string{want}, changed.missing(text, today), text)
	}
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, " %c 7%d%d%d9", 'a'+i%26, i%10, i/10%10, i/100)
	}
	assert.Len(t, known.missing(many.String(), today), maxUntraced)
}

func TestLocalAmounts(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]string{"1234.56": "1.234,56", "-0.05": "-0,05", "1000000.00": "1.000.000,00", "999.00": "999,00"} {
		assert.True(t, isAmount(amount))
		assert.Equal(t, want, grouped(amount, '.', ','))
	}
	for _, text := range []string{"", "12", "7K.3", "1.2.3", "12:30", "-", "."} {
		assert.False(t, isAmount(text), text)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b c", Clean(" a\nb\u2028c\u202e\u200b\x00\x1b ", 80))
	assert.Equal(t, "áéí", Clean("áéíóú", 3))
	assert.Equal(t, "ab", Clean("a\xffb", 80))
	assert.Equal(t, `\[x\]\(y\) \| \<b\>`, escapeMarkdown("[x](y) | <b>"))
}
