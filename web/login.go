package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/web/kit"
	"banca/web/pos"
)

// authenticator opens and ends the sessions of browsers.
type authenticator interface {
	LoginBrowser(ctx context.Context, c auth.Credentials, from auth.Client) (auth.BrowserTokens, auth.User, error)
	RequestCode(ctx context.Context, c auth.Credentials, from auth.Client) error
	Logout(ctx context.Context, by caller.Caller) error
	AuthenticateBrowser(ctx context.Context, token string) (caller.Caller, error)
	pins
}

// login has the pages that begin and end a session.
type login struct {
	users authenticator
	demo  *Demo // nil but in a demonstration
}

func loginArea(users authenticator, demo *Demo) kit.Area {
	l := &login{users: users, demo: demo}
	return kit.Area{Templates: templateFiles, Routes: []kit.Route{
		kit.Get(loginPath, kit.Public(), l.form),
		kit.Post(loginPath, kit.Public(), l.login),
		kit.Action(loginPath, "/code", kit.Public(), l.sendCode),
		kit.Action(home, "/logout", kit.SignedIn(), l.logout),
		kit.Get(pinPath, kit.Public(), l.pinForm).ExplainedIn("counter"),
		kit.Post(pinPath, kit.Public(), l.pinLogin),
		kit.Get(newPINPath, kit.SignedIn(), l.newPIN).ExplainedIn("counter"),
		kit.Post(newPINPath, kit.SignedIn(), l.setPIN),
	}}
}

// loginPage is the form of the login.
type loginPage struct {
	Next string // where to go afterwards
	Name string // that was typed
	Sent bool   // a code was asked for and is typed in place of the password
	TOTP bool   // the authenticator program's code is needed, too
	Code string // a typed code that matched, or may have: it stays in the form beside the TOTP code
	Kept bool   // Code matched, so that the form keeps it in a hidden field

	Demo   *Demo  // nil but in a demonstration
	Filled string // the password of a login of the demonstration, which fills the form
}

func (l *login) form(r *kit.Request) error {
	page := loginPage{Next: localPath(r.Query("next")), Demo: l.demo}
	return r.Render("login", page.filledWith(r.Query(nameParam)))
}

func (l *login) login(r *kit.Request) error {
	page := loginPage{
		Next: localPath(r.Form("next")), Name: r.Form("identifier"), Sent: r.Form("code") != "", TOTP: r.Form("totp") != "", Demo: l.demo,
	}
	from := clientOf(r)
	tokens, _, err := l.users.LoginBrowser(r.Context(),
		auth.Credentials{Identifier: page.Name, Password: r.Form("password"), Code: r.Form("code"), TOTP: r.Form("totp")}, from)
	switch {
	case err == nil:
		openSession(r, tokens, from.Tokens)
		return r.Redirect(page.Next)
	case errors.Is(err, auth.ErrTOTPRequired):
		page.TOTP, page.Code, page.Kept = true, r.Form("code"), page.Sent
		if page.Kept {
			return askAgain(r, page, "login.totp.code")
		}
		return askAgain(r, page, "login.totp.needed")
	case errors.Is(err, auth.ErrTooManyLogins):
		return askAgain(r, page, "code.TOO_MANY_LOGINS")
	case errors.Is(err, auth.ErrInvalidCredentials), errors.Is(err, auth.ErrLoginName), errors.Is(err, auth.ErrPasswordRequired):
		if page.TOTP { // either of the two was wrong
			page.Code = r.Form("code")
		}
		return askAgain(r, page, "login.wrong")
	default:
		return kit.Fail(err)
	}
}

// askAgain shows the form with the refusal.
func askAgain(r *kit.Request, page loginPage, why string) error {
	return r.Write(http.StatusUnauthorized, "login", page, r.T(why))
}

// sendCode sends a code to a user whose login method is a code. The page is the same for all names.
func (l *login) sendCode(r *kit.Request) error {
	page := loginPage{Next: localPath(r.Form("next")), Name: r.Form("identifier"), Sent: true}
	err := l.users.RequestCode(r.Context(), auth.Credentials{Identifier: page.Name}, clientOf(r))
	switch {
	case err == nil:
		return r.Render("login", page)
	case errors.Is(err, auth.ErrLoginName):
		return askAgain(r, loginPage{Next: page.Next}, "login.name")
	case errors.Is(err, auth.ErrTooManyLogins):
		return askAgain(r, loginPage{Next: page.Next, Name: page.Name}, "code.TOO_MANY_LOGINS")
	default:
		return kit.Fail(err)
	}
}

func (l *login) logout(r *kit.Request) error {
	if err := l.users.Logout(r.Context(), r.Caller); err != nil && apperr.From(err).Kind != apperr.Unauthenticated {
		return kit.Fail(err)
	}
	r.SetSession("")
	return r.Redirect(loginPath)
}

// localPath accepts a page of this panel to go to and replaces everything else by the start page, so
// that a link to the login cannot lead elsewhere.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsAny(next, "\\\r\n\t") {
		return home
	}
	inside := u.Path == pos.Path || u.Path == home || strings.HasPrefix(u.Path, home+"/")
	if !inside || strings.Contains(u.Path, "..") || strings.HasPrefix(u.Path, loginPath) {
		return home
	}
	return u.RequestURI()
}

// clientCookie keeps the client tokens of the users who logged in with this browser. It is for the login alone.
const clientCookie = "banca_client"

// maxClientTokens bounds the users whose client tokens a browser keeps; a cookie holds 4 KB.
const (
	maxClientTokens  = 20
	maxClientToken   = 128
	clientTokenJoint = "|"
)

// clientOf returns where a login comes from.
func clientOf(r *kit.Request) auth.Client {
	_, request := r.HTTP()
	return auth.Client{Address: middleware.ClientAddress(r.Context()), UserAgent: request.UserAgent(), Tokens: clientTokens(r)}
}

// openSession puts a session's token into the browser, and the user's client token before those of other users.
func openSession(r *kit.Request, tokens auth.BrowserTokens, earlier []string) {
	r.SetSession(tokens.Session)
	kept := []string{tokens.Client}
	user, _, _ := strings.Cut(tokens.Client, ".")
	for _, token := range earlier {
		if !strings.HasPrefix(token, user+".") && len(kept) < maxClientTokens {
			kept = append(kept, token)
		}
	}
	r.SetCookie(loginPath, clientCookie, strings.Join(kept, clientTokenJoint), kit.BrowserTTL)
}

// clientTokens returns the client tokens of the users who logged in with this browser.
func clientTokens(r *kit.Request) []string {
	var tokens []string
	for token := range strings.SplitSeq(r.Cookie(clientCookie), clientTokenJoint) {
		if token != "" && len(token) <= maxClientToken && len(tokens) < maxClientTokens {
			tokens = append(tokens, token)
		}
	}
	return tokens
}
