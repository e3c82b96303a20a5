package models

import (
	"time"

	"github.com/google/uuid"
)

// Types of transaction, exactly these five; a reversal has the type of the reversed one and names it.
const (
	TransactionSale       = "sale"
	TransactionPrize      = "prize"
	TransactionCommission = "commission"
	TransactionDeposit    = "deposit"
	TransactionWithdrawal = "withdrawal"
)

// Kinds of wallet: main holds an entity's money with the operator; external is the counterpart of money that enters
// or leaves the system; suspense holds deposits without a known owner.
const (
	WalletMain     = "main"
	WalletExternal = "external"
	WalletSuspense = "suspense"
)

// Wallet is a row of wallets. Balance lacks the pending postings; the view wallet_balances has the exact balance.
type Wallet struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	EntityID    uuid.UUID
	CurrencyID  uuid.UUID
	Kind        string
	Balance     int64
	CreditLimit int64
	Unlimited   bool
	Status      string
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Transaction is a row of transactions.
type Transaction struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	Type       string
	EntityID   uuid.UUID
	CurrencyID uuid.UUID
	Amount     int64
	TicketID   *uuid.UUID
	ReversesID *uuid.UUID
	UserID     *uuid.UUID
	Reference  string
	CreatedAt  time.Time
}

// Posting is a row of postings: a signed amount on one wallet.
type Posting struct {
	TransactionID uuid.UUID `gorm:"primaryKey"`
	WalletID      uuid.UUID `gorm:"primaryKey"`
	Amount        int64
	Direct        bool
	CreatedAt     time.Time // of the transaction
}
