package web

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

	"github.com/gin-gonic/gin"
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
func (w *Web) sealForm(c *gin.Context) (string, error) {
	fields := url.Values{}
	for name, values := range typed(c) {
		if !slices.Contains([]string{tokenField, passwordField, codeField, sendField, waitingField}, name) {
			fields[name] = values
		}
	}
	text, err := json.Marshal(waitingForm{Until: w.deps.Clock.Now().Add(waitingLife), Fields: fields})
	if err != nil {
		return "", fmt.Errorf("seal form: %w", err)
	}
	sealed := w.forms.Seal(nil, nil, text, formPlace(c)) //nolint:gosec // the cipher makes a random nonce for each form
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// openForm puts the fields of a sealed form in the place of those sent. Without one it does nothing. Errors: errWaitingForm.
func (w *Web) openForm(c *gin.Context) error {
	sealed := c.PostForm(waitingField)
	if sealed == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return errWaitingForm
	}
	text, err := w.forms.Open(nil, nil, raw, formPlace(c))
	if err != nil {
		return errWaitingForm
	}
	var form waitingForm
	if err := json.Unmarshal(text, &form); err != nil || w.deps.Clock.Now().After(form.Until) {
		return errWaitingForm
	}
	sent := typed(c)
	delete(sent, waitingField)
	maps.Copy(sent, form.Fields)
	return nil
}

// formPlace binds a sealed form to the session and the address it was sent to.
func formPlace(c *gin.Context) []byte {
	session := visitOf(c).principal.SessionID
	return append(session[:], c.Request.URL.RequestURI()...)
}
