package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// The id of a ticket has the instant of its sale, and the day of a seller includes the seeded tickets, whose ids are older than all sales.
func TestADayOfASellerHasAllItsTickets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sold := b.sell(t, straight(b.draw(t, "lotto-activo", 0), "5", "1.00"))
	assert.WithinDuration(t, sold.CreatedAt, time.Unix(sold.ID.Time().UnixTime()), time.Second)
	b.Exec(t, `INSERT INTO tickets SELECT (jsonb_populate_record(t, '{"id": "01900000-0000-7000-8000-0000000000aa", "serial_code": "SEEDED"}')).* FROM tickets t WHERE t.id = $1`, sold.ID)
	seller := b.within(t, seed.CodeTicketPoint)
	day := businessday.Of(sold.CreatedAt, b.Options.Zone)
	for _, tt := range []struct {
		day    businessday.Day
		status string
		total  int64
	}{{day, "", 2}, {day, sold.Status, 2}, {day.AddDays(-1), "", 0}, {day.AddDays(1), "", 0}} {
		list, total, err := b.List(t.Context(), seller, sales.Filter{Date: tt.day, Status: tt.status, Limit: 10})
		require.NoError(t, err)
		assert.Len(t, list, int(tt.total))
		assert.Equal(t, tt.total, total, "%s %s", tt.day, tt.status)
	}
}

// A page of the cancelled tickets of a recent day has their number, as every page has.
func TestPagesOfCancelledTicketsOfADayHaveTheirNumber(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	const cancelled = 3
	var day businessday.Day
	for range cancelled {
		sold := b.sell(t, straight(draw, "5", "1.00"))
		day = businessday.Of(sold.CreatedAt, b.Options.Zone)
		b.Exec(t, `UPDATE tickets SET status = 'cancelled', cancelled_at = created_at WHERE id = $1`, sold.ID)
	}
	for offset, shown := range []int{2, 2, 1, 0} {
		list, total, err := b.List(t.Context(), b.within(t, seed.CodeTicketPoint), sales.Filter{Date: day, Status: models.TicketCancelled, Limit: 2, Offset: offset})
		require.NoError(t, err)
		assert.Len(t, list, shown)
		assert.EqualValues(t, cancelled, total, offset)
	}
}
