package system

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/requestlog"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

const requestsPath = "/admin/requests"

// requestsPage is a page of the request log.
type requestsPage struct {
	Rows    kit.Rows
	Sum     *requestlog.Summary
	Newest  string // address of the first page; "" on it
	Earlier string // address of the next page; "" on the last one
}

func (p *pages) loadRequests(r *kit.Request) (*requestsPage, error) {
	f := requestlog.Filter{Method: r.Query("method"), Prefix: r.Query("path"), Before: r.QueryID("before"), Limit: r.PageSize()}
	f.Class, _ = strconv.Atoi(r.Query("class")) // an invalid one filters nothing
	least, _ := strconv.Atoi(r.Query("took"))
	f.Least = time.Duration(least) * time.Millisecond
	f.From, f.To = r.QueryBounds("from", "to")
	f.Asked = r.Query("all") == ""
	sum, err := p.Requests.Summary(r.Context(), f, r.Now())
	if err != nil {
		return nil, err
	}
	list, next, err := p.Requests.List(r.Context(), &f)
	if err != nil {
		return nil, err
	}
	ids := kit.Map(list, func(e *requestlog.Entry) uuid.UUID { return e.UserID })
	names, err := sentence.NamesOf(r, p.Activity, nil, append(ids, kit.Map(list, objectOf)...)...)
	if err != nil {
		return nil, err
	}
	page := &requestsPage{Sum: sum, Rows: kit.RowsOf(requestColumns(names), list, nil, "requests.none").GroupBy(func(v *kit.View, row int) string {
		return v.Day(businessday.Of(list[row].At, r.Now().Location()))
	})}
	if f.Before != uuid.Nil {
		page.Newest = requestsAt(r, uuid.Nil)
	}
	if next != uuid.Nil {
		page.Earlier = requestsAt(r, next)
	}
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("method", "requests.method", kit.TextOptions("GET", "POST", "PUT", "PATCH", "DELETE")),
		kit.SelectField("class", "label.state", r.Options("requests.class.", "2", "3", "4", "5")),
		kit.SelectField("took", "health.took", r.Options("requests.took.", "1000", "5000")), kit.TextField("path", "requests.path", 200),
		kit.DateField("from", "label.from"), kit.DateField("to", "label.to"), kit.HiddenField("all"),
	}, Views: []kit.SavedView{
		{Title: "requests.asked"}, {Title: "requests.all", Values: map[string]string{"all": "1"}},
		{Title: "requests.failed", Values: map[string]string{"class": "5"}}, {Title: "requests.refused", Values: map[string]string{"class": "4"}},
		{Title: "requests.slow", Values: map[string]string{"took": "1000"}},
	}})
	return page, nil
}

// Strip are the figures of the period: the requests by minute, hour or day, the failures, and how long most answers took.
func (p *requestsPage) Strip(v *kit.View) []*kit.Stat {
	s, unit := p.Sum, map[time.Duration]string{time.Minute: "minute", time.Hour: "hour"}[p.Sum.Every]
	steps, counts := make([]string, len(s.Steps)), make([]money.Amount, len(s.Steps))
	for i, n := range s.Steps {
		steps[i], counts[i] = v.Clock(s.From.Add(time.Duration(i)*s.Every)), money.Amount(n)
	}
	rate := (s.Requests + int64(len(s.Steps))/2) / int64(max(1, len(s.Steps)))
	of := v.T("requests.of", v.Count(s.Requests), v.Clock(s.From))
	return []*kit.Stat{
		(&kit.Stat{Figure: v.Count(rate), Label: v.T("requests.rate"), Hint: of}).WithUnit(v.T("requests.per." + cmp.Or(unit, "day"))).WithSpark(v.Spark(of, steps, counts, 0)),
		{Figure: v.Count(s.Errors), Label: v.T("requests.failed"), Hint: v.T("requests.refused.count", v.Count(s.Refused))},
		{Figure: v.Milliseconds(s.Most), Label: v.T("requests.most"), Hint: v.T("requests.most.hint")},
	}
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

// objectOf returns the first id in the address of a request; uuid.Nil without one.
func objectOf(e *requestlog.Entry) uuid.UUID {
	id, _ := uuid.Parse(identifier.FindString(e.Path))
	return id
}

func requestColumns(names *sentence.Names) []kit.Column[requestlog.Entry] {
	return []kit.Column[requestlog.Entry]{
		{Title: "label.time", Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			at := v.ExactTime(e.At)
			_, at.Local, _ = strings.Cut(at.Local, ", ") // the day stands above
			return kit.At(at)
		}},
		{Title: "health.request", Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			about := names.Of(v, objectOf(e))
			return kit.Mono(e.Method + " " + identifier.ReplaceAllString(e.Path, "…$1")).WithSecondLine(about.Text).To(about.Link)
		}},
		{Title: "label.state", Lead: true, Number: true, Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			return kit.Badges(kit.Badge{Tone: toneOf(e.Status), Text: strconv.Itoa(e.Status)})
		}},
		{Title: "health.took", Number: true, Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			if e.Took < slow {
				return kit.Text(v.Milliseconds(e.Took))
			}
			return kit.Badges(kit.Badge{Tone: kit.ToneWaiting, Text: v.Milliseconds(e.Took)})
		}},
		{Title: "label.user", Cell: func(v *kit.View, e *requestlog.Entry) kit.Cell {
			by := names.Of(v, e.UserID)
			return kit.Text(by.Text).To(by.Link)
		}},
		kit.MonoColumn("label.address", func(e *requestlog.Entry) string { return e.Address.String() }).
			If(func(e *requestlog.Entry) bool { return e.Address.IsValid() }).OnWide(),
	}
}

// toneOf is the tone of a status. Only failures and refusals stand out.
func toneOf(status int) string {
	switch {
	case status >= http.StatusInternalServerError:
		return kit.ToneTrouble
	case status >= http.StatusBadRequest:
		return kit.ToneWaiting
	default:
		return kit.ToneOff
	}
}
