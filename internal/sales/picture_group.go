package sales

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/customers"
	"banca/internal/messaging"
	"banca/internal/platform/groupcommit"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// soldTicket is a ticket with the contact of its buyer, the zero one without a buyer or after the buyer was deleted.
type soldTicket struct {
	ticket *Ticket
	buyer  customers.Contact
}

type (
	soldCall    = groupcommit.Call[uuid.UUID, soldTicket]
	pictureCall = groupcommit.Call[*picture, struct{}]
)

// readSold reads the tickets of runs of receipt.render. A ticket that is not in the tables is read from the archive.
func (s *Service) readSold(ctx context.Context, calls []*soldCall) error {
	ids := make(storage.UUIDs, len(calls))
	for i, c := range calls {
		ids[i] = c.Argument
	}
	list, err := s.ticketsByID(ctx, s.PG.Commits, ids)
	if err != nil {
		return err
	}
	buyers, err := s.buyersOf(ctx, list)
	if err != nil {
		return err
	}
	sold := make(map[uuid.UUID]*Ticket, len(list))
	for i := range list {
		sold[list[i].ID] = &list[i]
	}
	for _, c := range calls {
		if t := sold[c.Argument]; t != nil {
			c.Result = soldTicket{ticket: t, buyer: buyers[t.CustomerID]}
		} else {
			c.Result.ticket, c.Err = s.loadArchived(ctx, c.Argument)
		}
	}
	return nil
}

// buyersOf returns the contacts of the buyers of tickets by the ids of the customers.
func (s *Service) buyersOf(ctx context.Context, list []Ticket) (map[uuid.UUID]customers.Contact, error) {
	var ids []uuid.UUID
	for i := range list {
		if list[i].CustomerID != uuid.Nil {
			ids = append(ids, list[i].CustomerID)
		}
	}
	return customers.ContactsOf(ctx, s.PG.Commits, ids)
}

// storePictures sets image_url and queues the messages of uploaded pictures. It locks the tickets: a cancellation that
// committed before is seen here, and one that commits later has its own task, which uploads later. A picture whose ticket
// another transaction has locked is stored again alone: a shared run waits for no ticket, so it takes part in no deadlock
// and holds up no others.
func (s *Service) storePictures(ctx context.Context, calls []*pictureCall) error {
	return pgx.BeginFunc(ctx, s.PG.Commits, func(tx pgx.Tx) error {
		ids := make([]uuid.UUID, len(calls))
		for i, c := range calls {
			ids[i] = c.Argument.ticket.ID
		}
		wait := groupcommit.MayWait(calls)
		locked, err := tickets.LockTx(ctx, tx, ids, !wait)
		if err != nil {
			return err
		}
		contacts, err := contactsTx(ctx, tx, calls)
		if err != nil {
			return err
		}
		var stored []*picture
		for _, c := range calls {
			status, ok := locked[c.Argument.ticket.ID]
			switch {
			case !ok && !wait:
				c.Again = true
			case !ok:
				c.Err = tickets.ErrNotFound
			case c.Argument.outdated(status, contacts):
				c.Err = errOutdated
			default:
				stored = append(stored, c.Argument)
			}
		}
		return s.storePicturesTx(ctx, tx, stored)
	})
}

// contactsTx reads the contacts of the buyers of messages as they are after the upload.
func contactsTx(ctx context.Context, tx pgx.Tx, calls []*pictureCall) (map[uuid.UUID]customers.Contact, error) {
	var buyers []uuid.UUID
	for _, c := range calls {
		if c.Argument.message != nil {
			buyers = append(buyers, c.Argument.ticket.CustomerID)
		}
	}
	return customers.ContactsOf(ctx, tx, buyers)
}

// outdated reports whether the ticket was cancelled, or its buyer deleted or given another telephone, since the picture
// was drawn.
func (p *picture) outdated(status string, contacts map[uuid.UUID]customers.Contact) bool {
	return status == models.TicketCancelled && !p.ticket.cancelled() ||
		p.message != nil && contacts[p.ticket.CustomerID].Phone != p.message.Recipient
}

// storePicturesTx sets image_url of locked tickets and queues their messages.
func (s *Service) storePicturesTx(ctx context.Context, tx pgx.Tx, list []*picture) error {
	if len(list) == 0 {
		return nil
	}
	pictures := make([]tickets.Picture, len(list))
	var messages []*messaging.Outgoing
	for i, p := range list {
		pictures[i] = tickets.Picture{ID: p.ticket.ID, Address: p.address}
		if p.payment {
			if err := enqueuePaymentRequestTx(ctx, tx, p.ticket); err != nil {
				return err
			}
		}
		if p.message == nil {
			continue
		}
		if p.ticket.cancelled() { // a buyer without a receipt is told nothing of one
			if left, err := s.Messages.WithdrawReceiptTx(ctx, tx, p.ticket.ID); err != nil {
				return err
			} else if !left {
				continue
			}
		}
		messages = append(messages, p.message)
	}
	if err := tickets.PicturesTx(ctx, tx, pictures); err != nil {
		return err
	}
	_, err := s.Messages.QueueTx(ctx, tx, messages...)
	return err
}
