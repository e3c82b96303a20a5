package kit

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

// scriptHeader is the header of requests of htmx for a part of a page.
const scriptHeader = "HX-Request"

// pagePolicy allows a page to load files from and send forms to this server only.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// serve returns the gin handler of a route: the checks, then the route's handler.
func (s *Site) serve(route *servedRoute, handle Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := s.newRequest(c, route)
		steps := []Handler{checkAddress, signIn, route.check}
		if !safe(c.Request.Method) && route.Method != anyMethod {
			steps = append(steps, limitUpload, checkForm, readID, confirm)
		} else {
			steps = append(steps, readID)
		}
		for _, step := range append(steps, handle) {
			if err := step(r); err != nil {
				r.answer(err)
				return
			}
		}
	}
}

// newRequest determines the language and sets the security headers.
func (s *Site) newRequest(c *gin.Context, route *servedRoute) *Request {
	r := &Request{site: s, c: c, route: route, Language: languageOf(c.Request)}
	c.Header("Content-Security-Policy", pagePolicy)
	c.Header("Vary", "Accept-Encoding, Accept-Language, Cookie, "+scriptHeader)
	c.Header("Cache-Control", "no-store")
	return r
}

// checkAddress refuses unsafe requests of other sites and addresses with invalid text. It sets r.browser and remembers
// the language.
func checkAddress(r *Request) error {
	if r.site.origin.Check(r.c.Request) != nil {
		return Refuse(http.StatusForbidden, "error.origin")
	}
	if !readable(r.c.Request.URL.Query()) {
		return Refuse(http.StatusBadRequest, "error.text")
	}
	r.readBrowserCookie()
	r.rememberLanguage()
	return nil
}

// readable reports whether all values are texts that Postgres can store.
func readable(typed url.Values) bool {
	for _, values := range typed {
		if slices.ContainsFunc(values, func(text string) bool { return !models.Storable(text) }) {
			return false
		}
	}
	return true
}

// signIn authenticates the session. Without a session it redirects to the login, which leads back to this address; a stream of events is answered 401.
func signIn(r *Request) error {
	if r.route.Access.public {
		return nil
	}
	if token := r.siteCookie(SessionCookie); token != "" {
		p, err := r.site.Sessions.AuthenticateBrowser(r.Context(), token)
		if err == nil {
			r.setCaller(p)
			return nil
		}
		if apperr.From(err).Kind != apperr.Unauthenticated {
			return &failure{err}
		}
	}
	if r.c.GetHeader("Accept") == streamType { // a script follows it, which has no use for a page
		r.c.AbortWithStatus(http.StatusUnauthorized)
		return errAnswered
	}
	target := joined(r.site.Login, url.Values{"next": {r.pageAddress()}})
	if r.c.GetHeader(scriptHeader) != "" { // redirect the whole page, not the requested part
		r.c.Header("HX-Redirect", target)
		r.c.AbortWithStatus(http.StatusUnauthorized)
		return errAnswered
	}
	r.c.Redirect(http.StatusSeeOther, target)
	return errAnswered
}

// pageAddress is the address of the page that a request is about: that of a part which a script loads, or of a form which is sent, is another one.
func (r *Request) pageAddress() string {
	if shown, err := url.Parse(r.c.GetHeader("HX-Current-URL")); err == nil && r.Scripted() && shown.Path != "" {
		return shown.RequestURI()
	}
	if safe(r.c.Request.Method) {
		return r.c.Request.URL.RequestURI()
	}
	return r.pagePath()
}

// setCaller sets the caller and, for an unsafe request, makes it the actor of changes in the activity log.
func (r *Request) setCaller(p caller.Caller) {
	r.Caller = p
	if !safe(r.c.Request.Method) {
		actor := auth.Client{Address: middleware.ClientAddress(r.Context()), UserAgent: r.c.Request.UserAgent()}.Actor(p)
		r.c.Request = r.c.Request.WithContext(activity.WithActor(r.Context(), actor))
	}
}

// check checks the access of the route, and of the page of its form, for the caller.
func (s *servedRoute) check(r *Request) error {
	for _, gate := range s.gates {
		if err := gate.check(&r.Caller); err != nil {
			return err
		}
	}
	return nil
}

// readID reads the parameter id of the address.
func readID(r *Request) error {
	if r.c.Param("id") == "" {
		return nil
	}
	var err error
	r.ID, err = r.ParamID("id")
	return err
}

// ParamID returns an id in the path. Errors: NotFound for an invalid id.
func (r *Request) ParamID(name string) (uuid.UUID, error) {
	id, err := uuid.Parse(r.c.Param(name))
	if err != nil {
		return uuid.Nil, NotFound()
	}
	return id, nil
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }
