package messages

import (
	"net/url"
	"time"

	"banca/internal/messaging"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/web/kit"
)

// undelivered lists what finally failed, or may not have arrived, by its error, with what can be done.
type undelivered struct {
	Failed, Unknown int64
	Rows            kit.Rows
	FailedAt        string // address of the list
	UnknownAt       string
}

// undeliveredGroup is the messages of one status with one error code.
type undeliveredGroup struct {
	messaging.CodeCount

	status string
	query  url.Values // the filter of the page
}

// address is the address of a list or resend of the group's messages.
func (g *undeliveredGroup) address(of string) string {
	query := url.Values{"status": {g.status}}
	if g.Code != "" {
		query.Set("code", g.Code)
	}
	for _, name := range []string{"entity", "from", "to"} {
		if value := g.query.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	return of + "?" + query.Encode()
}

func (p *pages) loadUndelivered(r *kit.Request) (*undelivered, error) {
	f, err := p.filterOf(r)
	if err != nil {
		if err = warned(r, err); err != nil {
			return nil, err
		}
		f = &messaging.Filter{}
	}
	of := func(status string) messaging.Filter {
		return messaging.Filter{Status: status, EntityID: f.EntityID, From: f.From, To: f.To}
	}
	failed, err := p.Messages.EstimateResend(r.Context(), r.Caller, of(models.MessageFailed))
	if err != nil {
		return nil, err
	}
	unknown, err := p.Messages.EstimateResend(r.Context(), r.Caller, of(models.MessageUnknown))
	if err != nil {
		return nil, err
	}
	r.ShowFilter(&kit.Filter{
		Fields: []kit.FilterField{kit.EntityField("entity", "label.entity"), kit.DateField("from", "label.from"), kit.DateField("to", "label.to")},
		Clear:  cleared(r), Reset: "messages.clear",
	})
	var groups []undeliveredGroup
	for _, part := range []struct {
		status   string
		estimate *messaging.Estimate
	}{{models.MessageFailed, failed}, {models.MessageUnknown, unknown}} {
		for _, c := range part.estimate.Codes {
			groups = append(groups, undeliveredGroup{CodeCount: c, status: part.status, query: r.URL().Query()})
		}
	}
	both := func(status string) string {
		return (&undeliveredGroup{status: status, query: r.URL().Query()}).address(path)
	}
	return &undelivered{
		Failed: failed.Total, Unknown: unknown.Total, FailedAt: both(models.MessageFailed), UnknownAt: both(models.MessageUnknown),
		Rows: kit.RowsOf(undeliveredColumns(), groups, func(g *undeliveredGroup) string { return g.address(path) }, "undelivered.none"),
	}, nil
}

func undeliveredColumns() []kit.Column[undeliveredGroup] {
	return []kit.Column[undeliveredGroup]{
		kit.WordColumn("message.error", func(v *kit.View, g *undeliveredGroup) string {
			return codeText(v, g.Code)
		}).Wrapped(),
		kit.StateColumn("message", func(g *undeliveredGroup) string { return g.status }),
		kit.CountColumn("resends.count", func(g *undeliveredGroup) int64 { return g.Count }),
		kit.WordColumn("message.do", func(v *kit.View, g *undeliveredGroup) string { return advice(v, g.Code) }).Wrapped(),
		{Cell: func(v *kit.View, g *undeliveredGroup) kit.Cell {
			if g.Code == "TICKET_CANCELLED" {
				return kit.None() // it would fail again
			}
			return kit.Text(v.T("resends.some")).To(g.address(resendsPath))
		}},
	}
}

// dayOf is the day of a bound of time; "" for none.
func dayOf(r *kit.Request, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return businessday.Of(at, r.Zone()).String()
}
