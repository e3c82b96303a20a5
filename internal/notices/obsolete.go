package notices

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
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

// Codes returns of each message why it must not be sent, or "". The state of its ticket goes before an opt-out.
func (o Obsolescence) Codes(ctx context.Context, list []messaging.Queued) ([]messaging.Obsolete, error) {
	codes := make([]messaging.Obsolete, len(list))
	var ids []uuid.UUID
	for i := range list {
		if ofTicket(&list[i]) {
			ids = append(ids, list[i].TicketID)
		}
	}
	recipients, places := o.recipients(ctx, list, codes)
	var out []bool
	b := &pgx.Batch{}
	prizes := tickets.QueuePrizes(b, ids)
	customers.QueueOptedOut(b, recipients, &out)
	if b.Len() == 0 {
		return codes, nil
	}
	if err := o.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("states of tickets and opt-outs: %w", err)
	}
	for i, yes := range out {
		if yes {
			codes[places[i]].Code = codeOptedOut
		}
	}
	for i := range list {
		m := &list[i]
		if !ofTicket(m) {
			continue
		}
		if p, ok := prizes[m.TicketID]; !ok {
			codes[i] = messaging.Obsolete{Err: tickets.ErrNotFound}
		} else if code := obsoleteOf(m, p.Status, p.Amount); code != "" {
			codes[i] = messaging.Obsolete{Code: code}
		}
	}
	return codes, nil
}

// ofTicket reports whether the state of a ticket decides about a message.
func ofTicket(m *messaging.Queued) bool { return m.TicketID != uuid.Nil && !always(m.Kind) }

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

// recipients returns the recipients of messages that an opt-out stops, with the places of the messages. It sets the
// errors of messages whose entity cannot be read.
func (o Obsolescence) recipients(
	ctx context.Context, list []messaging.Queued, codes []messaging.Obsolete,
) (recipients []customers.Recipient, places []int) {
	for i := range list {
		m := &list[i]
		if always(m.Kind) {
			continue
		}
		chain, err := o.Org.Chain(ctx, m.EntityID)
		if err != nil {
			codes[i].Err = err
			continue
		}
		recipients = append(recipients, customers.Recipient{EntityID: m.EntityID, Path: chain.Path(), Phone: m.Recipient})
		places = append(places, i)
	}
	return recipients, places
}
