package bank

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"banca/internal/platform/caller"
	"banca/models"
)

const (
	maxSimilar = 20            // requests that are compared with a payment
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
	open, _, err := s.Requests(ctx, by, &RequestFilter{Status: models.RequestOpen, Amount: p.Amount, Limit: maxSimilar})
	return similarTo(p, open), err
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
