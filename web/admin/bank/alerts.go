package bank

import (
	"net/url"

	"banca/internal/bank"
	"banca/web/kit"
)

// alertsPage is the list of security alerts.
type alertsPage struct {
	Filter url.Values
	Kinds  []string
	Alerts []bank.Alert
}

func (p *pages) alertRows(r *kit.Request, w kit.Window) ([]bank.Alert, int64, error) {
	return p.Bank.Alerts(r.Context(), r.Caller, &bank.AlertFilter{Kind: r.Query("kind"), Open: r.Query("open") != "", Limit: w.Limit, Offset: w.Offset})
}

func alertsPageOf(r *kit.Request, alerts []bank.Alert) (*alertsPage, error) {
	return &alertsPage{Filter: r.Filter(), Kinds: bank.AlertKinds(), Alerts: alerts}, nil
}

func (p *pages) acknowledge(r *kit.Request) error {
	if err := p.Bank.Acknowledge(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	return r.Done(alertsPath, "acknowledged")
}
