package bank

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/platform/caller"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// RequestFilter selects payment requests; zero fields select all.
type RequestFilter struct {
	EntityID uuid.UUID
	Status   string
	Origin   string
	ClientID string
	Limit    int
	Offset   int
}

// Requests returns a page of the requests in the caller's scope, newest first, and the number of all.
func (s *Service) Requests(ctx context.Context, by caller.Caller, f *RequestFilter) ([]Request, int64, error) {
	within, err := s.Org.Within(ctx, by)
	if err != nil {
		return nil, 0, err
	}
	q := s.PG.Gorm.WithContext(ctx).Model(&models.PaymentRequest{}).Where(within.SQL("entity_id", "", "?"), within.Value())
	if f.EntityID != uuid.Nil {
		q = q.Where("entity_id = ?", f.EntityID)
	}
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Origin != "" {
		q = q.Where("origin = ?", f.Origin)
	}
	if f.ClientID != "" {
		id, err := iddoc.Parse(f.ClientID)
		if err != nil {
			return nil, 0, nil //nolint:nilerr // no client has such a document
		}
		q = q.Where("client_number = ?", id.Number)
	}
	rows, total, err := storage.FindKeyed[models.PaymentRequest](q, "id DESC", storage.Page{Limit: f.Limit, Offset: f.Offset})
	if err != nil {
		return nil, 0, fmt.Errorf("list payment requests: %w", err)
	}
	list := make([]Request, len(rows))
	for i := range rows {
		r, err := s.requestOf(ctx, &rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = *r
	}
	return list, total, nil
}

// Request returns one request in the caller's scope. Errors: ErrRequestNotFound.
func (s *Service) Request(ctx context.Context, by caller.Caller, id uuid.UUID) (*Request, error) {
	row, err := s.loadRequest(ctx, by, id)
	if err != nil {
		return nil, err
	}
	return s.requestOf(ctx, row)
}

// NamedRequest is Request with the names of its banks.
func (s *Service) NamedRequest(ctx context.Context, by caller.Caller, id uuid.UUID) (*Request, error) {
	name, err := s.BankNames(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.Request(ctx, by, id)
	if err == nil {
		r.BankName, r.PayToBank = name(r.Bank), name(r.PayTo.Bank)
	}
	return r, err
}

func (s *Service) loadRequest(ctx context.Context, by caller.Caller, id uuid.UUID) (*models.PaymentRequest, error) {
	var row models.PaymentRequest
	err := s.PG.Gorm.WithContext(ctx).Where("id = ? AND entity_id IN (SELECT id FROM entities WHERE path LIKE ?)", id, by.Scope.Pattern()).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrRequestNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load payment request: %w", err)
	}
	return &row, nil
}

func (s *Service) requestOf(ctx context.Context, row *models.PaymentRequest) (*Request, error) {
	currency, err := s.Ledger.AnyCurrency(ctx, row.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	chain, err := s.Org.Chain(ctx, row.EntityID)
	if err != nil {
		return nil, err
	}
	r := &Request{
		ID: row.ID, Origin: row.Origin, EntityID: row.EntityID, WalletID: row.WalletID, Currency: currency,
		ClientID: row.ClientLetter + row.ClientNumber, Amount: money.Amount(row.Amount), Status: row.Status,
		ExpiresAt: row.ExpiresAt.UTC(), Note: row.Note, CreatedAt: row.CreatedAt.UTC(),
		TicketID: models.Value(row.TicketID), PaymentID: models.Value(row.PaymentID), ClientPhone: models.Value(row.ClientPhone), Reference: models.Value(row.Reference),
		Bank: models.Value(row.BankCode), HeldUntil: models.Value(row.HeldUntil).UTC(), ClosedAt: models.Value(row.ClosedAt).UTC(),
	}
	r.PayTo, _ = chain.MobilePayment()
	return r, nil
}
