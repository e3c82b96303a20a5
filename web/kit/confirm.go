package kit

import (
	"errors"
	"net/http"

	"banca/internal/auth"
	"banca/internal/platform/apperr"
)

// Fields of the confirmation. Handlers do not get them.
const (
	passwordField = "confirm_password"
	codeField     = "confirm_code"
	sendField     = "confirm_send" // the button that requests a code
)

// confirmPage asks for the password. It carries the submitted form.
type confirmPage struct {
	Action string
	Sealed string // the form, see sealForm
	Sent   bool   // a code was requested
}

// confirm checks that the user has confirmed the password recently if the route is sensitive. Otherwise it writes a page
// that asks for the password and submits the form again.
func confirm(r *Request) error {
	access := &r.route.Access
	if !access.sensitive || (access.condition != nil && !access.condition(r)) {
		return nil
	}
	password, code := r.Form(passwordField), r.Form(codeField)
	sent := r.Form(sendField) != ""
	typed := !sent && (password != "" || code != "")
	err := r.confirmBy(password, code, sent, typed)
	if !needsConfirmation(err) {
		return err
	}
	sealed, failed := sealForm(r)
	if failed != nil {
		return failed
	}
	v := &View{Page: confirmPage{Action: r.URL().RequestURI(), Sealed: sealed, Sent: sent || code != ""}}
	if typed {
		v.Problem = r.T("code." + apperr.CodeOf(err))
	}
	r.write(http.StatusForbidden, r.site.sitePages, "confirm", layoutName, v)
	return errAnswered
}

// confirmBy confirms with the typed password or code, or requests a code, if the last confirmation is too old.
func (r *Request) confirmBy(password, code string, sent, typed bool) error {
	ctx, sessions := r.Context(), r.site.Sessions
	err := sessions.Confirmed(ctx, r.Caller)
	switch {
	case !errors.Is(err, auth.ErrConfirmationRequired):
	case sent:
		if failed := sessions.RequestOwnCode(ctx, r.Caller); failed != nil {
			return failed
		}
	case typed:
		_, err = sessions.Confirm(ctx, r.Caller, password, code)
	}
	return err
}

// needsConfirmation reports whether an error is answered with the page that asks for the password.
func needsConfirmation(err error) bool {
	return errors.Is(err, auth.ErrConfirmationRequired) || errors.Is(err, auth.ErrInvalidCredentials) ||
		errors.Is(err, auth.ErrTooManyLogins) || errors.Is(err, auth.ErrPasswordRequired)
}
