package draws_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
)

// Everybody sees verified results of the last days, the latest first; visitors at a time share a query.
func TestPublicResults(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")
	h.settle(t, list[0], catalog.Outcome{Value: "5"})
	h.settle(t, list[1], catalog.Outcome{Value: "18"})
	h.hold(t, list[2])
	_, err := h.Enter(t.Context(), fixture.As(fixture.Typist), list[2].ID, catalog.Outcome{Value: "7"})
	require.NoError(t, err)
	day, err := h.PublicResults(t.Context(), businessday.Day{})
	require.NoError(t, err)
	assert.True(t, day.Today)
	assert.NotEmpty(t, day.House)
	require.Len(t, day.Games, 1, "games with a result")
	assert.Equal(t, []draws.PublicResult{{list[1].Time, "18 Burro"}, {list[0].Time, "5 León"}}, day.Games[0].Results, "without the one that is not verified")
	again, err := h.PublicResults(t.Context(), day.Date)
	require.NoError(t, err)
	assert.Same(t, day, again, "no query for each visitor")
	for _, days := range []int{1, -draws.PublicDays, -400_000} {
		none, err := h.PublicResults(t.Context(), day.Date.AddDays(days))
		require.NoError(t, err)
		assert.Empty(t, none.Games)
		assert.Empty(t, none.House, "nothing is read")
	}
}
