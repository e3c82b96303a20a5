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

// A form that needs a confirmation, or whose session has ended, is sent back to the browser as one encrypted field, because it may hold a
// password. Every process can decrypt it, and the server stores nothing.

const (
	sealedField = "confirm_form"
	sealedLife  = 15 * time.Minute // later, the form must be filled in again
)

// errSealedForm means that a sealed form is of another session or address, expired or altered.
var errSealedForm = errors.New("web: the waiting form cannot be opened")

// sealedForm is the content of a sealed form.
type sealedForm struct {
	Until  time.Time
	Action string // where it was sent
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

// sealForm seals the form that was sent, without the fields of the confirmation. owner is what it is bound to: a session, or a browser.
func (r *Request) sealForm(owner []byte) (string, error) {
	fields := url.Values{}
	for name, values := range r.FormValues() {
		if !slices.Contains([]string{TokenField, passwordField, codeField, sendField, sealedField}, name) {
			fields[name] = values
		}
	}
	return r.site.seal(&sealedForm{Action: r.URL().RequestURI(), Fields: fields}, owner)
}

// seal encrypts a form that waits.
func (s *Site) seal(form *sealedForm, owner []byte) (string, error) {
	form.Until = s.Clock.Now().Add(sealedLife)
	text, err := json.Marshal(form)
	if err != nil {
		return "", fmt.Errorf("seal form: %w", err)
	}
	sealed := s.forms.Seal(nil, nil, text, owner) //nolint:gosec // the cipher makes a random nonce for each form
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// unseal decrypts a form that waits. Errors: errSealedForm.
func (s *Site) unseal(sealed string, owner []byte) (*sealedForm, error) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return nil, errSealedForm
	}
	text, err := s.forms.Open(nil, nil, raw, owner)
	if err != nil {
		return nil, errSealedForm
	}
	var form sealedForm
	if err := json.Unmarshal(text, &form); err != nil || s.Clock.Now().After(form.Until) {
		return nil, errSealedForm
	}
	return &form, nil
}

// openForm decrypts the sealed form, if there is one, and adds its fields to the form. Errors: errSealedForm.
func (r *Request) openForm() error {
	sealed := r.Form(sealedField)
	if sealed == "" {
		return nil
	}
	form, err := r.site.unseal(sealed, r.sessionOwner())
	if err != nil || form.Action != r.URL().RequestURI() {
		return errSealedForm
	}
	sent := r.FormValues()
	delete(sent, sealedField)
	maps.Copy(sent, form.Fields)
	return nil
}

// sessionOwner binds a sealed form to the session.
func (r *Request) sessionOwner() []byte { return r.Caller.SessionID[:] }

// browserOwner binds a sealed form to the browser, for the login that follows.
func (r *Request) browserOwner() []byte { return []byte("browser " + r.browser) }
