package drawstate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/draws"
	"banca/models"
)

func TestStateOfADraw(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	before, after := now.Add(-time.Minute), now.Add(time.Minute)
	for _, tt := range []struct {
		draw             draws.View
		operator, others string
	}{
		{draws.View{Status: models.DrawScheduled, Time: after}, models.DrawScheduled, models.DrawScheduled},
		{draws.View{Status: models.DrawOpen, SaleStopAt: after, Time: after}, models.DrawOpen, models.DrawOpen},
		{draws.View{Status: models.DrawOpen, SaleStopAt: before, Time: after}, models.DrawClosed, models.DrawClosed},
		{draws.View{Status: models.DrawClosed, ClosedAt: before, Time: after}, Unsold, models.DrawClosed},
		{draws.View{Status: models.DrawClosed, ClosedAt: before, Time: before, SealedTickets: 1}, Late, Late},
		{draws.View{Status: models.DrawClosed, ClosedAt: before, Time: before}, Unsold, Late},
		{draws.View{Status: models.DrawClosed, ClosedAt: before, Time: before, Proposed: "5"}, models.ResultProposed, Late},
		{draws.View{Status: models.DrawSettled, Value: "5", Proposed: "7"}, models.DrawSettled, models.DrawSettled},
		{draws.View{Status: models.DrawSuspended, Value: "5"}, models.DrawSuspended, models.DrawSuspended},
	} {
		assert.Equal(t, tt.operator, Of(&tt.draw, now, true))
		assert.Equal(t, tt.others, Of(&tt.draw, now, false))
	}
}
