package bank

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/web/kit"
)

func (p *pages) alertRows(r *kit.Request, w kit.Window) ([]bank.Alert, int64, error) {
	return p.Bank.Alerts(r.Context(), r.Caller, &bank.AlertFilter{Kind: r.Query("kind"), Open: r.Query("open") != "", Limit: w.Limit, Offset: w.Offset})
}

func alertFilter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("kind", "label.kind", r.Options("alert.", bank.AlertKinds()...)),
		kit.SelectField("open", "label.state", []kit.Option{{Value: "1", Text: r.T("state.alert.open")}}),
	}}, nil
}

func alertColumns() []kit.Column[bank.Alert] {
	return append([]kit.Column[bank.Alert]{
		kit.TimeColumn("label.last", func(a *bank.Alert) time.Time { return a.LastSeenAt }),
		kit.WordColumn("label.kind", func(v *kit.View, a *bank.Alert) string { return v.T("alert." + a.Kind) }),
		kit.MonoColumn("label.address", func(a *bank.Alert) string { return a.Address }),
		kit.CountColumn("label.count", func(a *bank.Alert) int64 { return a.Count }),
		kit.TimeColumn("label.first", func(a *bank.Alert) time.Time { return a.FirstSeenAt }),
	}, kit.Acknowledgement(alertsPath, func(a *bank.Alert) (uuid.UUID, time.Time) { return a.ID, a.AcknowledgedAt })...)
}

func (p *pages) acknowledge(r *kit.Request) error {
	if err := p.Bank.Acknowledge(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	return r.DoneBeside(alertsPath, "acknowledged", r.ID.String())
}
