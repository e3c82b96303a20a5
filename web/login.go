package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/api/middleware"
	"banca/internal/apperr"
	"banca/internal/auth"
)

// loginPage is the form of the login.
type loginPage struct {
	Next string // where to go afterwards
	Name string // that was typed
	Sent bool   // a code was asked for and is typed in place of the password
	TOTP bool   // the authenticator program's code is needed, too
	Code string // a typed code that matched, or may have: it stays in the form beside the TOTP code
	Kept bool   // Code matched, so that the form keeps it in a hidden field
}

func (w *Web) loginForm(c *gin.Context) {
	w.render(c, "login", loginPage{Next: localPath(c.Query("next"))})
}

func (w *Web) login(c *gin.Context) {
	page := loginPage{Next: localPath(c.PostForm("next")), Name: c.PostForm("identifier"), Sent: c.PostForm("code") != "", TOTP: c.PostForm("totp") != ""}
	from := clientOf(c)
	tokens, _, err := w.deps.Auth.LoginBrowser(c.Request.Context(),
		auth.Credentials{Identifier: page.Name, Password: c.PostForm("password"), Code: c.PostForm("code"), TOTP: c.PostForm("totp")}, from)
	switch {
	case err == nil:
		w.openSession(c, tokens, from.Tokens)
		c.Redirect(http.StatusSeeOther, page.Next)
	case errors.Is(err, auth.ErrTOTPRequired):
		page.TOTP, page.Code, page.Kept = true, c.PostForm("code"), page.Sent
		why := "login.totp.needed"
		if page.Kept {
			why = "login.totp.code"
		}
		w.askAgain(c, page, why)
	case errors.Is(err, auth.ErrTooManyLogins):
		w.askAgain(c, page, "code.TOO_MANY_LOGINS")
	case errors.Is(err, auth.ErrInvalidCredentials), errors.Is(err, auth.ErrLoginName), errors.Is(err, auth.ErrPasswordRequired):
		if page.TOTP { // either of the two was wrong
			page.Code = c.PostForm("code")
		}
		w.askAgain(c, page, "login.wrong")
	default:
		w.fail(c, err)
	}
}

// clientOf returns where a login comes from.
func clientOf(c *gin.Context) auth.Client {
	return auth.Client{Address: middleware.ClientAddress(c.Request.Context()), UserAgent: c.Request.UserAgent(), Tokens: clientTokens(c)}
}

// askAgain shows the form with the refusal.
func (w *Web) askAgain(c *gin.Context, page loginPage, why string) {
	w.show(c, http.StatusUnauthorized, "login", &view{Page: page, Problem: w.words[visitOf(c).language][why]})
}

// sendCode sends a code to a user whose login method is a code. The page is the same for all names.
func (w *Web) sendCode(c *gin.Context) {
	page := loginPage{Next: localPath(c.PostForm("next")), Name: c.PostForm("identifier"), Sent: true}
	err := w.deps.Users.RequestCode(c.Request.Context(), auth.Credentials{Identifier: page.Name}, clientOf(c))
	switch {
	case err == nil:
		w.render(c, "login", page)
	case errors.Is(err, auth.ErrLoginName):
		w.askAgain(c, loginPage{Next: page.Next}, "login.name")
	case errors.Is(err, auth.ErrTooManyLogins):
		w.askAgain(c, loginPage{Next: page.Next, Name: page.Name}, "code.TOO_MANY_LOGINS")
	default:
		w.fail(c, err)
	}
}

func (w *Web) logout(c *gin.Context) {
	if err := w.deps.Auth.Logout(c.Request.Context(), visitOf(c).principal); err != nil && apperr.From(err).Kind != apperr.Unauthenticated {
		w.fail(c, err)
		return
	}
	w.dropCookie(c, sessionCookie)
	c.Redirect(http.StatusSeeOther, loginPath)
}

// localPath accepts a page of this panel to go to and replaces everything else by the start page, so
// that a link to the login cannot lead elsewhere.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsAny(next, "\\\r\n\t") {
		return home
	}
	inside := u.Path == home || strings.HasPrefix(u.Path, home+"/")
	if !inside || strings.Contains(u.Path, "..") || strings.HasPrefix(u.Path, loginPath) {
		return home
	}
	return u.RequestURI()
}
