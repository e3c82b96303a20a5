package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/web/kit"
	"banca/web/pos"
)

// The addresses of PINs are below the login's, where the browser sends its client tokens.
const (
	pinPath    = loginPath + "/pin"
	newPINPath = pinPath + "/new"
)

// pins log cashiers in by a PIN.
type pins interface {
	People(ctx context.Context, tokens []string) ([]auth.Person, error)
	LoginPIN(ctx context.Context, user uuid.UUID, pin string, from auth.Client) (auth.BrowserTokens, auth.User, error)
	SetPIN(ctx context.Context, by caller.Caller, password, pin string, tokens []string) error
}

// pinPage is the form of a login by PIN.
type pinPage struct{ People []auth.Person }

func (l *login) pinForm(r *kit.Request) error { return l.writePIN(r, http.StatusOK, "") }

// writePIN shows the form with the people of the browser, and a refusal.
func (l *login) writePIN(r *kit.Request, status int, why string) error {
	people, err := l.users.People(r.Context(), clientTokens(r))
	if err != nil {
		return kit.Fail(err)
	}
	return r.Write(status, "pin", pinPage{people}, why)
}

// pinLogin changes the person: it opens a session by a PIN, and ends the browser's earlier one.
func (l *login) pinLogin(r *kit.Request) error {
	from := clientOf(r)
	tokens, _, err := l.users.LoginPIN(r.Context(), r.FormID("person"), r.Form("pin"), from)
	switch {
	case errors.Is(err, auth.ErrWrongPIN):
		return l.writePIN(r, http.StatusUnauthorized, r.T("pin.wrong"))
	case errors.Is(err, auth.ErrPINGone), errors.Is(err, auth.ErrInvalidCredentials):
		return l.writePIN(r, http.StatusUnauthorized, r.T("pin.gone"))
	case err != nil:
		return kit.Fail(err)
	}
	if by, err := l.users.AuthenticateBrowser(r.Context(), r.Session()); err == nil {
		if err := l.users.Logout(r.Context(), by); err != nil {
			return kit.Fail(err)
		}
	}
	openSession(r, tokens, from.Tokens)
	return r.Redirect(pos.Path)
}

func (*login) newPIN(r *kit.Request) error { return r.Render("pinnew", nil) }

// setPIN gives the caller a PIN on this browser.
func (l *login) setPIN(r *kit.Request) error {
	err := l.users.SetPIN(r.Context(), r.Caller, r.Form("password"), r.Form("pin"), clientTokens(r))
	var why string
	switch {
	case err == nil:
		return r.Redirect(pos.Path)
	case errors.Is(err, auth.ErrWeakPIN):
		why = "pin.weak"
	case errors.Is(err, auth.ErrPINNotAllowed):
		why = "pin.refused"
	case errors.Is(err, auth.ErrInvalidCredentials), errors.Is(err, auth.ErrPasswordRequired):
		why = "pin.password"
	case errors.Is(err, auth.ErrTooManyLogins):
		why = "code.TOO_MANY_LOGINS"
	default:
		return kit.Fail(err)
	}
	return r.Write(http.StatusUnprocessableEntity, "pinnew", nil, r.T(why))
}
