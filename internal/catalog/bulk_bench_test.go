package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
)

// year is a draw a day for a year, at an hour.
func year(hour int) *catalog.DrawSync {
	first := businessday.Date(2027, time.January, 1)
	req := &catalog.DrawSync{From: first, To: first.AddDays(364)}
	for date := first; !date.After(req.To); date = date.AddDays(1) {
		req.Draws = append(req.Draws, catalog.DrawSpec{Number: "1", Time: date.At(hour, 0, time.UTC)})
	}
	return req
}

// BenchmarkSyncDraws measures a year of draws of a game: created, moved, sent again as they are, and taken away.
func BenchmarkSyncDraws(b *testing.B) {
	s := stock(b)
	var took [4]time.Duration
	for b.Loop() {
		for step, req := range []*catalog.DrawSync{year(16), year(17), year(17), {From: year(0).From, To: year(0).To}} {
			begin := time.Now()
			counts, err := s.SyncDraws(b.Context(), s.game, req)
			took[step] += time.Since(begin)
			require.NoError(b, err)
			require.Equal(b, 365, []int{counts.Created, counts.Updated, counts.Unchanged, counts.Deleted}[step])
		}
	}
	for step, name := range []string{"ms/create", "ms/move", "ms/same", "ms/delete"} {
		b.ReportMetric(float64(took[step].Microseconds())/1000/float64(b.N), name)
	}
}

// A year of draws in one request is a matter of milliseconds, not of a statement a draw.
func TestAYearOfDraws(t *testing.T) {
	t.Parallel()
	s := stock(t)
	begin := time.Now()
	counts, err := s.SyncDraws(t.Context(), s.game, year(16))
	t.Logf("365 draws created in %s", time.Since(begin))
	require.NoError(t, err)
	require.Equal(t, 365, counts.Created)
	begin = time.Now()
	counts, err = s.SyncDraws(t.Context(), s.game, year(17))
	t.Logf("365 draws moved in %s", time.Since(begin))
	require.NoError(t, err)
	require.Equal(t, 365, counts.Updated)
}
