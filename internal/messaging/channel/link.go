package channel

import "time"

// State is the state of an account at its provider.
type State string

// The states of an account. Messages are delivered in open only.
const (
	Disconnected    State = "disconnected"
	Connecting      State = "connecting"
	ShowsQR         State = "qr"               // Link.QR is to be scanned
	PasskeyRequired State = "passkey_required" // the telephone asks for a passkey, which a server cannot give
	Open            State = "open"
	Banned          State = "banned"
	LicenseRequired State = "license_required" // the gateway wants a licence before it does anything
)

// Link is the state of an account, with its QR code or pairing code while it is unlinked.
type Link struct {
	State     State
	QR        []byte    // a PNG, in the state qr; a webhook may bring none, then State fetches it
	Code      string    // to be typed into the telephone instead of scanning; empty where there is none
	Phone     string    // E.164, of the linked telephone; empty when unknown
	Reason    string    // the provider's, cleaned
	ExpiresAt time.Time // of QR and Code; zero when unknown
}
