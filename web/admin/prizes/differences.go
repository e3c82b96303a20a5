package prizes

import (
	"net/url"
	"time"

	"banca/internal/auth"
	"banca/internal/prizes"
	"banca/web/kit"
)

// differencesPage is the list of differences.
type differencesPage struct {
	Filter      url.Values
	States      []string
	Adjusts     bool
	Differences []prizes.Difference
}

func (p *pages) differenceRows(r *kit.Request, w kit.Window) ([]prizes.Difference, int64, error) {
	return p.Prizes.Differences(r.Context(), r.Caller, &prizes.DifferenceFilter{Status: r.Query("status"), Limit: w.Limit, Offset: w.Offset})
}

func differencesPageOf(r *kit.Request, list []prizes.Difference) (*differencesPage, error) {
	return &differencesPage{Filter: r.Filter(), States: prizes.DifferenceStates(), Adjusts: r.May(auth.PrizesAdjust), Differences: list}, nil
}

// differenceColumns are those of the file: times in UTC, amounts with a point.
func differenceColumns() []kit.Column[prizes.Difference] {
	return []kit.Column[prizes.Difference]{
		{Title: "label.time", Text: func(d *prizes.Difference) string { return d.CreatedAt.Format(time.RFC3339) }},
		{Title: "label.serial", Text: func(d *prizes.Difference) string { return d.Serial }},
		{Title: "label.state", Text: func(d *prizes.Difference) string { return d.Status }},
		{Title: "label.entity", Text: func(d *prizes.Difference) string { return d.Entity }},
		{Title: "label.paid", Text: func(d *prizes.Difference) string { return d.Paid.Format(d.Currency.Digits) }},
		{Title: "label.due", Text: func(d *prizes.Difference) string { return d.Due.Format(d.Currency.Digits) }},
		{Title: "label.overpaid", Text: func(d *prizes.Difference) string { return d.Overpaid().Format(d.Currency.Digits) }},
		{Title: "label.currency", Text: func(d *prizes.Difference) string { return d.Currency.Code }},
		{Title: "label.note", Text: func(d *prizes.Difference) string { return d.Note }},
		{Title: "label.id", Text: func(d *prizes.Difference) string { return d.ID.String() }},
	}
}

func (p *pages) settle(r *kit.Request) error {
	_, err := p.Prizes.Settle(r.Context(), r.Caller, r.ID)
	return p.differences.AsPage().Submit(r, err, "difference.settled")
}

func (p *pages) writeOff(r *kit.Request) error {
	_, err := p.Prizes.WriteOff(r.Context(), r.Caller, r.ID, r.Form("note"))
	return p.differences.AsPage().Submit(r, err, "difference.written_off")
}
