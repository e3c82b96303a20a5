package prizes

import (
	"time"

	"banca/internal/auth"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/web/kit"
)

// differencesPage is what the list of differences shows besides its rows.
type differencesPage struct {
	Adjusts  bool
	Forgives bool // the user is of the operator, who alone writes differences off
}

func (p *pages) differenceRows(r *kit.Request, w kit.Window) ([]prizes.Difference, int64, error) {
	f := &prizes.DifferenceFilter{Status: r.Query("status"), Limit: w.Limit, Offset: w.Offset}
	if typed := r.Query("entity"); typed != "" {
		var err error
		if f.Below, err = p.Org.Named(r.Context(), r.Caller, typed); err != nil {
			return nil, 0, r.Warned(err)
		}
	}
	return p.Prizes.Differences(r.Context(), r.Caller, f)
}

func differencesPageOf(r *kit.Request, _ []prizes.Difference) (*differencesPage, error) {
	return &differencesPage{Adjusts: r.May(auth.PrizesAdjust), Forgives: r.Caller.IsOperator()}, nil
}

func differenceFilter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("status", "label.state", r.States("difference", prizes.DifferenceStates()...)), kit.EntityField("entity", "label.entity"),
	}}, nil
}

// differenceColumns are those of the list.
func differenceColumns() []kit.Column[prizes.Difference] {
	return []kit.Column[prizes.Difference]{
		kit.TimeColumn("label.time", func(d *prizes.Difference) time.Time { return d.CreatedAt }),
		kit.MonoColumn("label.serial", func(d *prizes.Difference) string { return d.Serial }).
			To(func(d *prizes.Difference) string { return path + "/" + d.TicketID.String() }),
		kit.StateColumn("difference", func(d *prizes.Difference) string { return d.Status }),
		{Title: "label.entity", Text: func(d *prizes.Difference) string { return d.Entity }},
		kit.AmountColumn("label.paid", func(d *prizes.Difference) (money.Amount, int) { return d.Paid, d.Currency.Digits }),
		kit.AmountColumn("label.due", func(d *prizes.Difference) (money.Amount, int) { return d.Due, d.Currency.Digits }),
		kit.AmountColumn("label.overpaid", func(d *prizes.Difference) (money.Amount, int) { return d.Overpaid(), d.Currency.Digits }),
		kit.CurrencyColumn(func(d *prizes.Difference) (code, symbol string) { return d.Currency.Code, d.Currency.Unit() }),
		{Title: "label.entity", Cell: func(_ *kit.View, d *prizes.Difference) kit.Cell { return kit.Text(d.Entity) }},
		{Title: "label.note", Text: func(d *prizes.Difference) string { return d.Note }, Cell: noteCell},
		{Title: "label.id", Text: func(d *prizes.Difference) string { return d.ID.String() }},
	}
}

// noteCell shows the forms that decide an open difference, or the note of a decided one.
func noteCell(v *kit.View, d *prizes.Difference) kit.Cell {
	page, ok := v.Page.(*differencesPage)
	switch {
	case !ok || !page.Adjusts || d.Status != prizes.DifferenceOpen:
		return kit.Text(d.Note)
	case page.Forgives:
		return v.QuestionCell(settleQuestion(v, d), writeOffQuestion(v, d))
	}
	return v.QuestionCell(settleQuestion(v, d))
}

func settleQuestion(v *kit.View, d *prizes.Difference) *kit.Question {
	ask := v.T("differences.settle.ask", v.Money(d.Paid, d.Currency.Digits), v.Money(d.Due, d.Currency.Digits), d.Currency.Unit(), d.Serial, d.Entity)
	return v.Question(v.T("differences.settle"), differencesPath+"/"+d.ID.String()+"/settle", ask, v.T("differences.settle.do"))
}

func writeOffQuestion(v *kit.View, d *prizes.Difference) *kit.Question {
	ask := v.T("differences.writeoff.ask", v.Money(d.Overpaid(), d.Currency.Digits), d.Currency.Unit(), d.Serial)
	note := kit.NewForm(kit.TextInput("note", "label.note", 300).Required()).WithPrefix(d.ID.String() + "-")
	return v.Question(v.T("differences.writeoff"), differencesPath+"/"+d.ID.String()+"/write-off", ask, v.T("differences.writeoff.do")).
		WithForm(note).Irreversible(true)
}

func (p *pages) settle(r *kit.Request) error {
	_, err := p.Prizes.Resolve(r.Context(), r.Caller, r.ID)
	return p.differences.AsPage().Submit(r, err, "difference.settled")
}

func (p *pages) writeOff(r *kit.Request) error {
	_, err := p.Prizes.WriteOff(r.Context(), r.Caller, r.ID, r.Form("note"))
	return p.differences.AsPage().Submit(r, err, "difference.written_off")
}
