package kit

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"
)

// A form that waits for a confirmation is kept by the browser as one sealed field, because it may hold a password,
// which no page shows. Every process can open it, and nothing is stored.

const (
	waitingField = "confirm_form"
	waitingLife  = 15 * time.Minute // until the form has to be filled in again
)

// errWaitingForm reports that a sealed form is of another session or address, too old, or changed.
var errWaitingForm = errors.New("web: the waiting form cannot be opened")

// waitingForm is the content of a sealed form.
type waitingForm struct {
	Until  time.Time
	Fields url.Values
}

// newFormCipher returns AES-256-GCM with a random nonce for each form.
func newFormCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// sealForm seals the form that was sent, without the fields of the confirmation.
func (r *Request) sealForm() (string, error) {
	fields := url.Values{}
	for name, values := range r.Typed() {
		if !slices.Contains([]string{TokenField, passwordField, codeField, sendField, waitingField}, name) {
			fields[name] = values
		}
	}
	text, err := json.Marshal(waitingForm{Until: r.site.Clock.Now().Add(waitingLife), Fields: fields})
	if err != nil {
		return "", fmt.Errorf("seal form: %w", err)
	}
	sealed := r.site.forms.Seal(nil, nil, text, r.formPlace()) //nolint:gosec // the cipher makes a random nonce for each form
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// openForm puts the fields of a sealed form in the place of those sent. Without one it does nothing. Errors: errWaitingForm.
func (r *Request) openForm() error {
	sealed := r.Form(waitingField)
	if sealed == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return errWaitingForm
	}
	text, err := r.site.forms.Open(nil, nil, raw, r.formPlace())
	if err != nil {
		return errWaitingForm
	}
	var form waitingForm
	if err := json.Unmarshal(text, &form); err != nil || r.site.Clock.Now().After(form.Until) {
		return errWaitingForm
	}
	sent := r.Typed()
	delete(sent, waitingField)
	maps.Copy(sent, form.Fields)
	return nil
}

// formPlace binds a sealed form to the session and the address it was sent to.
func (r *Request) formPlace() []byte {
	session := r.Caller.SessionID
	return append(session[:], r.URL().RequestURI()...)
}
