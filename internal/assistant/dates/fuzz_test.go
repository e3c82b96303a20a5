package dates_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"banca/internal/assistant/dates"
	"banca/internal/platform/businessday"
)

// Whatever is written and whenever, a range is not reversed, is of the years of the business and is found again by its own phrase.
func FuzzFind(f *testing.F) {
	for _, text := range []string{"del 1 al 15 de noviembre", "hace 3 días", "el lunes pasado", "29/02", "de 2026-11-01 a 2026-11-15", "últimos 999 meses", "november 15, 2024", "la primera quincena", "\xff", "hace 999 semanas"} {
		f.Add(text, 9_000)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		today := businessday.Date(2000, time.January, 1).AddDays(((n % 36_000) + 36_000) % 36_000)
		for _, r := range dates.FindAll(text, today, 5) {
			if r.To.Before(r.From) {
				t.Errorf("%q on %s: %s to %s", text, today, r.From, r.To)
			}
			if year := r.From.UTC().Year(); year < 1900 || r.To.UTC().Year() > 2101 {
				t.Errorf("%q on %s: %s to %s", text, today, r.From, r.To)
			}
			if !utf8.ValidString(r.Phrase) || strings.TrimSpace(r.Phrase) == "" {
				t.Errorf("%q: phrase %q", text, r.Phrase)
			}
			again, ok := dates.Find(r.Phrase, today)
			if !ok || again != r {
				t.Errorf("%q on %s: %+v is found again as %+v", text, today, r, again)
			}
		}
	})
}
