package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/apperr"
)

// doneParam names, in the address after an action, the notice to show; only words of the catalogue are shown.
const doneParam = "done"

// act adds an action of a page, whose form is sent to an address below the page's. A GET of that address, after
// changing the language or reloading, redirects to the page.
func (w *Web) act(g *gin.RouterGroup, page, action string, do gin.HandlerFunc) {
	g.POST(page+action, w.sameForm, do)
	g.GET(page+action, func(c *gin.Context) {
		target := c.Request.URL.Path
		for range strings.Count(action, "/") {
			target = path.Dir(target)
		}
		c.Redirect(http.StatusSeeOther, (&url.URL{Path: target, RawQuery: c.Request.URL.RawQuery}).String())
	})
}

// done leads back from an action to the page that shows its result.
func (w *Web) done(c *gin.Context, page, what string) {
	c.Redirect(http.StatusSeeOther, page+"?"+url.Values{doneParam: {what}}.Encode())
}

// statusOf returns the status of a refusal by its kind; ok is false for failures.
func statusOf(kind apperr.Kind) (status int, ok bool) {
	switch kind {
	case apperr.Malformed:
		return http.StatusBadRequest, true
	case apperr.Forbidden:
		return http.StatusForbidden, true
	case apperr.NotFound:
		return http.StatusNotFound, true
	case apperr.Conflict:
		return http.StatusConflict, true
	case apperr.TooLarge:
		return http.StatusRequestEntityTooLarge, true
	case apperr.Invalid:
		return http.StatusUnprocessableEntity, true
	case apperr.RateLimited:
		return http.StatusTooManyRequests, true
	case apperr.Unavailable:
		return http.StatusServiceUnavailable, true
	default:
		return 0, false
	}
}

// refusal describes an error that the user can do something about: a status and words. Anything else is a failure.
func (w *Web) refusal(c *gin.Context, err error) (status int, words string, ok bool) {
	e := apperr.From(err)
	status, ok = statusOf(e.Kind)
	if !ok {
		return 0, "", false
	}
	text, known := w.words[visitOf(c).language]["code."+e.Code]
	if !known {
		return 0, "", false
	}
	return status, text, true
}

// explain has a refusal shown where the user is, and fails for anything else.
func (w *Web) explain(c *gin.Context, err error, show func(status int, words string)) {
	if status, words, ok := w.refusal(c, err); ok {
		show(status, words)
		return
	}
	w.fail(c, err)
}

// stop ends a request whose page cannot be shown.
func (w *Web) stop(c *gin.Context, err error) {
	w.explain(c, err, func(status int, words string) {
		c.Abort()
		w.show(c, status, "refused", &view{Problem: words})
	})
}

// typed are the values of the form, without those of the address.
func typed(c *gin.Context) url.Values { return c.Request.PostForm } //nolint:forbidigo // a field, not the call
