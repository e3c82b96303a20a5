package channel

import "github.com/google/uuid"

// Message is delivered by a driver: a text, or a picture with the text as its caption.
type Message struct {
	ID        uuid.UUID // of the message; providers that have a field for it get Key, so that a late status names the delivery
	Delivery  int       // from 1; another one after a certain failure, the same after an unknown outcome
	Recipient string    // E.164
	Body      string
	ImageURL  string // empty for a text; the provider fetches it
	// TextAlone says that the text has all that the picture has: where an account cannot send pictures it is sent alone, and a template has no header.
	TextAlone bool
	Template  *Template // sent instead of Body by providers that have templates; others ignore it
}

// Template names a text that the provider has approved. It may be sent at any time, where a free text is refused
// outside of a conversation.
type Template struct {
	Name     string
	Language string   // as the provider writes it, such as es or en_US
	Body     []string // values of {{1}}, {{2}} ... of its body
	Button   string   // value of its first button, as templates of one-time codes need; empty for none
}

// Receipt proves that a provider accepted a message.
type Receipt struct{ ProviderID string }
