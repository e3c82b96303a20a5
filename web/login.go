package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/apperr"
	"banca/internal/auth"
)

// loginPage is the form of the login.
type loginPage struct {
	Next string // where to go afterwards
	Name string // that was typed
}

func (w *Web) loginForm(c *gin.Context) {
	w.render(c, "login", loginPage{Next: localPath(c.Query("next"))})
}

func (w *Web) login(c *gin.Context) {
	next := localPath(c.PostForm("next"))
	token, _, err := w.deps.Auth.LoginBrowser(c.Request.Context(),
		auth.Credentials{Identifier: c.PostForm("identifier"), Password: c.PostForm("password")},
		auth.Client{Address: c.ClientIP(), UserAgent: c.Request.UserAgent()})
	switch {
	case err == nil:
		w.openSession(c, token)
		c.Redirect(http.StatusSeeOther, next)
	case errors.Is(err, auth.ErrInvalidCredentials), errors.Is(err, auth.ErrLoginName), errors.Is(err, auth.ErrPasswordRequired):
		w.show(c, http.StatusUnauthorized, "login", &view{
			Page: loginPage{Next: next, Name: c.PostForm("identifier")}, Problem: w.words[visitOf(c).language]["login.wrong"],
		})
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
