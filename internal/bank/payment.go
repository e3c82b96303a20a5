package bank

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// Payment is a payment notified with code 00, and its state.
type Payment struct {
	ID            uuid.UUID
	Bank          string // code
	BankName      string
	Reference     string
	Date          businessday.Day
	Currency      ledger.Currency
	Amount        money.Amount
	SenderPhone   string
	MerchantPhone string
	Concept       string
	PaidAt        time.Time // as reported by the bank; zero if not reported
	State         string
	Reason        string
	Answer        bool
	ConflictOf    uuid.UUID // the payment that has this key with another amount; Nil if none
	RequestID     uuid.UUID
	EntityID      uuid.UUID
	WalletID      uuid.UUID
	TransactionID uuid.UUID
	EventID       uuid.UUID
	ResolvedBy    uuid.UUID
	ResolvedAt    time.Time
	Note          string
	ReceivedAt    time.Time
}

// PaymentFilter selects payments; zero fields select all.
type PaymentFilter struct {
	States    []string
	Reference string
	Phone     string // E.164
	Bank      string
	From, To  businessday.Day // both included
	Limit     int
	Offset    int
}

// PaymentStates returns the states that a payment can be in.
func PaymentStates() []string {
	return []string{
		models.PaymentCredited, models.PaymentUnmatched, models.PaymentSuspense, models.PaymentConflict, models.PaymentAssigned, models.PaymentRefunded,
	}
}

// Unreconciled returns the states of payments without a request that wait for an operator.
func Unreconciled() []string { return []string{models.PaymentUnmatched, models.PaymentSuspense} }

// Conflicts returns the states of payments whose key was known with another amount.
func Conflicts() []string { return []string{models.PaymentConflict} }

// Waiting returns the states in which a payment waits for an operator.
func Waiting() []string { return append(Conflicts(), Unreconciled()...) }

// ListedStates returns the states of a list of payments: unreconciled, conflicts, or a state; nil without one.
func ListedStates(list string) []string {
	switch list {
	case "":
		return nil
	case "unreconciled":
		return Unreconciled()
	case "conflicts":
		return Conflicts()
	default:
		return []string{list}
	}
}

// Waits reports whether the payment waits for an operator.
func (p *Payment) Waits() bool { return slices.Contains(Waiting(), p.State) }

// requireOperator returns ErrOperatorOnly unless the caller belongs to the operator, which receives the bank's calls.
func requireOperator(by caller.Caller) error {
	if !by.IsOperator() {
		return ErrOperatorOnly
	}
	return nil
}

