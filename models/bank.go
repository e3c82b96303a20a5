package models

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
)

// Statuses of a bank. A retired one issues no more payments.
const (
	BankActive  = "active"
	BankRetired = "retired"
)

// Where a payment request comes from: a ticket, an entity's own top-up, a person, or the bank's query.
const (
	OriginTicket = "ticket"
	OriginTopUp  = "top_up"
	OriginManual = "manual"
	OriginQuery  = "query"
)

// Statuses of a payment request.
const (
	RequestOpen      = "open"
	RequestPaid      = "paid"
	RequestCancelled = "cancelled"
	RequestExpired   = "expired"
)

// States of a payment that the bank notified.
const (
	PaymentCredited  = "credited"  // to the wallet of the request that fitted
	PaymentUnmatched = "unmatched" // answered false; waits to be assigned or refunded
	PaymentConflict  = "conflict"  // as unmatched; its key was known with another amount
	PaymentSuspense  = "suspense"  // answered true, booked to the suspense wallet; waits as unmatched
	PaymentAssigned  = "assigned"  // booked to a wallet by an operator
	PaymentRefunded  = "refunded"  // given back
)

// Bank is a row of banks.
type Bank struct {
	Code      string `gorm:"primaryKey"`
	Name      string
	Status    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NetworkCode is a row of network_codes. Approved follows from Code.
type NetworkCode struct {
	Code      string `gorm:"primaryKey"`
	Meaning   string
	Approved  bool `gorm:"->"`
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PaymentRequest is a row of payment_requests.
type PaymentRequest struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	Origin       string
	EntityID     uuid.UUID
	WalletID     uuid.UUID
	CurrencyID   uuid.UUID
	TicketID     *uuid.UUID
	ClientLetter string
	ClientNumber string
	ClientPhone  *string
	Amount       int64
	Reference    *string
	BankCode     *string
	Status       string
	HeldUntil    *time.Time
	QueryEventID *uuid.UUID
	PaymentID    *uuid.UUID
	ExpiresAt    time.Time
	ClosedAt     *time.Time
	CreatedBy    *uuid.UUID
	Note         string
	CreatedAt    time.Time
}

// BankPayment is a row of bank_payments.
type BankPayment struct {
	ID            uuid.UUID `gorm:"primaryKey"`
	BankCode      string
	Reference     string
	LocalDate     businessday.Day `gorm:"type:date"`
	Amount        int64
	CurrencyID    uuid.UUID
	SenderPhone   *string
	MerchantPhone *string
	Concept       *string
	PaidAt        *time.Time
	State         string
	Reason        string
	Answer        bool
	ConflictOf    *uuid.UUID
	RequestID     *uuid.UUID
	EntityID      *uuid.UUID
	WalletID      *uuid.UUID
	TransactionID *uuid.UUID
	EventID       uuid.UUID
	ResolvedBy    *uuid.UUID
	ResolvedAt    *time.Time
	Note          string
	ReceivedAt    time.Time
}

// BankEvent is a row of bank_events: one call to the bank's webhooks, by the bank or by a pretender.
type BankEvent struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	Phase        string
	Address      string
	Outcome      string
	Status       int
	Answer       bool
	Checks       []byte `gorm:"type:jsonb"`
	Raw          []byte
	Fields       []byte `gorm:"type:jsonb"`
	Reference    *string
	BankCode     *string
	Phone        *string
	Amount       *int64
	PaymentID    *uuid.UUID
	RequestID    *uuid.UUID
	TokenSlot    string
	HTTPID       string `gorm:"column:http_id"`
	DurationUs   int64
	Repeats      int
	LastRepeatAt *time.Time
	ReceivedAt   time.Time
}

// SecurityAlert is a row of security_alerts.
type SecurityAlert struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	Kind           string
	Address        string
	SubjectID      *uuid.UUID
	Hour           time.Time
	Count          int64
	FirstSeenAt    time.Time
	LastSeenAt     time.Time
	AcknowledgedBy *uuid.UUID
	AcknowledgedAt *time.Time
}

// BankStatement is a row of bank_statements.
type BankStatement struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	Digest     []byte
	FromDate   businessday.Day `gorm:"type:date"`
	ToDate     businessday.Day `gorm:"type:date"`
	Lines      int
	Skipped    int
	ImportedBy uuid.UUID
	CreatedAt  time.Time
}
