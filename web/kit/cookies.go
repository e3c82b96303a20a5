package kit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"banca/internal/auth"
)

// Cookies of a site. All are unreadable to scripts and never sent along by other sites.
const (
	SessionCookie  = "banca_session"
	browserCookie  = "banca_browser"
	languageCookie = "banca_language"
)

// TokenField is the field of every form that carries its token.
const TokenField = "form_token"

// BrowserTTL is the life of the cookies that outlast a session.
const BrowserTTL = 365 * 24 * time.Hour

// SetCookie sets a cookie for the paths below path.
func (r *Request) SetCookie(path, name, value string, ttl time.Duration) {
	http.SetCookie(r.c.Writer, &http.Cookie{ //nolint:gosec // Secure is off only where the public address is plain http
		Name: name, Value: value, Path: path, MaxAge: int(ttl / time.Second),
		HttpOnly: true, Secure: r.site.secure, SameSite: http.SameSiteStrictMode,
	})
}

// Cookie returns the value of a cookie, "" without it.
func (r *Request) Cookie(name string) string {
	value, _ := r.c.Cookie(name) // missing is as good as empty
	return value
}

// OpenSession puts a session's token into the browser.
func (r *Request) OpenSession(token string) {
	r.SetCookie(r.site.Home, SessionCookie, token, auth.BrowserTTL)
}

// CloseSession removes the session's token from the browser.
func (r *Request) CloseSession() { r.SetCookie(r.site.Home, SessionCookie, "", -time.Second) }

// recognise reads the browser's random value, or sets one.
func (r *Request) recognise() {
	r.browser = r.Cookie(browserCookie)
	if len(r.browser) != len(rand.Text()) {
		r.browser = rand.Text()
		r.SetCookie(r.site.Home, browserCookie, r.browser, BrowserTTL)
	}
}

// rememberLanguage keeps a language that was chosen in the address for the pages to come.
func (r *Request) rememberLanguage() {
	if r.c.Query(languageParam) == r.Language {
		r.SetCookie(r.site.Home, languageCookie, r.Language, BrowserTTL)
	}
}

// formToken is the token of this browser's forms in this session. Another site can neither read it from a
// page nor compute it, and one from another browser or session does not fit.
func (r *Request) formToken() string {
	h := hmac.New(sha256.New, r.site.csrf)
	h.Write(r.Caller.SessionID[:])
	h.Write([]byte(r.browser))
	return hex.EncodeToString(h.Sum(nil))
}

// checkForm refuses a form without the token of this browser, and one that is no text. It opens a sealed form.
func (r *Request) checkForm() error {
	if !hmac.Equal([]byte(r.Form(TokenField)), []byte(r.formToken())) || r.openForm() != nil {
		return Refuse(http.StatusForbidden, "error.form")
	}
	if !readable(r.Typed()) {
		return Refuse(http.StatusBadRequest, "error.text")
	}
	return nil
}
