package web

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"banca/internal/apperr"
	"banca/internal/auth"
)

// passwordField is the field of the confirmation; it goes no further than the guard.
const passwordField = "confirm_password"

// confirmPage asks for the password and carries the form that waits for it.
type confirmPage struct {
	Action string
	Fields []confirmField
}

type confirmField struct{ Name, Value string }

// guard adds a sensitive action of a page: as act, and only for who gave the password within the last minutes.
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
	password := c.PostForm(passwordField)
	if errors.Is(err, auth.ErrConfirmationRequired) && password != "" {
		_, err = w.deps.Auth.Confirm(ctx, p, password, "")
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, auth.ErrConfirmationRequired), errors.Is(err, auth.ErrInvalidCredentials), errors.Is(err, auth.ErrTooManyLogins):
		v := &view{Page: confirmPage{Action: c.Request.URL.RequestURI(), Fields: waiting(c)}}
		if password != "" {
			v.Problem = w.words[visitOf(c).language]["code."+apperr.CodeOf(err)]
		}
		c.Abort()
		w.show(c, http.StatusForbidden, "confirm", v)
	default:
		w.stop(c, err)
	}
	return false
}

// waiting are the fields of the form that was sent, without those of this page.
func waiting(c *gin.Context) []confirmField {
	var fields []confirmField
	form := typed(c)
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if name == tokenField || name == passwordField {
			continue
		}
		for _, value := range form[name] {
			fields = append(fields, confirmField{name, value})
		}
	}
	return fields
}
