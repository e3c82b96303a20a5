package web

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"banca/internal/apperr"
	"banca/internal/auth"
)

// Fields of the confirmation; they go no further than the guard.
const (
	passwordField = "confirm_password"
	codeField     = "confirm_code"
	sendField     = "confirm_send" // the button that has a code sent
)

// confirmPage asks for the password and carries the form that waits for it.
type confirmPage struct {
	Action string
	Sealed string // the form, see sealForm
	Codes  bool   // one can be sent
	Sent   bool   // one was asked for
}

// guard adds a sensitive action of a page: as act, for users who confirmed their password within the last minutes.
func (w *Web) guard(g *gin.RouterGroup, page, action string, do gin.HandlerFunc) {
	w.act(g, page, action, func(c *gin.Context) {
		if w.confirmed(c) {
			do(c)
		}
	})
}

// confirmed reports whether the user may do something sensitive now. Else it shows a page that asks for the password
// and sends the form again.
func (w *Web) confirmed(c *gin.Context) bool {
	ctx, p := c.Request.Context(), visitOf(c).principal
	err := w.deps.Auth.Confirmed(ctx, p)
	password, code := c.PostForm(passwordField), c.PostForm(codeField)
	sent := c.PostForm(sendField) != "" && w.deps.Users != nil
	typed := !sent && (password != "" || code != "")
	switch {
	case !errors.Is(err, auth.ErrConfirmationRequired):
	case sent:
		if failed := w.deps.Users.RequestOwnCode(ctx, p); failed != nil {
			err = failed
		}
	case typed:
		_, err = w.deps.Auth.Confirm(ctx, p, password, code)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, auth.ErrConfirmationRequired), errors.Is(err, auth.ErrInvalidCredentials), errors.Is(err, auth.ErrTooManyLogins), errors.Is(err, auth.ErrPasswordRequired):
		sealed, failed := w.sealForm(c)
		if failed != nil {
			w.fail(c, failed)
			return false
		}
		v := &view{Page: confirmPage{Action: c.Request.URL.RequestURI(), Sealed: sealed, Codes: w.deps.Users != nil, Sent: sent || code != ""}}
		if typed {
			v.Problem = w.words[visitOf(c).language]["code."+apperr.CodeOf(err)]
		}
		c.Abort()
		w.show(c, http.StatusForbidden, "confirm", v)
	default:
		w.stop(c, err)
	}
	return false
}
