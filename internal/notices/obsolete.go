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

// Code returns why a message must not be sent, or "".
func (o Obsolescence) Code(ctx context.Context, m messaging.Queued) (string, error) {
	switch m.Kind {
	case models.MessageCode, models.MessageOptOut, models.MessageOptIn:
		return "", nil
	}
	if m.TicketID != uuid.Nil {
		status, prize, err := tickets.Prize(ctx, o.Pool, m.TicketID)
		if err != nil {
			return "", err
		}
		if code := obsoleteOf(&m, status, prize); code != "" {
			return code, nil
		}
	}
	return o.optedOut(ctx, m)
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

func (o Obsolescence) optedOut(ctx context.Context, m messaging.Queued) (string, error) {
	chain, err := o.Org.Chain(ctx, m.EntityID)
	if err != nil {
		return "", err
	}
	ids := make([]uuid.UUID, len(chain))
	for i := range chain {
		ids[i] = chain[i].ID
	}
	out, err := customers.OptedOut(ctx, o.Pool, ids, m.Recipient)
	if err != nil || !out {
		return "", err
	}
	return codeOptedOut, nil
}
