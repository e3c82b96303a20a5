package kit

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
)

// doneParam is the parameter of the address, after an action, with the key of the notice to show.
const doneParam = "done"

// Refusal is an error of the request that the site itself reports, with the key of its text.
type Refusal struct { //nolint:errname // it is shown to the user, and is no failure
	Status int
	Key    string
}

// Error implements error.
func (e *Refusal) Error() string { return "web: refused: " + e.Key }

// Refuse returns a Refusal, which is shown as an error page.
func Refuse(status int, key string) error { return &Refusal{Status: status, Key: key} }

// NotFound is the refusal of an address that names no object.
func NotFound() error { return Refuse(http.StatusNotFound, "error.missing") }

// InvalidForm is the refusal of a form that no page sends.
func InvalidForm() error { return Refuse(http.StatusBadRequest, "error.form") }

var (
	errForbidden = Refuse(http.StatusForbidden, "code.FORBIDDEN")
	errOperator  = Refuse(http.StatusForbidden, "error.operator")

	// errAnswered ends a request that was answered before its handler.
	errAnswered = errors.New("web: answered")
)

// failure marks an error as a failure, even if its kind is one that statusOf shows to the user.
type failure struct{ error }

func (f *failure) Unwrap() error { return f.error }

// Fail marks an error as a failure of the site. It is logged, and its text is not shown.
func Fail(err error) error { return &failure{err} }

// Redirect redirects to another address.
func (r *Request) Redirect(address string) error {
	r.c.Redirect(http.StatusSeeOther, address)
	return nil
}

// Plain writes a text without a page, for a script that shows it.
func (r *Request) Plain(status int, text string) error {
	r.c.String(status, "%s", text)
	return nil
}

// Done redirects from an action to a page, which shows a notice.
func (r *Request) Done(address, notice string) error {
	return r.Redirect(joined(address, url.Values{doneParam: {notice}}))
}

// joined returns an address with further parameters.
func joined(address string, parameters url.Values) string {
	joint := "?"
	if strings.Contains(address, "?") {
		joint = "&"
	}
	return address + joint + parameters.Encode()
}

// redirectToPage redirects from the address of an action to its page.
func redirectToPage(r *Request) error {
	return r.Redirect((&url.URL{Path: r.pagePath(), RawQuery: r.c.Request.URL.RawQuery}).String())
}

// statusOf returns the HTTP status for errors of a kind. ok is false for failures.
func statusOf(kind apperr.Kind) (status int, ok bool) {
	switch kind {
	case apperr.Unauthenticated, apperr.Internal:
		return 0, false
	default:
		return problem.StatusOf(kind), true
	}
}

// IsNotFound reports whether an error means that an object does not exist.
func IsNotFound(err error) bool { return err != nil && apperr.From(err).Kind == apperr.NotFound }

// Explain returns the HTTP status and the text of an error of a domain. ok is false for failures.
func (r *Request) Explain(err error) (status int, text string, ok bool) {
	if _, failed := errors.AsType[*failure](err); failed {
		return 0, "", false
	}
	e := apperr.From(err)
	status, ok = statusOf(e.Kind)
	if !ok {
		return 0, "", false
	}
	text, ok = r.site.words[r.Language]["code."+e.Code]
	return status, text, ok
}

// Warned shows the text of an error of a domain on the page and returns nil; it returns a failure.
func (r *Request) Warned(err error) error {
	if err == nil {
		return nil
	}
	_, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	r.Warn(text)
	return nil
}

// answer answers a request whose handler, or a check before it, returned err.
func (r *Request) answer(err error) {
	if errors.Is(err, errAnswered) {
		return
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		r.refuse(refusal.Status, r.T(refusal.Key))
		return
	}
	if status, text, ok := r.Explain(err); ok {
		r.refuse(status, text)
		return
	}
	r.fail(err)
}

// refuse writes the error page with a status and a text.
func (r *Request) refuse(status int, text string) {
	r.write(status, r.site.sitePages, "refused", layoutName, &View{Problem: text})
}

// fail logs a failure and writes the error page without its cause.
func (r *Request) fail(err error) {
	level, status, reason := slog.LevelError, http.StatusInternalServerError, "error.internal"
	if errors.Is(err, auth.ErrBusy) {
		level, status, reason = slog.LevelWarn, http.StatusServiceUnavailable, "error.busy"
	}
	r.site.Log.LogAttrs(r.Context(), level, "page failed",
		slog.String("route", r.c.FullPath()), slog.String("request_id", r.c.Writer.Header().Get("X-Request-Id")), slog.Any("error", err))
	r.refuse(status, r.T(reason))
}
