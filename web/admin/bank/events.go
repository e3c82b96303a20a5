package bank

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/internal/bank/bankfield"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

// eventsPage is the data of the list of the bank's calls, without its rows.
type eventsPage struct {
	News string // address that returns the number of newer calls; "" if the page is not the first
}

func (p *pages) eventRows(r *kit.Request, w kit.Window) ([]bank.Event, int64, error) {
	filter := eventFilter(r)
	filter.Limit, filter.Offset = w.Limit, w.Offset
	return p.Bank.Events(r.Context(), r.Caller, filter)
}

func eventsPageOf(r *kit.Request, events []bank.Event) (*eventsPage, error) {
	page := &eventsPage{}
	if r.AtTop() {
		page.News = kit.NewsAddress(r, eventsPath, kit.Map(events, func(e *bank.Event) uuid.UUID { return e.ID }))
	}
	return page, nil
}

func (p *pages) eventFilterForm(r *kit.Request) (*kit.Filter, error) {
	senders, err := banks.Options(r.Context(), p.Bank, "")
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("phase", "label.phase", r.Options("phase.", string(bank.PhaseQuery), string(bank.PhaseNotification))),
		kit.SelectField("outcome", "label.outcome", r.States("event", bank.Outcomes()...)),
		kit.TextField("reference", "label.reference", 36).Keyboard("numeric"), kit.TextField("phone", "label.phone", 30).Keyboard("tel"),
		kit.SelectField("bank", "label.bank", senders), kit.DateField("date", "label.date"),
	}}, err
}

func eventAddress(e *bank.Event) string { return eventsPath + "/" + e.ID.String() }

// eventColumns returns the columns of the list. In the file, durations are in milliseconds, and the other fields of
// the call follow under the names that the bank gives them.
func eventColumns() []kit.Column[bank.Event] {
	columns := []kit.Column[bank.Event]{
		kit.ExactTimeColumn("label.received", func(e *bank.Event) time.Time { return e.ReceivedAt }),
		kit.WordColumn("label.phase", func(v *kit.View, e *bank.Event) string { return v.T("phase." + string(e.Phase)) }),
		kit.BadgeColumn("label.outcome", func(v *kit.View, e *bank.Event) kit.Badge { return v.State("event", e.Outcome) }).Leading(),
		{Title: "label.status", File: func(e *bank.Event) sheet.Cell { return sheet.Integer(int64(e.Status)) }},
		kit.WordColumn("label.answer", func(v *kit.View, e *bank.Event) string { return answerText(v, e.Answer) }),
		kit.AmountColumn("label.amount", func(e *bank.Event) (money.Amount, int) { return e.Amount, bank.AmountDigits }).
			If(func(e *bank.Event) bool { return e.Amount != 0 }),
		kit.MonoColumn("label.reference", func(e *bank.Event) string { return e.Reference }),
		{Title: "label.bank", Text: func(e *bank.Event) string { return e.Bank }, Cell: func(_ *kit.View, e *bank.Event) kit.Cell { return kit.Wrap(e.BankName) }},
		{Title: "label.phone", Text: func(e *bank.Event) string { return e.Phone }},
		kit.MonoColumn("label.address", func(e *bank.Event) string { return e.Address }),
		{Title: "label.took", File: func(e *bank.Event) sheet.Cell { return sheet.Money(money.Amount(e.Duration.Microseconds()), 3) }},
		kit.CountColumn("label.repeats", func(e *bank.Event) int { return e.Repeats }).If(func(e *bank.Event) bool { return e.Repeats > 0 }),
		{Title: "label.id", Text: func(e *bank.Event) string { return e.ID.String() }},
	}
	for _, f := range bankfield.All() {
		switch f.Name {
		case bankfield.Amount, bankfield.Bank, bankfield.Reference, bankfield.SenderPhone: // above
		case bankfield.Instant:
			columns = append(columns, kit.TimeColumn(f.Name, (*bank.Event).PaidAt).FileOnly())
		default:
			columns = append(columns, kit.Column[bank.Event]{Title: f.Name, Text: func(e *bank.Event) string { return e.Fields[f.Name] }})
		}
	}
	return columns
}

// news answers the polls of an open page with the line above the list. The shown rows do not change.
func (p *pages) news(r *kit.Request) error {
	filter := eventFilter(r)
	filter.After, filter.Limit = r.QueryID("after"), 1
	_, count, err := p.Bank.Events(r.Context(), r.Caller, filter)
	if err != nil {
		return err
	}
	return kit.NewsPart(r, "events", eventsPath, count)
}

// eventFilter returns the filter in the address.
func eventFilter(r *kit.Request) *bank.EventFilter {
	return &bank.EventFilter{
		Phase: bank.Phase(r.Query("phase")), Outcome: r.Query("outcome"), Reference: r.Query("reference"), Bank: bank.SearchBank(r.Query("bank")),
		Phone: bank.SearchPhone(r.Query("phone")), Date: r.QueryDay("date"),
	}
}

// eventPage is the data of the page of a call, with the timeline of its payment.
type eventPage struct{ *bank.Trace }

func (p *pages) loadEvent(r *kit.Request) (*eventPage, error) {
	trace, err := p.Bank.Trace(r.Context(), r.Caller, r.ID)
	return &eventPage{trace}, err
}

// Amount formats an amount of the bank.
func (*eventPage) Amount(v *kit.View, a money.Amount) string { return v.Money(a, bank.AmountDigits) }

func (p *pages) erase(r *kit.Request) error {
	if err := p.Bank.EraseEvent(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	return r.Done(eventsPath+"/"+r.ID.String(), "erased")
}
