package channel

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Driver speaks to one sort of provider. It is safe for concurrent use and keeps nothing about channels.
type Driver interface {
	// Name is permanent: connections and messages keep it.
	Name() string
	// Parameters describe what a channel of this driver is configured by.
	Parameters() []Parameter
	// Send makes exactly one attempt within ctx. Errors are *Error, and of kind unknown_outcome whenever the provider
	// may have accepted the message.
	Send(ctx context.Context, c Channel, m Message) (Receipt, error)
	// State asks the provider for the state of the account and changes nothing. A provider that answers something
	// else than a state gives an *Error; a missing account is disconnected.
	State(ctx context.Context, c Channel) (Link, error)
}

// Linker is a driver whose accounts are linked to a telephone. Every method may be repeated.
type Linker interface {
	// Connect creates the account at the provider when it is missing, registers webhookURL with the channel's
	// ParamWebhookSecret, and begins to link it. It leaves an account that is open alone, but for its webhook.
	Connect(ctx context.Context, c Channel, webhookURL string) (Link, error)
	// Logout unlinks the telephone. An account that is missing or not linked is no error.
	Logout(ctx context.Context, c Channel) error
	// Delete removes the account at the provider. A missing account is no error.
	Delete(ctx context.Context, c Channel) error
}

// WebhookReceiver is a driver whose provider reports afterwards.
type WebhookReceiver interface {
	// Challenge answers the GET by which a provider verifies the address of a webhook, with the text to write and status
	// 200; ok is false for any other GET, which is answered 403.
	Challenge(c Channel, query url.Values) (answer string, ok bool)
	// Receive verifies and parses a webhook. Errors: ErrSignature, and ErrWebhook for a verified body that is not
	// of the provider's form. Events without meaning here give an empty report.
	Receive(c Channel, header http.Header, body []byte, now time.Time) (Report, error)
}

// ByName returns drivers by their names.
func ByName(drivers ...Driver) map[string]Driver {
	result := make(map[string]Driver, len(drivers))
	for _, d := range drivers {
		result[d.Name()] = d
	}
	return result
}
