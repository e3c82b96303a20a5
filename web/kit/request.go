package kit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

// Request is a request to a site whose caller, permissions and form were checked.
type Request struct {
	Caller   caller.Caller
	ID       uuid.UUID // the parameter id of the address
	Language string

	site    *Site
	c       *gin.Context
	route   *servedRoute
	browser string // random value of the browser's cookie that form tokens are bound to
	pager   *Pager
	long    bool   // the list has more rows than its file
	problem string // of the page that is written next
	filter  *Filter

	fileTitle string // of the file that is sent next; "" for that of the list
	table     Rows
	order     order // of the list
	kept      bool  // browsers keep the page that is written

	keep    func(text []byte) // gets the page that is written; nil for none
	page    *url.URL          // the address of the page that a stream renews; nil for the request's own
	capture func(text []byte) // gets the content of that page; nil to send it to the browser
}

// Context returns the context of the request.
func (r *Request) Context() context.Context { return r.c.Request.Context() }

// HTTP returns the writer and request of net/http, for a mounted handler.
func (r *Request) HTTP() (http.ResponseWriter, *http.Request) { return r.c.Writer, r.c.Request }

// May reports whether the caller has a permission.
func (r *Request) May(p auth.Permission) bool { return r.Caller.May(p) }

// Now returns the time in the time zone of business.
func (r *Request) Now() time.Time { return r.site.Clock.Now().In(r.site.Zone) }

// Zone is the time zone of business days.
func (r *Request) Zone() *time.Location { return r.site.Zone }

// T returns a text in the language of the request.
func (r *Request) T(key string) string { return r.site.words[r.Language][key] }

// Say returns a text in the language of the request, formatted with args.
func (r *Request) Say(key string, args ...any) string { return fmt.Sprintf(r.T(key), args...) }

// View returns a view that formats values and finds texts in the language of the request, without a page.
func (r *Request) View() *View {
	return &View{
		Language: r.Language, Guide: r.guide(), words: r.site.words[r.Language], tones: r.site.tones, zone: r.site.Zone, now: r.site.Clock.Now(),
	}
}

// Money formats an amount with the separators of the request's language, as the value of a field.
func (r *Request) Money(a money.Amount, digits int) string { return moneyIn(r.Language, a, digits) }

// Warn shows a problem on the page that is written next.
func (r *Request) Warn(text string) { r.problem = text }

// URL returns the address.
func (r *Request) URL() *url.URL {
	if r.page != nil {
		return r.page
	}
	return r.c.Request.URL
}

// Param returns a parameter of the path.
func (r *Request) Param(name string) string { return r.c.Param(name) }

// Query returns a parameter of the address, trimmed.
func (r *Request) Query(name string) string { return strings.TrimSpace(r.URL().Query().Get(name)) }

// Asks reports whether the address has one of some parameters, also an empty one.
func Asks(r *Request, names ...string) bool { return slices.ContainsFunc(names, r.URL().Query().Has) }

// QueryID returns an id in the address, or uuid.Nil, which means no filter, if it is invalid.
func (r *Request) QueryID(name string) uuid.UUID {
	return parseID(r.Query(name))
}

// QueryDay returns a business day in the address, or the zero Day, which means no filter, if it is invalid.
func (r *Request) QueryDay(name string) businessday.Day {
	day, _ := businessday.Parse(r.Query(name)) // an error returns the zero Day
	return day
}

// QueryBounds returns the beginning of the business day in the parameter first and the end of the one in last. An
// instant is zero if its day is invalid.
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

// Form returns the unchanged value of a field of the form.
func (r *Request) Form(name string) string { return r.c.PostForm(name) }

// Text returns a field of the form, trimmed.
func (r *Request) Text(name string) string { return strings.TrimSpace(r.c.PostForm(name)) }

// Forms returns all values of a field of the form.
func (r *Request) Forms(name string) []string { return r.c.PostFormArray(name) }

// FormID returns an id in the form, or uuid.Nil if it is invalid.
func (r *Request) FormID(name string) uuid.UUID {
	return parseID(r.c.PostForm(name))
}

// FormValues returns the values of the form, without the parameters of the address.
func (r *Request) FormValues() url.Values { return r.c.Request.PostForm } //nolint:forbidigo // a field, not the call

// pagePath returns the path of the page that the form belongs to.
func (r *Request) pagePath() string {
	path := r.URL().Path
	for range r.route.depth() {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path
}

// parseID returns uuid.Nil for an invalid id, for which uuid.Parse may return a partly filled one.
func parseID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}
