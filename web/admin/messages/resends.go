package messages

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"banca/internal/messaging"
	"banca/models"
	"banca/web/kit"
)

// shownResends bounds the earlier resends on the page.
const shownResends = 10

// resends is a dry run: what a filter would send again.
type resends struct {
	Estimate *messaging.Estimate
	Rows     kit.Rows // by error code
	Earlier  kit.Rows
	Unknown  bool // the outcome of the messages is not known
	Query    string

	key  string // of the form, so that sending it twice does one thing
	form *kit.Form
}

func (p *pages) loadResends(r *kit.Request) (*resends, error) {
	f, err := p.resendFilter(r)
	if err != nil && !kit.IsNotFound(err) {
		return nil, err
	}
	page := &resends{Unknown: f.Status == models.MessageUnknown, key: uuid.NewString(), form: sureForm(r), Query: r.URL().RawQuery, Estimate: &messaging.Estimate{}}
	if err == nil {
		page.Estimate, err = p.Messages.EstimateResend(r.Context(), r.Caller, *f)
	}
	if err = warned(r, err); err != nil {
		return nil, err
	}
	page.Rows = kit.RowsOf(codeColumns(), page.Estimate.Codes, nil, "resends.none")
	if err := p.showResendFilter(r, f.Status); err != nil {
		return nil, err
	}
	earlier, err := p.Messages.Resends(r.Context(), r.Caller, shownResends)
	page.Earlier = kit.RowsOf(resendColumns(), earlier, func(e *messaging.Resend) string { return resendAddress(e.ID) }, "")
	if len(earlier) == 0 {
		page.Earlier = nil
	}
	return page, err
}

// resendFilter is the filter in the address; failed messages without a status.
func (p *pages) resendFilter(r *kit.Request) (*messaging.Filter, error) {
	f, err := p.filterOf(r)
	if f == nil {
		f = &messaging.Filter{Status: r.Query("status")}
	}
	if !resendable(f.Status) {
		f.Status = models.MessageFailed
	}
	return f, err
}

func (p *pages) showResendFilter(r *kit.Request, status string) error {
	filter, err := p.logFilter(r)
	if err != nil {
		return err
	}
	state := &filter.Fields[0]
	state.Options, state.First, state.Value = r.States("message", models.MessageFailed, models.MessageUnknown), "", status
	r.ShowFilter(filter)
	return nil
}

// Confirm is the form that sends the messages again; nil without any.
func (p *resends) Confirm(v *kit.View) *kit.Question {
	if p.Estimate.Total == 0 {
		return nil
	}
	ask := "resends.ask"
	if p.Unknown {
		ask = "resends.ask.unknown"
	}
	q := v.Question("", resendsPath+"?"+p.Query, v.N(ask, p.Estimate.Total), v.N("resends.do", p.Estimate.Total)).With("key", p.key).Irreversible(p.Unknown)
	if p.Unknown {
		q.WithForm(p.form)
	}
	return q
}

// resendMany starts the resend of what the address selects.
func (p *pages) resendMany(r *kit.Request) error {
	f, err := p.resendFilter(r)
	if err != nil {
		return p.resends.ShowRefusal(r, err)
	}
	if form := sureForm(r).FillFrom(r); f.Status == models.MessageUnknown && !form.Check() {
		return p.resends.Present(r, http.StatusUnprocessableEntity, "", func(page *resends) { page.form = form })
	}
	started, _, err := p.Messages.ResendMany(r.Context(), r.Caller, *f, r.Text("key"))
	if err != nil {
		return p.resends.ShowRefusal(r, err)
	}
	return r.Done(resendAddress(started.ID), "resend.started")
}

func resendAddress(id uuid.UUID) string { return resendsPath + "/" + id.String() }

func codeColumns() []kit.Column[messaging.CodeCount] {
	return []kit.Column[messaging.CodeCount]{
		kit.WordColumn("message.error", func(v *kit.View, c *messaging.CodeCount) string {
			return codeText(v, c.Code)
		}).Wrapped(),
		kit.CountColumn("resends.count", func(c *messaging.CodeCount) int64 { return c.Count }),
		kit.WordColumn("message.do", func(v *kit.View, c *messaging.CodeCount) string { return advice(v, c.Code) }).Wrapped(),
	}
}

func resendColumns() []kit.Column[messaging.Resend] {
	return []kit.Column[messaging.Resend]{
		{Title: "label.created", Cell: func(v *kit.View, e *messaging.Resend) kit.Cell { return v.At(e.CreatedAt) }},
		kit.WrapColumn("label.user", func(e *messaging.Resend) string { return e.UserName }),
		{Title: "label.state", Lead: true, Cell: func(v *kit.View, e *messaging.Resend) kit.Cell { return kit.Badges(resendBadge(v, e)) }},
		kit.WordColumn("resends.done", func(v *kit.View, e *messaging.Resend) string {
			return v.T("progress.of", v.Count(e.Done), v.Count(e.Total))
		}).Numeric(),
	}
}

func resendBadge(v *kit.View, e *messaging.Resend) kit.Badge {
	if e.FinishedAt != nil {
		return v.State("resend", "done")
	}
	return v.State("resend", "running")
}

// resendPage is a resend with its progress. It may be left and come back to.
type resendPage struct {
	messaging.Resend

	Conditions string
}

func (p *pages) loadResend(r *kit.Request) (*resendPage, error) {
	e, err := p.Messages.GetResend(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	return &resendPage{Resend: *e, Conditions: r.Say("resends.filter", conditions(r, &e.Filter))}, nil
}

// conditions are the conditions of a filter in words.
func conditions(r *kit.Request, f *messaging.Filter) string {
	words := []string{r.T("state.message." + f.Status)}
	add := func(text string) {
		if text != "" {
			words = append(words, text)
		}
	}
	add(r.T("message.kind." + f.Kind))
	add(r.T("message.code." + f.ErrorCode))
	add(f.Recipient)
	if f.EntityID != uuid.Nil {
		add(kit.EntityName(r, f.EntityID))
	}
	for _, at := range []struct {
		key string
		day string
	}{{"label.from", dayOf(r, f.From)}, {"label.to", dayOf(r, f.To)}} {
		if at.day != "" {
			add(r.T(at.key) + " " + at.day)
		}
	}
	return strings.Join(words, " · ")
}

// Skipped is the number of messages that were not sent again: they were sent, resent or moved meanwhile.
func (p *resendPage) Skipped() int64 { return max(p.Total-p.Done, 0) }

// jobOf returns the progress of a resend. It is a function of the templates.
func jobOf(v *kit.View, e messaging.Resend) *kit.Progress {
	if e.FinishedAt != nil {
		return v.Progress(v.T("resend.title"), max(e.Done, 1), max(e.Done, 1))
	}
	job := v.Progress(v.T("resend.title"), min(e.Done, e.Total-1), e.Total)
	return job.PollFrom(resendAddress(e.ID) + "/progress")
}

// progress answers a poll with the progress of a resend.
func (p *pages) progress(r *kit.Request) error {
	page, err := p.loadResend(r)
	if err != nil {
		return err
	}
	return r.Part("resend", "resend-job", page)
}
