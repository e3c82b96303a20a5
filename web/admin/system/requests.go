package system

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/requestlog"
	"banca/web/kit"
)

const requestsPath = "/admin/requests"

// requestsPage is a page of the request log.
type requestsPage struct {
	Rows    kit.Rows
	Newest  string // address of the first page; "" on it
	Earlier string // address of the next page; "" on the last one
}

// methods are those of the filter.
func methods() []kit.Option { return kit.TextOptions("GET", "POST", "PUT", "PATCH", "DELETE") }

// classes are the classes of a status, such as 4xx.
func classes() []kit.Option {
	return kit.OptionsOf([]string{"2", "3", "4", "5"}, func(class string) (value, text string) { return class, class + "xx" })
}

func (p *pages) loadRequests(r *kit.Request) (*requestsPage, error) {
	f := requestlog.Filter{Method: r.Query("method"), Prefix: r.Query("path"), Before: r.QueryID("before"), Limit: r.PageSize()}
	f.Class, _ = strconv.Atoi(r.Query("class")) // an invalid one filters nothing
	f.From, f.To = r.QueryBounds("from", "to")
	list, next, err := p.Requests.List(r.Context(), &f)
	if err != nil {
		return nil, err
	}
	page := &requestsPage{Rows: kit.RowsOf(requestColumns(), list, nil, "requests.none").GroupBy(func(v *kit.View, row int) string {
		return v.Day(businessday.Of(list[row].At, r.Now().Location()))
	})}
	if f.Before != uuid.Nil {
		page.Newest = requestsAt(r, uuid.Nil)
	}
	if next != uuid.Nil {
		page.Earlier = requestsAt(r, next)
	}
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("method", "requests.method", methods()), kit.SelectField("class", "label.state", classes()), kit.TextField("path", "requests.path", 200),
		kit.DateField("from", "label.from"), kit.DateField("to", "label.to"),
	}, Views: []kit.SavedView{{Title: "requests.failed", Values: map[string]string{"class": "5"}}, {Title: "requests.refused", Values: map[string]string{"class": "4"}}}})
	return page, nil
}

// requestsAt is the address of the page before a row, with the filter.
func requestsAt(r *kit.Request, before uuid.UUID) string {
	query := r.URL().Query()
	query.Del("before")
	if before != uuid.Nil {
		query.Set("before", before.String())
	}
	return r.URL().Path + "?" + query.Encode()
}

// slow is the duration from which a request is marked.
const slow = time.Second

// identifier matches the id of an object in an address, of which the page shows the end.
var identifier = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-([0-9a-f]{12})`)

func requestColumns() []kit.Column[requestlog.Entry] {
	return []kit.Column[requestlog.Entry]{
		{Title: "label.time", Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			at := v.ExactTime(e.At)
			_, at.Local, _ = strings.Cut(at.Local, ", ") // the day stands above
			return kit.At(at)
		}},
		kit.MonoColumn("health.request", func(e *requestlog.Entry) string { return e.Method + " " + identifier.ReplaceAllString(e.Path, "…$1") }),
		{Title: "label.state", Lead: true, Number: true, Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			return kit.Badges(kit.Badge{Tone: toneOf(e.Status), Text: strconv.Itoa(e.Status)})
		}},
		{Title: "health.took", Number: true, Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			if e.Took < slow {
				return kit.Text(v.Milliseconds(e.Took))
			}
			return kit.Badges(kit.Badge{Tone: kit.ToneWaiting, Text: v.Milliseconds(e.Took)})
		}},
		kit.MonoColumn("label.address", func(e *requestlog.Entry) string { return e.Address.String() }).
			If(func(e *requestlog.Entry) bool { return e.Address.IsValid() }).OnWide(),
	}
}

// toneOf is the tone of a status. Only failures and refusals stand out.
func toneOf(status int) string {
	const refused, failed = 400, 500
	switch {
	case status >= failed:
		return kit.ToneTrouble
	case status >= refused:
		return kit.ToneWaiting
	default:
		return kit.ToneOff
	}
}
