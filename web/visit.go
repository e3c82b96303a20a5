package web

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"banca/api/middleware"
	"banca/internal/activity"
	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/models"
)

// visitKey is where a request's visit is kept in its gin context.
const visitKey = "web.visit"

// scriptHeader marks the requests that htmx makes for a piece of a page.
const scriptHeader = "HX-Request"

// visit is the state of a request to the panel.
type visit struct {
	language  string
	browser   string // random value of the browser's cookie that form tokens are bound to
	principal auth.Principal
}

func visitOf(c *gin.Context) *visit {
	v, ok := c.MustGet(visitKey).(*visit)
	if !ok {
		panic("web: begin has not run")
	}
	return v
}

// newVisit determines the language and sets the security headers.
func (w *Web) newVisit(c *gin.Context) *visit {
	v := &visit{language: languageOf(c.Request)}
	c.Set(visitKey, v)
	c.Header("Content-Security-Policy", pagePolicy)
	c.Header("Vary", "Accept-Language, Cookie, "+scriptHeader)
	c.Header("Cache-Control", "no-store")
	return v
}

// tooMany is the page of a client over its rate limit. It reads nothing from the database.
func (w *Web) tooMany(c *gin.Context) {
	w.newVisit(c)
	w.refuse(c, http.StatusTooManyRequests, "error.many")
}

// busy is the page of a file that is refused while too many others are sent. It asks nothing of the database.
func (w *Web) busy(c *gin.Context) {
	w.newVisit(c)
	w.refuse(c, http.StatusServiceUnavailable, "error.files")
}

// begin refuses unsafe requests of other sites and learns language and browser.
func (w *Web) begin(c *gin.Context) {
	v := w.newVisit(c)
	if err := w.origin.Check(c.Request); err != nil {
		w.refuse(c, http.StatusForbidden, "error.origin")
		return
	}
	if !readable(c.Request.URL.Query()) {
		w.refuse(c, http.StatusBadRequest, "error.text")
		return
	}
	w.recognise(c, v)
	w.rememberLanguage(c, v.language)
}

// readable reports whether the form's fields are valid text; others could be neither stored nor searched for.
func readable(typed url.Values) bool {
	for _, values := range typed {
		if slices.ContainsFunc(values, func(text string) bool { return !models.Storable(text) }) {
			return false
		}
	}
	return true
}

// signedIn lets users pass and sends everybody else to the login, and back here afterwards.
func (w *Web) signedIn(c *gin.Context) {
	token, err := c.Cookie(sessionCookie)
	if err == nil {
		var p auth.Principal
		if p, err = w.deps.Auth.AuthenticateBrowser(c.Request.Context(), token); err == nil {
			visitOf(c).principal = p
			if !safe(c.Request.Method) {
				actor := p.Actor(auth.Client{Address: middleware.ClientAddress(c.Request.Context()), UserAgent: c.Request.UserAgent()})
				c.Request = c.Request.WithContext(activity.WithActor(c.Request.Context(), actor))
			}
			return
		}
		if apperr.From(err).Kind != apperr.Unauthenticated {
			w.fail(c, err)
			return
		}
	}
	target := loginPath
	if c.GetHeader(scriptHeader) != "" { // the whole page must go to the login, not the piece that was asked for
		c.Header("HX-Redirect", target)
		c.AbortWithStatus(http.StatusUnauthorized)
		return
	}
	if safe(c.Request.Method) {
		target += "?" + url.Values{"next": {c.Request.URL.RequestURI()}}.Encode()
	}
	c.Redirect(http.StatusSeeOther, target)
	c.Abort()
}

// admin lets the operator's administrators pass.
func (w *Web) admin(c *gin.Context) {
	if !w.seesQueues(&visitOf(c).principal) {
		w.refuse(c, http.StatusForbidden, "error.admin")
	}
}

// refuse ends a request with a page that shows the reason.
func (w *Web) refuse(c *gin.Context, status int, reason string) {
	c.Abort()
	w.show(c, status, "refused", &view{Problem: w.words[visitOf(c).language][reason]})
}

// fail ends a request that went wrong here; the cause is for the log.
func (w *Web) fail(c *gin.Context, err error) {
	level, status, reason := slog.LevelError, http.StatusInternalServerError, "error.internal"
	if errors.Is(err, auth.ErrBusy) {
		level, status, reason = slog.LevelWarn, http.StatusServiceUnavailable, "error.busy"
	}
	w.deps.Log.LogAttrs(c.Request.Context(), level, "page failed",
		slog.String("route", c.FullPath()), slog.String("request_id", c.Writer.Header().Get("X-Request-Id")), slog.Any("error", err))
	w.refuse(c, status, reason)
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// may admits users with a permission.
func (w *Web) may(p auth.Permission) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !visitOf(c).principal.May(p) {
			w.refuse(c, http.StatusForbidden, "code.FORBIDDEN")
		}
	}
}
