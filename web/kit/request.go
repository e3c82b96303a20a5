package kit

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/businessday"
	"banca/internal/caller"
)

// Request is a request to a site whose caller, permissions and form were checked.
type Request struct {
	Caller   caller.Caller
	ID       uuid.UUID // the parameter id of the address
	Language string

	site    *Site
	c       *gin.Context
	route   *served
	browser string // random value of the browser's cookie that form tokens are bound to
	pager   *Pager
	problem string // of the page that is written next
	filter  *Filter
	table   Rows
	order   order // of the list
}

// Context returns the context of the request.
func (r *Request) Context() context.Context { return r.c.Request.Context() }

// HTTP returns the request as net/http knows it, for a mounted handler.
func (r *Request) HTTP() (http.ResponseWriter, *http.Request) { return r.c.Writer, r.c.Request }

// May reports whether the caller has a permission.
func (r *Request) May(p auth.Permission) bool { return r.Caller.May(p) }

// Now returns the time in the time zone of business.
func (r *Request) Now() time.Time { return r.site.Clock.Now().In(r.site.Zone) }

// Zone is the time zone of business days.
func (r *Request) Zone() *time.Location { return r.site.Zone }

// T returns a text in the language of the request.
func (r *Request) T(key string) string { return r.site.words[r.Language][key] }

// Warn shows a problem on the page that is written next.
func (r *Request) Warn(text string) { r.problem = text }

// URL returns the address.
func (r *Request) URL() *url.URL { return r.c.Request.URL }

// Param returns a parameter of the path.
func (r *Request) Param(name string) string { return r.c.Param(name) }

// Query returns a parameter of the address, trimmed.
func (r *Request) Query(name string) string { return strings.TrimSpace(r.URL().Query().Get(name)) }

// QueryID returns an id in the address; an invalid one is uuid.Nil, which filters nothing.
func (r *Request) QueryID(name string) uuid.UUID {
	return parseID(r.Query(name))
}

// QueryDay returns a business day in the address; an invalid one is the zero Day, which filters nothing.
func (r *Request) QueryDay(name string) businessday.Day {
	day, _ := businessday.Parse(r.Query(name)) // as documented
	return day
}

// QueryBounds returns the instants between which the business days of two parameters lie: from the first day's
// beginning to the last one's end; zero without a valid day.
func (r *Request) QueryBounds(first, last string) (from, to time.Time) {
	if day := r.QueryDay(first); !day.IsZero() {
		from, _ = day.Bounds(r.site.Zone)
	}
	if day := r.QueryDay(last); !day.IsZero() {
		_, to = day.Bounds(r.site.Zone)
	}
	return from, to
}

// Today returns the current business day.
func (r *Request) Today() businessday.Day { return businessday.Of(r.Now(), r.site.Zone) }

// Filter returns the parameters of the address as they were typed, for the fields of a filter.
func (r *Request) Filter() url.Values { return r.c.Request.URL.Query() }

// Form returns a field of the form, as typed.
func (r *Request) Form(name string) string { return r.c.PostForm(name) }

// Text returns a field of the form, trimmed.
func (r *Request) Text(name string) string { return strings.TrimSpace(r.c.PostForm(name)) }

// Forms returns all values of a field of the form.
func (r *Request) Forms(name string) []string { return r.c.PostFormArray(name) }

// FormID returns an id in the form; an invalid one is uuid.Nil, which no object has.
func (r *Request) FormID(name string) uuid.UUID {
	return parseID(r.c.PostForm(name))
}

// Typed returns the values of the form, without those of the address.
func (r *Request) Typed() url.Values { return r.c.Request.PostForm } //nolint:forbidigo // a field, not the call

// page returns the path of the page that the form belongs to.
func (r *Request) pagePath() string {
	path := r.c.Request.URL.Path
	for range r.route.depth() {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path
}

// parseID returns uuid.Nil for an invalid id, of which uuid.Parse returns the part that it has read.
func parseID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}
