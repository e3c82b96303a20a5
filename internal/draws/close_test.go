package draws_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/clock"
	"banca/internal/draws"
	"banca/internal/realtime"
	"banca/internal/risk"
	"banca/internal/seed"
	"banca/internal/testkit"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// heard keeps what was published.
type heard struct{ events []realtime.Event }

func (h *heard) Publish(_ context.Context, to realtime.Audience, e realtime.Event) {
	if to == realtime.Everybody() {
		h.events = append(h.events, e)
	}
}

func TestCloseDueClosesOnceAndOnlyWhatIsDue(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	err := seed.Run(t.Context(), env.PG, seed.Options{Root: uuid.New(), HashPassword: func(string) (string, error) { return "-", nil }})
	require.NoError(t, err)
	clk := clock.NewFake(time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)) // 11:00 in Caracas
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	cat := catalog.New(env.PG.Gorm, clk, catalog.Options{Zone: zone, SaleStop: 5 * time.Minute})
	_, err = cat.Generate(t.Context())
	require.NoError(t, err)
	open := func() int64 {
		var n int64
		require.NoError(t, env.PG.Gorm.Model(&models.Draw{}).Where("status = ?", models.DrawOpen).Count(&n).Error)
		return n
	}
	news := &heard{}
	service := draws.New(draws.Deps{
		PG: env.PG, Catalog: cat, Cache: risk.New(env.PG, env.Redis, clk), Clock: clk, Log: env.Log, Events: news,
	})

	n, err := service.CloseDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)

	before := open()
	clk.Advance(time.Hour) // 12:00: the draws of 12:00 stopped at 11:55
	n, err = service.CloseDue(t.Context())
	require.NoError(t, err)
	require.Positive(t, n)
	require.Equal(t, before-int64(n), open())

	again, err := service.CloseDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, again)
	var early int64
	require.NoError(t, env.PG.Gorm.Model(&models.Draw{}).Where("status = ? AND sale_stop_at > ?", models.DrawClosed, clk.Now()).Count(&early).Error)
	require.Zero(t, early)
	require.Len(t, news.events, n, "each is told once")
	require.Equal(t, realtime.DrawClosed, news.events[0].Name)
}
