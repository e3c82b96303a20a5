package tasks

import (
	"time"

	"github.com/google/uuid"
)

// ticketKinds lists the kinds of this file.
func ticketKinds() []entry {
	return []entry{of[ReceiptRender](), of[TicketExpire](), of[RiskRebuild](), of[RiskSweep]()}
}

// ReceiptRender draws a ticket's receipt, uploads it and asks for its message.
//
// Trigger: the outbox rows of the sale and of its cancellation, which replaces the picture and sends no message.
// Repeating it, also in another order, is safe because the picture's key is the ticket's id, a run that finds its
// ticket changed draws again, image_url is set once, and a ticket has one receipt message. Queue receipts, 30
// seconds; the retries outlast an outage of the object store of three hours. When every retry fails, the buyer gets
// no message and the ticket keeps no picture, or the one from before its cancellation; the api draws the current one
// on demand.
type ReceiptRender struct {
	TicketID uuid.UUID `json:"ticket_id"`
}

// Spec implements Args.
func (ReceiptRender) Spec() Spec {
	return Spec{
		Kind: "receipt.render", Queue: QueueReceipts, MaxRetry: 45,
		Timeout: 30 * time.Second, MaxDelay: 5 * time.Minute,
	}
}

// TicketExpire marks won tickets whose prize was not collected in time.
//
// Trigger: every 10 minutes. Repeating it is safe because a ticket is marked once, guarded by its state; a ticket
// whose prize is being paid is skipped. When every retry fails, the next run marks more; a prize is not paid after
// its time in any case.
type TicketExpire struct{}

// Spec implements Args.
func (TicketExpire) Spec() Spec {
	return Spec{
		Kind: "ticket.expire", Queue: QueueDefault, MaxRetry: 3,
		Timeout: 2 * time.Minute, MaxDelay: 30 * time.Second, Every: "@every 10m",
	}
}

// RiskRebuild recomputes the risk counts of one draw from Postgres, or of every open draw whose counts are not
// ready when DrawID is empty, or of every open draw with All.
//
// Trigger: the move of an entity, with All, because counts are kept for every entity above a seller. A sale that
// finds no counts rebuilds them itself, and RiskSweep the others. Repeating it is safe because each rebuild raises
// the draw's epoch, and a reservation made under an older one does not commit. When every retry fails, sales of the
// draw stay refused until a sale or a sweep succeeds.
type RiskRebuild struct {
	DrawID uuid.UUID `json:"draw_id,omitzero"`
	All    bool      `json:"all,omitempty"`
}

// Spec implements Args.
func (RiskRebuild) Spec() Spec {
	return Spec{
		Kind: "risk.rebuild", Queue: QueueCritical, MaxRetry: 20,
		Timeout: 2 * time.Minute, MaxDelay: 30 * time.Second,
	}
}

// RiskSweep releases reservations whose sale was never committed, and rebuilds counts that were lost.
//
// Trigger: every 15 seconds. Repeating it is safe because a reservation is released once, by its id. When every retry
// fails, limits stay stricter than needed until the next.
type RiskSweep struct{}

// Spec implements Args.
func (RiskSweep) Spec() Spec {
	return Spec{
		Kind: "risk.sweep", Queue: QueueCritical, MaxRetry: 3,
		Timeout: 30 * time.Second, MaxDelay: 10 * time.Second, Every: "@every 15s",
	}
}
