// Package ticketstate has the one rule for the state that pages show of a ticket.
package ticketstate

import (
	"time"

	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/models"
	"banca/web/kit"
)

// Of is the status of a ticket at a time, or that the time to collect its prize is over.
func Of(t *sales.Ticket, now time.Time) string {
	if t.Status == models.TicketWon && !now.Before(t.ExpiresAt) {
		return prizes.StateExpired
	}
	return t.Status
}

// Column has the states of tickets.
func Column[R any](of func(row *R) *sales.Ticket) kit.Column[R] {
	return kit.BadgeColumn("label.state", func(v *kit.View, row *R) kit.Badge { return v.State("prize", Of(of(row), v.Now())) }).Leading()
}
