package bank

import (
	"crypto/rand"
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

// answerText is what the bank was answered.
func answerText(v *kit.View, yes bool) string {
	if yes {
		return v.T("bank.answered.yes")
	}
	return v.T("bank.answered.no")
}

// paymentPage is one payment with what can be done with it.
type paymentPage struct {
	*bank.Payment

	Entity string        // whose wallet was credited
	Other  *bank.Payment // that has its reference and another amount; nil for none

	similar  []bank.SimilarRequest
	entities map[uuid.UUID]string // names, of the similar requests
	key      string               // of the forms, so that sending one twice does one thing
	request  *kit.Request         // with what was typed
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
	return v.Question(v.T(key), paymentAddress(p.Payment)+"/"+action, ask, v.T(key+".do")).With("key", p.key)
}

func (p *pages) loadPayment(r *kit.Request) (page *paymentPage, err error) {
	ctx, by := r.Context(), r.Caller
	page = &paymentPage{key: rand.Text(), request: r}
	if page.Payment, err = p.Bank.Payment(ctx, by, r.ID); err != nil {
		return nil, err
	}
	if page.EntityID != uuid.Nil {
		page.Entity = kit.EntityName(r, page.EntityID)
	}
	if page.ConflictOf != uuid.Nil {
		if page.Other, err = p.Bank.Payment(ctx, by, page.ConflictOf); err != nil {
			return nil, err
		}
	}
	if page.Waits() {
		page.similar, err = p.Bank.Similar(ctx, by, page.Payment)
		page.entities = kit.EntityNames(r, page.similar, func(s *bank.SimilarRequest) uuid.UUID { return s.EntityID })
	}
	return page, err
}

// assign books a payment that waits to an open request, or into the wallet of the entity with a code.
func (p *pages) assign(r *kit.Request) (err error) {
	to := resolutionOf(r)
	to.RequestID = r.FormID("request")
	if entity := r.Text("entity"); entity != "" {
		to.EntityID, err = p.Org.Named(r.Context(), r.Caller, entity)
	}
	if err == nil {
		_, _, err = p.Bank.Assign(r.Context(), r.Caller, to) // which refuses neither and both
	}
	return p.payment.Submit(r, err, "assigned")
}

// refund marks a payment that waits as given back.
func (p *pages) refund(r *kit.Request) error {
	_, _, err := p.Bank.Refund(r.Context(), r.Caller, resolutionOf(r))
	return p.payment.Submit(r, err, "refunded")
}

func resolutionOf(r *kit.Request) *bank.Resolution {
	return &bank.Resolution{PaymentID: r.ID, Note: r.Form("note"), IdempotencyKey: r.Form("key")}
}

func (p *pages) paymentRows(r *kit.Request, w kit.Window) ([]bank.Payment, int64, error) {
	filter := paymentFilter(r)
	filter.Limit, filter.Offset = w.Limit, w.Offset
	return p.Bank.Payments(r.Context(), r.Caller, filter)
}

func (p *pages) paymentFilterForm(r *kit.Request) (*kit.Filter, error) {
	senders, err := banks.Options(r.Context(), p.Bank, "")
	view := func(list string) kit.SavedView {
		return kit.SavedView{Title: "list." + list, Values: map[string]string{"list": list}}
	}
	return &kit.Filter{Views: []kit.SavedView{{Title: "word.all"}, view("unreconciled"), view("conflicts")}, Fields: []kit.FilterField{
		kit.SelectField("list", "label.list", r.Options("list.", "unreconciled", "conflicts")),
		kit.SelectField("state", "label.state", r.States("payment", bank.PaymentStates()...)),
		kit.TextField("reference", "label.reference", 36).Keyboard("numeric"), kit.TextField("phone", "label.phone", 30).Keyboard("tel"),
		kit.SelectField("bank", "label.bank", senders), kit.DateField("from", "label.from"), kit.DateField("to", "label.to"),
	}}, err
}

func paymentAddress(p *bank.Payment) string { return paymentsPath + "/" + p.ID.String() }

// paymentColumns are the columns of the list.
func paymentColumns() []kit.Column[bank.Payment] {
	return []kit.Column[bank.Payment]{
		kit.TimeColumn("label.received", func(p *bank.Payment) time.Time { return p.ReceivedAt }),
		{Title: "label.date", File: func(p *bank.Payment) sheet.Cell { return sheet.Day(p.Date) }},
		kit.StateColumn("payment", func(p *bank.Payment) string { return p.State }),
		kit.AmountColumn("label.amount", func(p *bank.Payment) (money.Amount, int) { return p.Amount, p.Currency.Digits }).
			Adding(func(p *bank.Payment) bool { return p.State != models.PaymentConflict }).AddedAs("bank.payments.sum"),
		kit.CurrencyColumn(func(p *bank.Payment) (code, symbol string) { return p.Currency.Code, p.Currency.Unit() }),
		kit.MonoColumn("label.reference", func(p *bank.Payment) string { return p.Reference }),
		{
			Title: "label.bank", Text: func(p *bank.Payment) string { return p.Bank }, Cell: func(_ *kit.View, p *bank.Payment) kit.Cell { return kit.Wrap(p.BankName) },
		},
		kit.PhoneColumn("label.sender", func(p *bank.Payment) string { return p.SenderPhone }),
		{Title: "label.concept", Text: func(p *bank.Payment) string { return p.Concept }},
		kit.WordColumn("label.reason", func(v *kit.View, p *bank.Payment) string { return v.FirstText("reason." + p.Reason) }),
		{Title: "label.id", Text: func(p *bank.Payment) string { return p.ID.String() }},
	}
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
