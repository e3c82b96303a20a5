package models

import (
	"time"

	"github.com/google/uuid"
)

// Statuses of a ticket.
const (
	TicketPending   = "pending"
	TicketWon       = "won"
	TicketLost      = "lost"
	TicketCancelled = "cancelled"
	TicketPaid      = "paid"
)

// Metrics of a risk limit.
const (
	MetricStake     = "stake"
	MetricLiability = "liability"
)

// Ticket is a row of tickets.
type Ticket struct {
	ID               uuid.UUID `gorm:"primaryKey"`
	SerialCode       string
	ValidationCode   string
	EntityID         uuid.UUID
	PathID           int32 // of the seller in entity_paths when it sold the ticket
	UserID           uuid.UUID
	WalletID         uuid.UUID
	CurrencyID       uuid.UUID
	CustomerID       *uuid.UUID
	Status           string
	Total            int64
	PotentialPrize   int64
	WantsPaymentInfo bool
	ImageURL         *string
	CancelBefore     time.Time
	ExpiresAt        time.Time
	CancelledAt      *time.Time
	CancelledBy      *uuid.UUID
	Prize            int64 // of the lines that won, once all are decided
	SettledAt        *time.Time
	ExpiredAt        *time.Time // when an unpaid prize was written off
	Refunded         int64      // stakes of suspended draws given back, in Refunds refunds
	Refunds          int16
	CreatedAt        time.Time
}

// TicketItem is a row of ticket_items: one line of a ticket with the rules it was sold under.
type TicketItem struct {
	TicketID        uuid.UUID `gorm:"primaryKey"`
	LineNo          int       `gorm:"primaryKey"`
	DrawID          uuid.UUID
	GameID          uuid.UUID
	BetType         string
	Selection       string
	Amount          int64
	Payout          int64
	PotentialPrize  int64
	RuleVersion     int
	CommissionRates []int32 `gorm:"-"`
}

// RiskLimit is a row of risk_limits.
type RiskLimit struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	EntityID   uuid.UUID
	CurrencyID uuid.UUID
	CategoryID *uuid.UUID
	GameID     *uuid.UUID
	DrawID     *uuid.UUID
	Element    *string
	BetType    *string
	Metric     string
	Base       int64
	PctBps     int32
	Reason     string
	CreatedBy  *uuid.UUID
	SetBy      *uuid.UUID // the entity whose user set it; nil for the operator
	CreatedAt  time.Time
	UpdatedAt  time.Time
}
