package bank

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"banca/internal/customers"
	"banca/internal/platform/caller"
	"banca/internal/platform/iddoc"
	"banca/models"
	"banca/storage"
)

// CustomerPayment is a payment request with the payment that closed it, nil while it is not paid.
type CustomerPayment struct {
	Request Request
	Payment *Payment
}

// CustomerPayments returns a page of the payment requests of a customer in the caller's scope, newest first, and the
// number of all: requests for its tickets, and requests of its entity for its identity documents.
func (s *Service) CustomerPayments(
	ctx context.Context, by caller.Caller, g *customers.Group, limit, offset int,
) ([]CustomerPayment, int64, error) {
	numbers := make([]string, 0, len(g.Documents))
	for _, document := range g.Documents {
		if id, err := iddoc.Parse(document); err == nil {
			numbers = append(numbers, id.Number)
		}
	}
	q := s.PG.Gorm.WithContext(ctx).Model(&models.PaymentRequest{}).
		Where("entity_id = ? AND entity_id IN (SELECT id FROM entities WHERE path LIKE ?)", g.EntityID, by.Scope.Pattern()).
		Where(`id IN (SELECT r.id FROM tickets t JOIN payment_requests r ON r.ticket_id = t.id WHERE t.customer_id IN ?
			UNION SELECT id FROM payment_requests WHERE entity_id = ? AND client_number IN ?)`, g.IDs, g.EntityID, numbers)
	rows, total, err := storage.Find[models.PaymentRequest](q, "id DESC", limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list payments of customer: %w", err)
	}
	paid, err := s.paymentsOf(ctx, rows)
	if err != nil {
		return nil, 0, err
	}
	list := make([]CustomerPayment, len(rows))
	for i := range rows {
		r, err := s.requestOf(ctx, &rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = CustomerPayment{Request: *r, Payment: paid[r.PaymentID]}
	}
	return list, total, nil
}

// paymentsOf returns the payments of paid requests by their ids.
func (s *Service) paymentsOf(ctx context.Context, requests []models.PaymentRequest) (map[uuid.UUID]*Payment, error) {
	ids := make([]uuid.UUID, 0, len(requests))
	for i := range requests {
		if id := requests[i].PaymentID; id != nil {
			ids = append(ids, *id)
		}
	}
	var rows []models.BankPayment
	if err := s.PG.Gorm.WithContext(ctx).Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("payments of requests: %w", err)
	}
	paid := make(map[uuid.UUID]*Payment, len(rows))
	for i := range rows {
		p, err := s.paymentOf(ctx, &rows[i])
		if err != nil {
			return nil, err
		}
		paid[p.ID] = p
	}
	return paid, nil
}
