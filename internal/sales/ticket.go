package sales

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/models"
)

// SellRequest is a sale as asked for.
type SellRequest struct {
	EntityID         uuid.UUID // the seller
	Currency         string    // id or code
	CustomerID       uuid.UUID // Nil when none
	Customer         *NewCustomer
	WantsPaymentInfo bool
	AcceptPartial    bool
	Items            []Item
	Payments         []PaymentItem // none is exact cash in Currency
	Change           []ChangeItem
	IdempotencyKey   string
}

// NewCustomer is the buyer of a ticket: the seller's customer with this telephone, created with the sale if it does
// not exist. A document replaces the customer's earlier one.
type NewCustomer struct {
	Name       string
	Phone      string
	IDDocument string // "" if not given
}

// Item is one line as asked for.
type Item struct {
	DrawID    string
	BetType   string
	Selection []string
	Amount    string // decimal in the sale's currency
}

// Ticket is a sold ticket with its lines.
type Ticket struct {
	ID               uuid.UUID
	SerialCode       string
	ValidationCode   string
	EntityID         uuid.UUID
	UserID           uuid.UUID
	Currency         ledger.Currency
	CustomerID       uuid.UUID // Nil when none
	Status           string
	Total            money.Amount
	PotentialPrize   money.Amount
	WantsPaymentInfo bool
	ImageURL         string
	CancelBefore     time.Time
	ExpiresAt        time.Time
	CancelledAt      time.Time
	CreatedAt        time.Time
	Prize            money.Amount // due by the results, once they decide the whole ticket
	SoldBy           string       // name of the user; "" unless the ticket was read alone
	Lines            []Line
	Payments         []Payment // none is exact cash; not in lists
}

func (t *Ticket) cancelled() bool { return t.Status == models.TicketCancelled }

// Line is a sold line, with the names that answers show.
type Line struct {
	DrawID         uuid.UUID
	DrawNumber     string
	DrawTime       time.Time
	GameID         uuid.UUID
	GameName       string
	GameCode       string
	BetType        string
	Selection      string // canonical codes joined by commas
	Name           string
	Amount         money.Amount
	Payout         money.Payout
	PotentialPrize money.Amount
	Number         int          // of the line in its ticket, from 0
	Result         string       // the verified result of its draw with the name of its value; "" unless the ticket was read alone
	Prize          money.Amount // that it has won; 0 unless the ticket was read alone
}

// Cut is a line that a sale with accept_partial sold for less than the requested stake, or not at all.
type Cut struct {
	Item      int // position in the request
	Requested money.Amount
	Accepted  money.Amount
	Level     string // entity type of the limit that caused the cut
	Limit     money.Amount
	Sold      money.Amount
}

// Sold is the answer to a sale.
type Sold struct {
	Ticket   Ticket
	Cuts     []Cut
	Replayed bool // the answer to an earlier request with the same key
}
