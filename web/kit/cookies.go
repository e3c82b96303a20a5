package kit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
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

// hostPrefix begins the names of cookies that a browser takes from this host alone, over https: no sibling host can set
// them for a common domain.
const hostPrefix = "__Host-"

// CookieName returns the name of a cookie of all pages. A site over plain http, as in development, has no prefix.
func CookieName(publicURL, name string) string {
	if strings.HasPrefix(publicURL, "https://") {
		return hostPrefix + name
	}
	return name
}

// siteCookie returns the value of a cookie that setSiteCookie has set, or "" if it is missing.
func (r *Request) siteCookie(name string) string { return r.Cookie(CookieName(r.site.PublicURL, name)) }

// setSiteCookie sets a cookie for all pages, and deletes those that an earlier release has set: for the pages below Home, which browsers send
// first, and without the prefix.
func (r *Request) setSiteCookie(name, value string, ttl time.Duration) {
	r.SetCookie(r.site.Home, name, "", -time.Second)
	own := CookieName(r.site.PublicURL, name)
	if own != name {
		r.SetCookie("/", name, "", -time.Second)
	}
	r.SetCookie("/", own, value, ttl)
}

// SetSession sets the session cookie, or deletes it if the token is empty.
func (r *Request) SetSession(token string) {
	ttl := auth.BrowserTTL
	if token == "" {
		ttl = -time.Second
	}
	r.setSiteCookie(SessionCookie, token, ttl)
}

// Session returns the token of the session cookie, "" without one. Nothing has verified it.
func (r *Request) Session() string { return r.siteCookie(SessionCookie) }

// readBrowserCookie reads the browser's random value, or sets one.
func (r *Request) readBrowserCookie() {
	r.browser = r.siteCookie(browserCookie)
	if len(r.browser) != len(rand.Text()) {
		r.browser = rand.Text()
		r.setSiteCookie(browserCookie, r.browser, BrowserTTL)
	}
}

// rememberLanguage stores in a cookie the language that was chosen in the address.
func (r *Request) rememberLanguage() {
	if r.c.Query(languageParam) == r.Language {
		r.SetCookie(r.site.Home, languageCookie, "", -time.Second)
		r.SetCookie("/", languageCookie, r.Language, BrowserTTL)
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
func checkForm(r *Request) error {
	if !hmac.Equal([]byte(r.Form(TokenField)), []byte(r.formToken())) || openForm(r) != nil {
		return Refuse(http.StatusForbidden, "error.form")
	}
	if !readable(r.FormValues()) {
		return Refuse(http.StatusBadRequest, "error.text")
	}
	return nil
}
