package dates_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant/dates"
	"banca/internal/platform/businessday"
)

// The table is of Monday, 23 November 2026.
func TestPhrases(t *testing.T) {
	t.Parallel()
	today := businessday.Date(2026, time.November, 23)
	for phrase, want := range map[string]string{
		"hoy": "2026-11-23", "¿cuánto vendimos el día de hoy?": "2026-11-23", "today": "2026-11-23", "esta mañana": "2026-11-23", "esta tarde como va": "2026-11-23",
		"ayer": "2026-11-22", "AYER": "2026-11-22", "kuanto se bendio aller": "2026-11-22", "yesterday's sales": "2026-11-22", "anoche": "2026-11-22",
		"anteayer": "2026-11-21", "antier": "2026-11-21", "antes de ayer": "2026-11-21", "the day before yesterday": "2026-11-21",
		"los sorteos de mañana": "2026-11-24", "tomorrow": "2026-11-24",
		"el lunes pasado": "2026-11-16", "lunes": "2026-11-16", "last monday": "2026-11-16", "el sábado": "2026-11-21", "on friday": "2026-11-20", "miercoles pasado": "2026-11-18",
		"este viernes": "2026-11-27", "el próximo viernes": "2026-11-27", "next friday": "2026-11-27", "el lunes que viene": "2026-11-30",
		"el martes de la semana pasada": "2026-11-17", "tuesday last week": "2026-11-17",
		"esta semana": "2026-11-23", "la semana pasada": "2026-11-16 2026-11-22", "last week": "2026-11-16 2026-11-22", "la última semana": "2026-11-16 2026-11-22",
		"este mes": "2026-11-01 2026-11-23", "el mes pasado": "2026-10-01 2026-10-31", "last month": "2026-10-01 2026-10-31", "en lo que va de mes": "2026-11-01 2026-11-23",
		"este año": "2026-01-01 2026-11-23", "el año pasado": "2025-01-01 2025-12-31", "el fin de semana": "2026-11-21 2026-11-22", "last weekend": "2026-11-21 2026-11-22",
		"esta quincena": "2026-11-16 2026-11-23", "la quincena pasada": "2026-11-01 2026-11-15", "la primera quincena": "2026-11-01 2026-11-15",
		"del 1 al 15": "2026-11-01 2026-11-15", "del 1 al 15 de octubre": "2026-10-01 2026-10-15", "desde el 20 hasta el 3": "2026-10-20 2026-11-03",
		"del 20 de octubre al 3 de noviembre": "2026-10-20 2026-11-03", "from 1 to 15 october": "2026-10-01 2026-10-15", "from november 1 to november 15": "2026-11-01 2026-11-15",
		"between october 1 and 15": "2026-10-01 2026-10-15", "entre el 1 y el 5": "2026-11-01 2026-11-05", "del 20/12 al 5/1": "2025-12-20 2026-01-05", "de 2026-11-01 a 2026-11-15": "2026-11-01 2026-11-15",
		"hace 3 días": "2026-11-20", "hace tres dias": "2026-11-20", "3 days ago": "2026-11-20", "hace una semana": "2026-11-16", "a week ago": "2026-11-16", "hace un mes": "2026-10-23",
		"los últimos 7 días": "2026-11-17 2026-11-23", "last 7 days": "2026-11-17 2026-11-23", "past 2 weeks": "2026-11-10 2026-11-23",
		"15/11": "2026-11-15", "el 15/11/2025": "2025-11-15", "15-11-2026": "2026-11-15", "2026-11-02": "2026-11-02", "15/12": "2025-12-15", "24/11": "2026-11-24", "15/11/25": "2025-11-15",
		"15 de noviembre": "2026-11-15", "el 15 de noviembre de 2024": "2024-11-15", "november 15": "2026-11-15", "november 15, 2024": "2024-11-15", "the 15th of november": "2026-11-15", "nov 3": "2026-11-03",
		"el 15": "2026-11-15", "el día 31": "2026-10-31", "en octubre": "2026-10-01 2026-10-31", "en noviembre": "2026-11-01 2026-11-23", "in december": "2025-12-01 2025-12-31", "octubre 2025": "2025-10-01 2025-10-31",
		"29/02": "2024-02-29",
	} {
		r, ok := dates.Find(phrase, today)
		if !assert.True(t, ok, phrase) {
			continue
		}
		got := r.From.String()
		if !r.One() {
			got += " " + r.To.String()
		}
		assert.Equal(t, want, got, phrase)
	}
	for _, phrase := range []string{"", "cuánto vendí", "31/02", "32/11", "15/13", "2026-13-01", "99/99/9999", "la taquilla 15", "ticket 7K3-22-11X", "por la mañana", "el 45", "de mayor a menor", "hace 0x días", "mayorista"} {
		r, ok := dates.Find(phrase, today)
		assert.False(t, ok, "%s: %s", phrase, r.Phrase)
	}
	two := dates.FindAll("compara esta semana con la semana pasada", today, 2)
	require.Len(t, two, 2)
	assert.Equal(t, "2026-11-16", two[1].From.String())
	r, err := dates.Parse(" ", today)
	require.NoError(t, err)
	assert.Equal(t, today, r.From)
	_, err = dates.Parse("nunca", today)
	require.ErrorIs(t, err, dates.ErrUnknown)
}

// Whatever day it is: a range is not reversed, relative days are where they belong, a written date is itself.
func TestProperties(t *testing.T) {
	t.Parallel()
	start := businessday.Date(2020, time.January, 1)
	for n := range 70 {
		today := start.AddDays(41 * n) // every weekday and month, and ends of months and of a leap year
		for _, phrase := range []string{"ayer", "el lunes", "el domingo pasado", "la semana pasada", "el mes pasado", "este mes", "hace un mes", "el 31", "del 28 al 3", "la quincena pasada", "últimos 30 días", "29 de febrero", "el año pasado"} {
			r, ok := dates.Find(phrase, today)
			require.True(t, ok, "%s on %s", phrase, today)
			require.False(t, r.To.Before(r.From), "%s on %s", phrase, today)
			require.False(t, r.To.After(today.AddDays(7)), "%s on %s", phrase, today)
		}
		monday, _ := dates.Find("el lunes", today)
		require.Equal(t, time.Monday, monday.From.Weekday())
		require.LessOrEqual(t, monday.From.DaysUntil(today), 7)
		week, _ := dates.Find("semana pasada", today)
		require.Equal(t, 6, week.From.DaysUntil(week.To))
		for _, layout := range []string{"2006-01-02", "02/01/2006", "2/1/2006"} {
			r, ok := dates.Find(today.Format(layout), today)
			require.True(t, ok)
			require.Equal(t, today, r.From)
		}
		r, ok := dates.Find(today.Format("2/1"), today)
		require.True(t, ok)
		require.Equal(t, today, r.From)
	}
}

// Any text is searched in bounded time and never panics.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	today := businessday.Date(2026, time.November, 23)
	words := strings.Fields("del 1 al 15 / 99 de noviembre hace 3 últimos días el lunes pasado ayer \xff 0 -1 999999999999 2026 from to a y")
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", "", "/"}[r.IntN(3)])
		}
		for _, found := range dates.FindAll(b.String(), today, 5) {
			require.False(t, found.To.Before(found.From))
		}
	}
	dates.Find(strings.Repeat("del 1 al ", 100_000), today)
}
