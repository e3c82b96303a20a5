package bank

import (
	"crypto/rand"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

// paymentRow is a payment with the name of its bank.
type paymentRow struct {
	bank.Payment

	BankName string
}

// AnswerText is what the bank was answered.
func (p *paymentRow) AnswerText(v *kit.View) string { return answered(v, p.Answer) }

func answered(v *kit.View, yes bool) string {
	if yes {
		return v.T("bank.answered.yes")
	}
	return v.T("bank.answered.no")
}

// paymentPage is one payment with what can be done with it.
type paymentPage struct {
	paymentRow

	Entity string      // whose wallet was credited
	Waits  bool        // for an operator
	Other  *paymentRow // that has its reference and another amount; nil for none

	similar []similar    // open requests of its amount
	key     string       // of the forms, so that sending one twice does one thing
	request *kit.Request // with what was typed
}

// Assign asks for the entity that the payment is booked to without a request.
func (p *paymentPage) Assign(v *kit.View) *kit.Question {
	form := kit.NewForm(kit.EntityInput("entity", "label.entity").Required(), kit.TextInput("note", "label.note", 120)).WithPrefix("a-")
	q := p.ask(v, "assign").WithForm(form.FillFrom(p.request)).Opened(v.Problem != "")
	q.Title = v.T("bank.payment.byentity")
	return q
}

// Refund asks for the reference of the money that was given back.
func (p *paymentPage) Refund(v *kit.View) *kit.Question {
	return p.ask(v, "refund").WithForm(kit.NewForm(kit.TextInput("note", "label.refund_note", 120).Required()).WithPrefix("r-")).Irreversible(true)
}

func (p *paymentPage) ask(v *kit.View, action string) *kit.Question {
	key := "bank.payment." + action
	ask := v.T(key+".ask", v.Money(p.Amount, p.Currency.Digits), p.Currency.Unit(), p.Reference)
	return v.Question(v.T(key), paymentAddress(&p.paymentRow)+"/"+action, ask, v.T(key+".do")).With("key", p.key)
}

// candidates bounds the open requests that are offered for a payment.
const candidates = 20

func (p *pages) loadPayment(r *kit.Request) (*paymentPage, error) {
	payment, err := p.Bank.Payment(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	names, err := banks.Names(r.Context(), p.Bank)
	if err != nil {
		return nil, err
	}
	page := &paymentPage{paymentRow: paymentRow{*payment, names(payment.Bank)}, key: rand.Text(), request: r}
	page.Waits = slices.Contains(append(bank.Unreconciled(), bank.Conflicts()...), payment.State)
	if payment.EntityID != uuid.Nil {
		page.Entity = kit.EntityName(r, payment.EntityID)
	}
	if payment.ConflictOf != uuid.Nil {
		other, err := p.Bank.Payment(r.Context(), r.Caller, payment.ConflictOf)
		if err != nil {
			return nil, err
		}
		page.Other = &paymentRow{*other, names(other.Bank)}
	}
	if page.Waits {
		var open []bank.Request
		if open, _, err = p.Bank.Requests(r.Context(), r.Caller, &bank.RequestFilter{Status: models.RequestOpen, Amount: payment.Amount, Limit: candidates}); err != nil {
			return nil, err
		}
		page.similar = similarTo(payment, open)
		entities := kit.EntityNames(r, page.similar, func(s *similar) uuid.UUID { return s.EntityID })
		for i := range page.similar {
			page.similar[i].Entity = entities[page.similar[i].EntityID]
		}
	}
	return page, err
}

// assign books a payment that waits to an open request, or into the wallet of the entity with a code.
func (p *pages) assign(r *kit.Request) error {
	resolution, err := p.resolution(r)
	if err == nil {
		_, _, err = p.Bank.Assign(r.Context(), r.Caller, resolution) // which refuses neither and both
	}
	return p.payment.Submit(r, err, "assigned")
}

func (p *pages) resolution(r *kit.Request) (*bank.Resolution, error) {
	to := &bank.Resolution{PaymentID: r.ID, Note: r.Form("note"), IdempotencyKey: r.Form("key")}
	var err error
	if request := r.Form("request"); request != "" {
		if to.RequestID, err = uuid.Parse(request); err != nil {
			return nil, bank.ErrRequestNotFound
		}
	}
	if code := r.Text("entity"); code != "" {
		if to.EntityID, err = p.Org.Named(r.Context(), r.Caller, code); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// refund marks a payment that waits as given back.
func (p *pages) refund(r *kit.Request) error {
	_, _, err := p.Bank.Refund(r.Context(), r.Caller, &bank.Resolution{PaymentID: r.ID, Note: r.Form("note"), IdempotencyKey: r.Form("key")})
	return p.payment.Submit(r, err, "refunded")
}

func (p *pages) paymentRows(r *kit.Request, w kit.Window) ([]paymentRow, int64, error) {
	filter := paymentFilter(r)
	filter.Limit, filter.Offset = w.Limit, w.Offset
	names, err := banks.Names(r.Context(), p.Bank)
	if err != nil {
		return nil, 0, err
	}
	list, total, err := p.Bank.Payments(r.Context(), r.Caller, filter)
	return kit.Map(list, func(q *bank.Payment) paymentRow { return paymentRow{*q, names(q.Bank)} }), total, err
}

func (p *pages) paymentFilterForm(r *kit.Request) (*kit.Filter, error) {
	senders, err := banks.Options(r.Context(), p.Bank, "")
	view := func(list string) kit.SavedView {
		return kit.SavedView{Title: "list." + list, Values: map[string]string{"list": list}}
	}
	return &kit.Filter{Views: []kit.SavedView{{Title: "word.all"}, view("unreconciled"), view("conflicts")}, Fields: []kit.FilterField{
		kit.SelectField("list", "label.list", r.Options("list.", "unreconciled", "conflicts")),
		kit.SelectField("state", "label.state", r.States("payment", paymentStates()...)),
		kit.TextField("reference", "label.reference", 36).Keyboard("numeric"), kit.TextField("phone", "label.phone", 30).Keyboard("tel"),
		kit.SelectField("bank", "label.bank", senders), kit.DateField("from", "label.from"), kit.DateField("to", "label.to"),
	}}, err
}

func paymentAddress(p *paymentRow) string { return paymentsPath + "/" + p.ID.String() }

// paymentStates are those a payment can be in.
func paymentStates() []string {
	return []string{
		models.PaymentCredited, models.PaymentUnmatched, models.PaymentSuspense, models.PaymentConflict, models.PaymentAssigned, models.PaymentRefunded,
	}
}

// paymentColumns are the columns of the list.
func paymentColumns() []kit.Column[paymentRow] {
	return []kit.Column[paymentRow]{
		kit.TimeColumn("label.received", func(p *paymentRow) time.Time { return p.ReceivedAt }),
		{Title: "label.date", File: func(p *paymentRow) sheet.Cell { return sheet.Day(p.Date) }},
		kit.StateColumn("payment", func(p *paymentRow) string { return p.State }),
		kit.AmountColumn("label.amount", func(p *paymentRow) (money.Amount, int) { return p.Amount, p.Currency.Digits }).
			Adding(func(p *paymentRow) bool { return p.State != models.PaymentConflict }).AddedAs("bank.payments.sum"),
		kit.CurrencyColumn(func(p *paymentRow) (code, symbol string) { return p.Currency.Code, p.Currency.Unit() }),
		kit.MonoColumn("label.reference", func(p *paymentRow) string { return p.Reference }),
		{
			Title: "label.bank", Text: func(p *paymentRow) string { return p.Bank }, Cell: func(_ *kit.View, p *paymentRow) kit.Cell { return kit.Wrap(p.BankName) },
		},
		kit.PhoneColumn("label.sender", func(p *paymentRow) string { return p.SenderPhone }),
		{Title: "label.concept", Text: func(p *paymentRow) string { return p.Concept }},
		kit.WordColumn("label.reason", reasonText),
		{Title: "label.id", Text: func(p *paymentRow) string { return p.ID.String() }},
	}
}

func reasonText(v *kit.View, p *paymentRow) string {
	if p.Reason == "" {
		return ""
	}
	return v.T("reason." + p.Reason)
}

func paymentFilter(r *kit.Request) *bank.PaymentFilter {
	f := &bank.PaymentFilter{
		Reference: r.Query("reference"), Phone: bank.SearchPhone(r.Query("phone")), Bank: bank.SearchBank(r.Query("bank")),
		From: r.QueryDay("from"), To: r.QueryDay("to"),
	}
	switch list, state := r.Query("list"), r.Query("state"); {
	case state != "":
		f.States = []string{state}
	case list == "unreconciled":
		f.States = bank.Unreconciled()
	case list == "conflicts":
		f.States = bank.Conflicts()
	}
	return f
}
