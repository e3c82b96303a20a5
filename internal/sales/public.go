package sales

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"banca/internal/tickets"
	"banca/models"
)

// Public is a ticket as whoever holds it may see it: a page shows neither amounts nor codes nor people of it.
type Public struct {
	Ticket *Ticket // read alone
	House  string  // the name above receipts
	Logo   []byte  // a PNG, above receipts, too; nil for none
	Point  string  // where it was sold, with its contact as entered
	Phone  string
	Place  string
}

// PublicOf returns a ticket by its serial code, for its page. Errors: tickets.ErrNotFound.
func (s *Service) PublicOf(ctx context.Context, serial string) (*Public, error) {
	t, err := s.bySerial(ctx, serial)
	if err != nil {
		return nil, err
	}
	if err := s.addOutcome(ctx, t); err != nil {
		return nil, err
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return nil, err
	}
	point, printing := chain.Self(), chain.Printing()
	return &Public{
		Ticket: t, House: printing.Title, Logo: s.logo(ctx, &printing).PNG(), Point: point.Name, Phone: point.Phone, Place: point.Address,
	}, nil
}

// bySerial reads one ticket in any scope, in the tables or in the archive. Errors: tickets.ErrNotFound.
func (s *Service) bySerial(ctx context.Context, serial string) (*Ticket, error) {
	if !ValidSerial(serial) {
		return nil, tickets.ErrNotFound
	}
	var ids []uuid.UUID
	if err := s.PG.Gorm.WithContext(ctx).Model(&models.Ticket{}).Where("serial_code = ?", serial).Limit(1).Pluck("id", &ids).Error; err != nil {
		return nil, fmt.Errorf("ticket by serial code: %w", err)
	}
	if len(ids) == 0 {
		return s.findArchived(ctx, serial)
	}
	list, err := s.ticketsByID(ctx, s.PG.Pool, ids)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 { // archived in between
		return s.findArchived(ctx, serial)
	}
	return &list[0], nil
}
