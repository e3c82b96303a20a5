package sales

import (
	"context"

	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
)

// The secrets of a ticket are its validation code, a receipt that prints the code, and the address of the picture that
// shows it. Prizes are paid against the code.

// owns reports whether a ticket was sold at the caller's own entity or by the caller.
func owns(by caller.Caller, t *Ticket) bool {
	return t.EntityID == by.EntityID || t.UserID == by.UserID
}

// seesSecrets reports whether the caller may see the secrets of a ticket in the caller's scope. A seller sees them on
// tickets that the seller sold and, with the permission to pay prizes, on all tickets of the seller's entity. Other
// roles with that permission see them on every ticket of their scope.
func seesSecrets(by caller.Caller, t *Ticket) bool {
	return t.UserID == by.UserID || by.May(auth.PrizesPay) && (owns(by, t) || by.Role != models.RoleTaquilla)
}

// Redact removes the secrets of a ticket that is not the caller's own or that the caller may not see. Lists and the
// answers to changes use it: a secret of another entity's ticket is shown by [Service.Get] only, which logs it.
func Redact(by caller.Caller, t *Ticket) {
	if !owns(by, t) || !seesSecrets(by, t) {
		t.redact()
	}
}

// redact removes the validation code and the address of the picture. A receipt of a redacted ticket prints no code.
func (t *Ticket) redact() { t.ValidationCode, t.ImageURL = "", "" }

// reveal redacts a ticket if the caller may not see its secrets. If the caller sees the secrets of another entity's
// ticket, reveal records that in the activity log.
func (s *Service) reveal(ctx context.Context, by caller.Caller, t *Ticket) error {
	switch {
	case !seesSecrets(by, t):
		t.redact()
		return nil
	case owns(by, t) || t.cancelled():
		return nil
	default:
		return s.PG.InTx(ctx, func(tx pgx.Tx) error {
			return activity.RecordPgxTx(ctx, tx, activity.Entry{
				Action: activity.TicketsViewCode, EntityID: t.EntityID, Target: t.ID.String(),
			})
		})
	}
}
