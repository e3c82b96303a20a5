// Package drawstate has the one rule for the state that pages show of a draw.
package drawstate

import (
	"time"

	"banca/internal/draws"
	"banca/models"
)

// States of a draw without a result, besides the states of models.
const (
	Unsold = "unsold" // sales are closed, and nothing was sold: a missing result delays no prize
	Late   = "late"   // its time has passed
)

// Stored are the states of models in the order of a draw's life.
func Stored() []string {
	return []string{models.DrawScheduled, models.DrawOpen, models.DrawClosed, models.DrawResulted, models.DrawSettled, models.DrawSuspended}
}

// Of is the state of a draw at a time, as a user sees it: an operator sees the tickets of all entities and results that are not verified.
func Of(d *draws.View, now time.Time, operator bool) string {
	switch {
	case d.Status == models.DrawSuspended || d.Status == models.DrawScheduled || d.Value != "":
		return d.Status
	case operator && d.Proposed != "":
		return models.ResultProposed
	case d.Status == models.DrawOpen && d.SaleStopAt.After(now):
		return models.DrawOpen
	case operator && !d.ClosedAt.IsZero() && d.SealedTickets == 0:
		return Unsold
	case d.Time.After(now):
		return models.DrawClosed
	default:
		return Late
	}
}
