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

// Cookies of a site. All are HttpOnly and SameSite=Strict.
const (
	SessionCookie  = "banca_session"
	browserCookie  = "banca_browser"
	languageCookie = "banca_language"
)

// TokenField is the name of the form field with the form token.
const TokenField = "form_token"

// BrowserTTL is the lifetime of the cookies that outlast a session.
const BrowserTTL = 365 * 24 * time.Hour

// SetCookie sets a cookie for the paths below path.
func (r *Request) SetCookie(path, name, value string, ttl time.Duration) {
	http.SetCookie(r.c.Writer, &http.Cookie{ //nolint:gosec // Secure is off only where the public address is plain http
		Name: name, Value: value, Path: path, MaxAge: int(ttl / time.Second),
		HttpOnly: true, Secure: r.site.secure, SameSite: http.SameSiteStrictMode,
	})
}

// Cookie returns the value of a cookie, or "" if it is missing.
func (r *Request) Cookie(name string) string {
	value, _ := r.c.Cookie(name) // the error means that it is missing
	return value
}

// setSiteCookie sets a cookie for all pages, and deletes one of the same name that an earlier release has set for those below Home: browsers
// send that one first.
func (r *Request) setSiteCookie(name, value string, ttl time.Duration) {
	r.SetCookie(r.site.Home, name, "", -time.Second)
	r.SetCookie("/", name, value, ttl)
}

// OpenSession sets the session cookie.
func (r *Request) OpenSession(token string) { r.setSiteCookie(SessionCookie, token, auth.BrowserTTL) }

// CloseSession deletes the session cookie.
func (r *Request) CloseSession() { r.setSiteCookie(SessionCookie, "", -time.Second) }

// readBrowserCookie reads the browser's random value, or sets one.
func (r *Request) readBrowserCookie() {
	r.browser = r.Cookie(browserCookie)
	if len(r.browser) != len(rand.Text()) {
		r.browser = rand.Text()
		r.setSiteCookie(browserCookie, r.browser, BrowserTTL)
	}
}

// rememberLanguage stores in a cookie the language that was chosen in the address.
func (r *Request) rememberLanguage() {
	if r.c.Query(languageParam) == r.Language {
		r.setSiteCookie(languageCookie, r.Language, BrowserTTL)
	}
}

// formToken returns the token of forms, which is bound to the browser and the session. Another site can neither read nor
// compute it.
func (r *Request) formToken() string {
	h := hmac.New(sha256.New, r.site.csrf)
	h.Write(r.Caller.SessionID[:])
	h.Write([]byte(r.browser))
	return hex.EncodeToString(h.Sum(nil))
}

// checkForm refuses a form without a valid token or with invalid text. It opens a sealed form.
func (r *Request) checkForm() error {
	if !hmac.Equal([]byte(r.Form(TokenField)), []byte(r.formToken())) || r.openForm() != nil {
		return Refuse(http.StatusForbidden, "error.form")
	}
	if !readable(r.FormValues()) {
		return Refuse(http.StatusBadRequest, "error.text")
	}
	return nil
}
