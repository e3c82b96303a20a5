package sales

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
)

// Viewer is the caller of a read. It decides which secrets of a ticket are shown: its validation code, a receipt that
// prints the code, and the address of the picture that shows it. Prizes are paid against the code.
type Viewer struct {
	Scope    string    // path of the caller's entity
	EntityID uuid.UUID // the caller's entity
	UserID   uuid.UUID
	Pays     bool // holds prizes:pay
	Seller   bool // has the role of a ticket point
}

// owns reports whether a ticket was sold at the viewer's own entity or by the viewer.
func (v *Viewer) owns(t *Ticket) bool { return t.EntityID == v.EntityID || t.UserID == v.UserID }

// seesSecrets reports whether the viewer may see the secrets of a ticket: of one that the viewer sold, and, with the
// permission to pay prizes, of those of the own entity; users who are not sellers see those of their subtree, too.
func (v *Viewer) seesSecrets(t *Ticket) bool {
	return t.UserID == v.UserID || v.Pays && (v.owns(t) || !v.Seller)
}

// Redact removes the secrets of a ticket that is not the viewer's own or that the viewer may not see. Lists and the
// answers to changes use it: a secret of another entity's ticket is shown by [Service.Get] only, which logs it.
func (v *Viewer) Redact(t *Ticket) {
	if !v.owns(t) || !v.seesSecrets(t) {
		t.redact()
	}
}

// redact removes the validation code and the address of the picture. A receipt of the ticket prints no code then.
func (t *Ticket) redact() { t.ValidationCode, t.ImageURL = "", "" }

// reveal redacts a ticket for a viewer who may not see its secrets, and records it in the activity log if the viewer
// sees those of another entity's ticket.
func (s *Service) reveal(ctx context.Context, v *Viewer, t *Ticket) error {
	switch {
	case !v.seesSecrets(t):
		t.redact()
		return nil
	case v.owns(t) || t.cancelled():
		return nil
	default:
		return s.PG.InTx(ctx, func(tx pgx.Tx) error {
			return activity.RecordPgxTx(ctx, tx, activity.Entry{Module: "tickets", Action: "view_code", EntityID: t.EntityID, Target: t.ID.String()})
		})
	}
}
