package bank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

const (
	maxSimilar = 20            // requests that are compared with a payment, the newest
	nearTime   = 2 * time.Hour // how long before a payment its customer may have announced it
)

// Parts of a payment and of a request that can be equal.
const (
	FitsAmount     = "amount"
	FitsPhone      = "phone"
	FitsIDDocument = "id_document"
	FitsReference  = "reference"
	FitsBank       = "bank"
	FitsTime       = "time"
)

// SimilarRequest is an open request of the amount of a payment, with the parts of both that are equal.
type SimilarRequest struct {
	Request

	Fits []string
}

// Similar returns open requests of the amount of a payment, those with the most equal parts first, and of equal ones
// the latest before the payment.
func (s *Service) Similar(ctx context.Context, by caller.Caller, p *Payment) ([]SimilarRequest, error) {
	open, err := s.openRequests(ctx, by, []Payment{*p})
	return similarTo(p, open[p.Amount]), err
}

// Likely returns the request that each payment is probably for, the zero request for none: the first of its similar requests, if more than its
// amount is equal, and more than of the second one. One statement reads the requests of all payments.
func (s *Service) Likely(ctx context.Context, by caller.Caller, payments []Payment) ([]Request, error) {
	open, err := s.openRequests(ctx, by, payments)
	likely := make([]Request, len(payments))
	for i := range payments {
		list := similarTo(&payments[i], open[payments[i].Amount])
		if len(list) > 0 && len(list[0].Fits) > 1 && (len(list) == 1 || len(list[0].Fits) > len(list[1].Fits)) {
			likely[i] = list[0].Request
		}
	}
	return likely, err
}

// openRequests returns the newest open requests in the caller's scope by their amounts, for the amounts of payments.
func (s *Service) openRequests(ctx context.Context, by caller.Caller, payments []Payment) (map[money.Amount][]Request, error) {
	within, err := s.Org.Within(ctx, by)
	if err != nil || len(payments) == 0 {
		return nil, err
	}
	amounts := make([]money.Amount, len(payments))
	for i := range payments {
		amounts[i] = payments[i].Amount
	}
	numbered := s.PG.Gorm.Model(&models.PaymentRequest{}).Select("*, row_number() OVER (PARTITION BY amount ORDER BY id DESC) AS number").
		Where(within.SQL("entity_id", "", "?"), within.Value()).Where("status = ? AND amount IN ?", models.RequestOpen, amounts)
	var rows []models.PaymentRequest
	err = s.PG.Gorm.WithContext(ctx).Table("(?) AS numbered", numbered).Where("number <= ?", maxSimilar).Order("id DESC").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("open payment requests: %w", err)
	}
	open := map[money.Amount][]Request{}
	for i := range rows {
		r, err := s.requestOf(ctx, &rows[i])
		if err != nil {
			return nil, err
		}
		open[r.Amount] = append(open[r.Amount], *r)
	}
	return open, nil
}

func similarTo(p *Payment, requests []Request) []SimilarRequest {
	at := p.ReceivedAt
	if !p.PaidAt.IsZero() {
		at = p.PaidAt
	}
	list := make([]SimilarRequest, len(requests))
	for i := range requests {
		list[i] = SimilarRequest{requests[i], equalParts(p, &requests[i], at)}
	}
	slices.SortStableFunc(list, func(a, b SimilarRequest) int {
		return cmp.Or(len(b.Fits)-len(a.Fits), cmp.Compare(at.Sub(a.CreatedAt).Abs(), at.Sub(b.CreatedAt).Abs()))
	})
	return list
}

// equalParts returns the parts of a payment of the instant at and of a request of its amount that are equal.
func equalParts(p *Payment, q *Request, at time.Time) []string {
	parts := []string{FitsAmount}
	for _, part := range []struct {
		name string
		fits bool
	}{
		{FitsPhone, q.ClientPhone != "" && q.ClientPhone == p.SenderPhone},
		{FitsIDDocument, len(q.ClientID) > 1 && strings.Contains(p.Concept, q.ClientID[1:])},
		{FitsReference, q.Reference != "" && strings.HasSuffix(p.Reference, q.Reference)},
		{FitsBank, q.Bank != "" && q.Bank == p.Bank},
		{FitsTime, !q.CreatedAt.After(at) && at.Sub(q.CreatedAt) <= nearTime},
	} {
		if part.fits {
			parts = append(parts, part.name)
		}
	}
	return parts
}