// Payments returns a page of the payments, newest first, and the number of all. Errors: ErrOperatorOnly.
func (s *Service) Payments(ctx context.Context, by caller.Caller, f *PaymentFilter) ([]Payment, int64, error) {
	if err := requireOperator(by); err != nil {
		return nil, 0, err
	}
	q := s.PG.Gorm.WithContext(ctx).Model(&models.BankPayment{})
	if len(f.States) > 0 {
		q = q.Where("state IN ?", f.States)
	}
	if f.Reference != "" {
		q = q.Where("reference = ?", f.Reference)
	}
	if f.Phone != "" {
		q = q.Where("sender_phone = ?", f.Phone)
	}
	if f.Bank != "" {
		q = q.Where("bank_code = ?", f.Bank)
	}
	if !f.From.IsZero() {
		q = q.Where("local_date >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("local_date <= ?", f.To)
	}
	rows, total, err := storage.Find[models.BankPayment](q, "received_at DESC, id", f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list payments: %w", err)
	}
	name, err := s.BankNames(ctx)
	if err != nil {
		return nil, 0, err
	}
	list := make([]Payment, len(rows))
	for i := range rows {
		p, err := s.paymentOf(ctx, &rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = *p
		list[i].BankName = name(p.Bank)
	}
	return list, total, nil
}

// Total is a number of payments and their sum.
type Total struct {
	Payments int64
	Amount   money.Amount
}

// Totals are the payments that were credited on the days of a period, and all payments that wait for an operator.
type Totals struct {
	Currency                 ledger.Currency
	Credited                 []Total // of each day
	Unreconciled, Conflicted Total
}

// Currency returns the currency of the bank's amounts.
func (s *Service) Currency(ctx context.Context) (ledger.Currency, error) {
	return s.Ledger.Currency(ctx, s.Options.Currency)
}

// Totals sums the payments of the days from first to last, by the bank's date, and the payments that wait. Errors: ErrOperatorOnly.
func (s *Service) Totals(ctx context.Context, by caller.Caller, first, last businessday.Day) (*Totals, error) {
	if err := requireOperator(by); err != nil {
		return nil, err
	}
	t := &Totals{Credited: make([]Total, first.DaysUntil(last)+1)}
	var err error
	if t.Currency, err = s.Currency(ctx); err != nil {
		return nil, err
	}
	rows, err := s.PG.Pool.Query(ctx, `SELECT local_date - $1::date, 'credited', count(*), sum(amount)::bigint
			FROM bank_payments WHERE local_date BETWEEN $1 AND $2 AND state IN ('credited', 'assigned') GROUP BY local_date
		UNION ALL SELECT 0, state, count(*), sum(amount)::bigint
			FROM bank_payments WHERE state IN ('unmatched', 'suspense', 'conflict') GROUP BY state`, first, last)
	if err != nil {
		return nil, fmt.Errorf("sum payments: %w", err)
	}
	var day int
	var state string
	var sum Total
	_, err = pgx.ForEachRow(rows, []any{&day, &state, &sum.Payments, &sum.Amount}, func() error {
		of := &t.Unreconciled
		switch state {
		case models.PaymentCredited:
			of = &t.Credited[day]
		case models.PaymentConflict:
			of = &t.Conflicted
		}
		of.Payments, of.Amount = of.Payments+sum.Payments, of.Amount+sum.Amount
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sum payments: %w", err)
	}
	return t, nil
}

// Payment returns one payment. Errors: ErrPaymentNotFound, ErrOperatorOnly.
func (s *Service) Payment(ctx context.Context, by caller.Caller, id uuid.UUID) (*Payment, error) {
	if err := requireOperator(by); err != nil {
		return nil, err
	}
	var row models.BankPayment
	err := s.PG.Gorm.WithContext(ctx).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrPaymentNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load payment: %w", err)
	}
	name, err := s.BankNames(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.paymentOf(ctx, &row)
	if err == nil {
		p.BankName = name(p.Bank)
	}
	return p, err
}

// PaymentsWith returns the newest payments with a reference; none without one. Errors: ErrOperatorOnly.
func (s *Service) PaymentsWith(ctx context.Context, by caller.Caller, reference string) ([]Payment, error) {
	const most = 5
	if reference == "" {
		return nil, nil
	}
	list, _, err := s.Payments(ctx, by, &PaymentFilter{Reference: reference, Limit: most})
	return list, err
}

// PaymentSides returns a payment, and the payment with its key and another amount, nil without one. Errors: those of Payment.
func (s *Service) PaymentSides(ctx context.Context, by caller.Caller, id uuid.UUID) (p, other *Payment, err error) {
	if p, err = s.Payment(ctx, by, id); err == nil && p.ConflictOf != uuid.Nil {
		other, err = s.Payment(ctx, by, p.ConflictOf)
	}
	return p, other, err
}

func (s *Service) paymentOf(ctx context.Context, row *models.BankPayment) (*Payment, error) {
	currency, err := s.Ledger.AnyCurrency(ctx, row.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	return paymentWith(row, currency), nil
}

// paymentWith returns the payment of a row in its currency.
func paymentWith(row *models.BankPayment, currency ledger.Currency) *Payment {
	return &Payment{
		ID: row.ID, Bank: row.BankCode, Reference: row.Reference, Date: row.LocalDate, Currency: currency, Amount: money.Amount(row.Amount),
		SenderPhone: models.Value(row.SenderPhone), MerchantPhone: models.Value(row.MerchantPhone), Concept: models.Value(row.Concept), PaidAt: models.Value(row.PaidAt).UTC(),
		State: row.State, Reason: row.Reason, Answer: row.Answer, ConflictOf: models.Value(row.ConflictOf), RequestID: models.Value(row.RequestID),
		EntityID: models.Value(row.EntityID), WalletID: models.Value(row.WalletID), TransactionID: models.Value(row.TransactionID), EventID: row.EventID,
		ResolvedBy: models.Value(row.ResolvedBy), ResolvedAt: models.Value(row.ResolvedAt).UTC(), Note: row.Note, ReceivedAt: row.ReceivedAt.UTC(),
	}
}
