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
	"time"
)

// A form that needs a confirmation is sent back to the browser as one encrypted field of the confirmation page, because
// it may hold a password. Every process can decrypt it, and the server stores nothing.

const (
	sealedField = "confirm_form"
	sealedLife  = 15 * time.Minute // later, the form must be filled in again
)

// errSealedForm means that a sealed form is of another session or address, expired or altered.
var errSealedForm = errors.New("web: the waiting form cannot be opened")

// sealedForm is the content of a sealed form.
type sealedForm struct {
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
func sealForm(r *Request) (string, error) {
	text, err := json.Marshal(sealedForm{
		Until: r.site.Clock.Now().Add(sealedLife), Fields: sentFields(r, passwordField, codeField, sendField, sealedField),
	})
	if err != nil {
		return "", fmt.Errorf("seal form: %w", err)
	}
	sealed := r.site.forms.Seal(nil, nil, text, formContext(r)) //nolint:gosec // the cipher makes a random nonce for each form
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// openForm decrypts the sealed form, if there is one, and adds its fields to the form. Errors: errSealedForm.
func openForm(r *Request) error {
	sealed := r.Form(sealedField)
	if sealed == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return errSealedForm
	}
	text, err := r.site.forms.Open(nil, nil, raw, formContext(r))
	if err != nil {
		return errSealedForm
	}
	var form sealedForm
	if err := json.Unmarshal(text, &form); err != nil || r.site.Clock.Now().After(form.Until) {
		return errSealedForm
	}
	sent := r.FormValues()
	delete(sent, sealedField)
	maps.Copy(sent, form.Fields)
	return nil
}

// formContext returns the additional authenticated data that binds a sealed form to its session and address.
func formContext(r *Request) []byte {
	session := r.Caller.SessionID
	return append(session[:], r.URL().RequestURI()...)
}
