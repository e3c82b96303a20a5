package notices

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/customers"
	"banca/internal/messaging"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/tickets"
	"banca/models"
)

// Codes of messages that must not be sent any more.
const (
	codeCancelled = messaging.CodeTicketCancelled
	codeNotWon    = "TICKET_NOT_WON" // the prize of a ticket that was paid meanwhile, or whose result was corrected
	codeReplaced  = "REPLACED"       // that a ticket lost its prize, which it has again
	codeOptedOut  = "OPTED_OUT"      // the recipient wants no messages
)

// Obsolescence reports obsolete queued messages.
type Obsolescence struct {
	Pool *pgxpool.Pool
	Org  *org.Service
}

// Codes returns of each message why it must not be sent, or "".
func (o Obsolescence) Codes(ctx context.Context, list []messaging.Queued) ([]messaging.Obsolete, error) {
	codes := make([]messaging.Obsolete, len(list))
	var ids []uuid.UUID
	for i := range list {
		if list[i].TicketID != uuid.Nil && !always(list[i].Kind) {
			ids = append(ids, list[i].TicketID)
		}
	}
	var prizes map[uuid.UUID]tickets.Prize
	if len(ids) > 0 {
		var err error
		if prizes, err = tickets.Prizes(ctx, o.Pool, ids); err != nil {
			return nil, err
		}
	}
	for i := range list {
		m, code := &list[i], &codes[i]
		if m.TicketID == uuid.Nil || always(m.Kind) {
			continue
		}
		if p, ok := prizes[m.TicketID]; ok {
			code.Code = obsoleteOf(m, p.Status, p.Amount)
		} else {
			code.Err = tickets.ErrNotFound
		}
	}
	return codes, o.optedOut(ctx, list, codes)
}

// always reports whether messages of a kind are sent whatever happened since they were queued.
func always(kind string) bool {
	return kind == models.MessageCode || kind == models.MessageOptOut || kind == models.MessageOptIn
}

// obsoleteOf returns why a message about a ticket in a state must not be sent, or "".
func obsoleteOf(m *messaging.Queued, status string, prize money.Amount) string {
	won := status == models.TicketWon
	switch {
	case m.Kind == models.MessageReceipt && status == models.TicketCancelled:
		return codeCancelled
	case m.Kind == models.MessagePrize || m.Kind == models.MessagePrizeCorrected:
		if !won || m.Content != "" && m.Content != PrizeContent(prize) {
			return codeNotWon
		}
	case m.Kind == models.MessagePrizeWithdrawn && (won || status == models.TicketPaid):
		return codeReplaced
	}
	return ""
}

// optedOut sets the codes of messages that are to be sent otherwise, and whose recipients want none.
func (o Obsolescence) optedOut(ctx context.Context, list []messaging.Queued, codes []messaging.Obsolete) error {
	var recipients []customers.Recipient
	var places []int
	for i := range list {
		m := &list[i]
		if codes[i] != (messaging.Obsolete{}) || always(m.Kind) {
			continue
		}
		chain, err := o.Org.Chain(ctx, m.EntityID)
		if err != nil {
			codes[i].Err = err
			continue
		}
		recipients, places = append(recipients, customers.Recipient{EntityID: m.EntityID, Path: chain.Path(), Phone: m.Recipient}), append(places, i)
	}
	if len(recipients) == 0 {
		return nil
	}
	out, err := customers.OptedOut(ctx, o.Pool, recipients)
	for i, yes := range out {
		if yes {
			codes[places[i]].Code = codeOptedOut
		}
	}
	return err
}
