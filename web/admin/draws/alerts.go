package draws

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/draws"
	"banca/web/admin/parts/drawcause"
	"banca/web/kit"
)

const (
	alertsPath = path + "/alerts"
	allAlerts  = "all" // parameter of the list that includes the acknowledged alerts
)

// alertsPage is what the list of alerts shows besides its rows.
type alertsPage struct {
	Open     bool
	Failures []failure // causes for which draws were not closed in an external system; none of a list of one cause
}

// failure says how many draws were not closed, and why, with the list of the alerts of the cause.
type failure struct{ Text, Link string }

func (p *pages) alertRows(r *kit.Request, w kit.Window) ([]draws.Alert, int64, error) {
	return p.Draws.Alerts(r.Context(), &draws.AlertFilter{Open: r.Query(allAlerts) == "", Cause: r.Query(drawcause.Param)}, w.Limit, w.Offset)
}

// alertFilter has the causes of open alerts, and the one of the address, whose alerts may all be acknowledged.
func (p *pages) alertFilter(r *kit.Request) (*kit.Filter, error) {
	failures, err := p.Draws.CloseFailures(r.Context())
	if err != nil {
		return nil, err
	}
	v, causes := r.View(), []kit.Option(nil)
	for i := range failures {
		if c := &failures[i].Cause; c.Key != "" {
			causes = append(causes, kit.Option{Value: c.Key, Text: causeText(v, c)})
		}
	}
	asked := draws.ParseCause(r.Query(drawcause.Param))
	listed := slices.ContainsFunc(causes, func(o kit.Option) bool { return o.Value == asked.Key })
	if !listed && drawcause.Known(v, &asked) {
		causes = append(causes, kit.Option{Value: asked.Key, Text: causeText(v, &asked)})
	}
	return &kit.Filter{Fields: []kit.FilterField{kit.SelectField(drawcause.Param, "label.cause", causes), kit.HiddenField(allAlerts)}}, nil
}

func (p *pages) alertsPageOf(r *kit.Request, _ []draws.Alert) (*alertsPage, error) {
	page := &alertsPage{Open: r.Query(allAlerts) == ""}
	if r.Query(drawcause.Param) != "" {
		return page, nil
	}
	failures, err := p.Draws.CloseFailures(r.Context())
	for i := range failures {
		page.Failures = append(page.Failures, failure{drawcause.Text(r.View(), &failures[i]), drawcause.Link(&failures[i].Cause)})
	}
	return page, err
}

func alertColumns() []kit.Column[draws.Alert] {
	return append([]kit.Column[draws.Alert]{
		kit.TimeColumn("label.last", func(a *draws.Alert) time.Time { return a.LastAt }),
		kit.WordColumn("label.kind", kindText).Wrapped(),
		kit.WordColumn("label.draw", func(v *kit.View, a *draws.Alert) string { return a.Game + " " + v.Clock(a.DrawTime) }).
			To(func(a *draws.Alert) string { return path + "/" + a.DrawID.String() }),
		{
			Title: "label.detail", Words: noteText,
			Cell: func(v *kit.View, a *draws.Alert) kit.Cell {
				return v.Part("alert-detail", &alertDetail{noteText(v, a), a.Detail})
			},
		},
		{Title: "draw.technical", Text: func(a *draws.Alert) string { return a.Detail }},
		kit.CountColumn("label.count", func(a *draws.Alert) int64 { return a.Count }),
	}, kit.Acknowledgement(alertsPath, func(a *draws.Alert) (uuid.UUID, time.Time) { return a.ID, a.AcknowledgedAt })...)
}

func kindText(v *kit.View, a *draws.Alert) string { return v.T("drawalert." + a.Kind) }

// alertDetail is what an alert says in the language of the reader, and its detail for technicians.
type alertDetail struct{ Text, Detail string }

// noteText is what the detail of an alert says; "" for a detail that is only for technicians.
func noteText(v *kit.View, a *draws.Alert) string {
	if a.Cause.Code != "" {
		return causeText(v, &a.Cause)
	}
	switch n := a.Note(); n.Code {
	case "":
		return ""
	case draws.NoteDerived:
		return v.T("drawnote.derived", n.Reported, n.Verified)
	case draws.NoteReported:
		return v.T("drawnote.reported", n.Source, n.Reported, n.Verified)
	default:
		return v.T("drawnote."+n.Code, n.Number)
	}
}

// causeText is a cause in words, with the external system.
func causeText(v *kit.View, c *draws.Cause) string {
	if c.Source == "" {
		return drawcause.Reason(v, c)
	}
	return c.Source + ": " + drawcause.Reason(v, c)
}

func (p *pages) acknowledge(r *kit.Request) error {
	if err := p.Draws.Acknowledge(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	return r.DoneBeside(alertsPath, "acknowledged", r.ID.String())
}
