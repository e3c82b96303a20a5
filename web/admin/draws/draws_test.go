package draws

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/draws"
	"banca/web/kit"
)

func TestTheDrawsOfTodayBeginWithTheNearest(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 11, 30, hour, 0, 0, 0, time.UTC) }
	list := kit.Map([]int{8, 9, 10, 11, 12}, func(hour *int) draws.View { return draws.View{Time: at(*hour)} })
	nearestFirst(list, at(9).Add(30*time.Minute))
	assert.Equal(t, []int{10, 9, 8, 11, 12}, kit.Map(list, func(d *draws.View) int { return d.Time.Hour() }))
}
