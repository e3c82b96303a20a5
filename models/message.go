package models

import (
	"time"

	"github.com/google/uuid"
)

// Statuses of a message. Unknown means that its delivery is uncertain.
const (
	MessageQueued    = "queued"
	MessageSending   = "sending"
	MessageSent      = "sent"
	MessageDelivered = "delivered"
	MessageRead      = "read"
	MessageFailed    = "failed"
	MessageUnknown   = "unknown"
)

// Kinds of message. A ticket has at most one receipt. The text of a one-time code is stored nowhere.
const (
	MessageReceipt          = "receipt"
	MessageCancellation     = "cancellation"
	MessagePrize            = "prize"
	MessagePrizeCorrected   = "prize_corrected" // another prize than the one that the buyer was told
	MessagePrizeWithdrawn   = "prize_withdrawn" // no prize, although the buyer was told of one
	MessageResults          = "results"         // of a day
	MessageResultsCorrected = "results_corrected"
	MessagePayment          = "payment" // the confirmation of one
	MessageCode             = "code"
	MessageClose            = "daily_close"
	MessageSettlement       = "settlement"
	MessageOptOut           = "opt_out" // the confirmation of one
	MessageOptIn            = "opt_in"
)

// MessageLog is a row of message_logs. Recipient is a full E.164 number: personal data; NULL in the
// row and "" here after its customer was deleted.
type MessageLog struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	EntityID   uuid.UUID
	TicketID   *uuid.UUID
	Kind       string
	Driver     string
	Recipient  string
	Body       string
	ImageURL   *string
	Status     string
	ProviderID *string
	ErrorCode  *string
	ErrorText  *string
	Attempts   int
	RetryCount int
	LeaseUntil *time.Time
	QueuedAt   time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ChannelID  *uuid.UUID // of the last attempt, or that it waits for; the zero id is the configured channel
	Waiting    bool       // for its channel, which is paused
	SendAfter  *time.Time // its place among the messages of its recipient or channel
}

// MessageAttempt is a row of message_attempts. Outcome is "sent" or the error code of the attempt.
type MessageAttempt struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MessageID  uuid.UUID
	Number     int
	Driver     string
	Outcome    string
	ErrorText  string
	ProviderID *string
	DurationMs int
	CreatedAt  time.Time
}

// MessageReport is what a provider reported of a message: a row of message_reports.
type MessageReport struct {
	Status     string
	ProviderID string
	ErrorCode  string
	ErrorText  string
	ReportedAt time.Time
	CreatedAt  time.Time
}
