package channel

import (
	"time"

	"github.com/google/uuid"

	"banca/models"
)

// Report is what one call of a webhook says.
type Report struct {
	Statuses []Status
	Link     *Link // nil when it says nothing of the account
	Inbound  []Inbound
}

// Empty reports whether a webhook said nothing that matters here.
func (r Report) Empty() bool { return len(r.Statuses) == 0 && r.Link == nil && len(r.Inbound) == 0 }

// Statuses of a message that a provider reports. They may be doubled and out of order.
const (
	StatusSent      = models.MessageSent
	StatusDelivered = models.MessageDelivered
	StatusRead      = models.MessageRead
	StatusFailed    = models.MessageFailed // also after sent
)

// Status is what happened to a message.
type Status struct {
	ProviderID string    // Receipt.ProviderID
	MessageID  uuid.UUID // Message.ID, where the provider sends Message.Key back; else zero
	Delivery   int       // Message.Delivery, with MessageID
	Status     string
	At         time.Time // by the provider's clock; zero when it gave none
	Error      *Error    // of StatusFailed; never nil then
}

// Inbound is a text that a customer wrote to the account.
type Inbound struct {
	ID   string // the provider's; the same when a webhook is repeated
	From string // E.164; empty where the provider hides the telephone
	Text string // bounded, valid text
	At   time.Time
}
