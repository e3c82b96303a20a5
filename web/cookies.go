package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
)

// Cookies of the panel. All are for /admin only, that of the client tokens for the login alone, unreadable to scripts and never sent along by other sites.
const (
	sessionCookie  = "banca_session"
	browserCookie  = "banca_browser"
	languageCookie = "banca_language"
	clientCookie   = "banca_client" // client tokens of the users who logged in with this browser
)

// maxClientTokens bounds the users whose client tokens a browser keeps; a cookie holds 4 KB.
const (
	maxClientTokens  = 20
	maxClientToken   = 128
	clientTokenJoint = "|"
)

// tokenField is the field of every form that carries its token.
const tokenField = "form_token"

const browserTTL = 365 * 24 * time.Hour

func (w *Web) setCookie(c *gin.Context, name, value string, ttl time.Duration) {
	w.setCookieAt(c, home, name, value, ttl)
}

func (w *Web) setCookieAt(c *gin.Context, path, name, value string, ttl time.Duration) {
	http.SetCookie(c.Writer, &http.Cookie{ //nolint:gosec // Secure is off only where the public address is plain http
		Name: name, Value: value, Path: path, MaxAge: int(ttl / time.Second),
		HttpOnly: true, Secure: w.secure, SameSite: http.SameSiteStrictMode,
	})
}

func (w *Web) dropCookie(c *gin.Context, name string) { w.setCookie(c, name, "", -time.Second) }

// recognise reads the browser's random value, or gives it one.
func (w *Web) recognise(c *gin.Context, v *visit) {
	v.browser, _ = c.Cookie(browserCookie) // missing is as good as empty
	if len(v.browser) != len(rand.Text()) {
		v.browser = rand.Text()
		w.setCookie(c, browserCookie, v.browser, browserTTL)
	}
}

// rememberLanguage keeps a language that was chosen in the address for the pages to come.
func (w *Web) rememberLanguage(c *gin.Context, language string) {
	if c.Query(languageParam) == language {
		w.setCookie(c, languageCookie, language, browserTTL)
	}
}

// formToken is the token of this browser's forms in this session. Another site can neither read it from a
// page nor compute it, and one from another browser or session does not fit.
func (w *Web) formToken(v *visit) string {
	h := hmac.New(sha256.New, w.csrf)
	h.Write(v.principal.SessionID[:])
	h.Write([]byte(v.browser))
	return hex.EncodeToString(h.Sum(nil))
}

// sameForm lets a form pass that this browser was given.
func (w *Web) sameForm(c *gin.Context) {
	if !hmac.Equal([]byte(c.PostForm(tokenField)), []byte(w.formToken(visitOf(c)))) {
		w.refuse(c, http.StatusForbidden, "error.form")
		return
	}
	if err := w.openForm(c); err != nil {
		w.refuse(c, http.StatusForbidden, "error.form")
		return
	}
	if !readable(typed(c)) {
		w.refuse(c, http.StatusBadRequest, "error.text")
	}
}

// openSession puts a session's token into the browser, and the user's client token before those of other users.
func (w *Web) openSession(c *gin.Context, tokens auth.BrowserTokens, earlier []string) {
	w.setCookie(c, sessionCookie, tokens.Session, auth.BrowserTTL)
	kept := []string{tokens.Client}
	user, _, _ := strings.Cut(tokens.Client, ".")
	for _, token := range earlier {
		if !strings.HasPrefix(token, user+".") && len(kept) < maxClientTokens {
			kept = append(kept, token)
		}
	}
	w.setCookieAt(c, loginPath, clientCookie, strings.Join(kept, clientTokenJoint), browserTTL)
}

// clientTokens returns the client tokens of the users who logged in with this browser.
func clientTokens(c *gin.Context) []string {
	value, _ := c.Cookie(clientCookie) // missing is as good as empty
	var tokens []string
	for token := range strings.SplitSeq(value, clientTokenJoint) {
		if token != "" && len(token) <= maxClientToken && len(tokens) < maxClientTokens {
			tokens = append(tokens, token)
		}
	}
	return tokens
}
