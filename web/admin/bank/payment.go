package bank

import (
	"crypto/rand"
	"fmt"
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
func answerText(v *kit.View, yes bool) string { return v.T(fmt.Sprint("bank.answered.", yes)) }

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
	if page.Payment, page.Other, err = p.Bank.PaymentSides(ctx, by, r.ID); err != nil {
		return nil, err
	}
	if page.EntityID != uuid.Nil {
		page.Entity = kit.EntityName(r, page.EntityID)
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

// paymentRow is a payment with the name of the entity that it was credited to, or the name of the entity of its likely request.
type paymentRow struct {
	bank.Payment

	Entity string
	likely bank.Request // zero for none
}

func (p *pages) paymentRows(r *kit.Request, w kit.Window) ([]paymentRow, int64, error) {
	list, total, err := p.Bank.Payments(r.Context(), r.Caller, paymentFilter(r, w))
	names := kit.EntityNames(r, list, func(p *bank.Payment) uuid.UUID { return p.EntityID })
	return kit.Map(list, func(p *bank.Payment) paymentRow { return paymentRow{Payment: *p, Entity: names[p.EntityID]} }), total, err
}

func (p *pages) paymentFilterForm(r *kit.Request) (*kit.Filter, error) {
	senders, err := banks.Options(r.Context(), p.Bank, "")
	open, conflicts := map[string]string{"list": "unreconciled"}, map[string]string{"list": "conflicts"}
	views := []kit.SavedView{{Title: "word.all"}, {Title: "list.unreconciled", Values: open}, {Title: "list.conflicts", Values: conflicts}}
	return &kit.Filter{Views: views, Fields: []kit.FilterField{
		kit.SelectField("list", "label.state", append(r.Options("list.", "unreconciled", "conflicts"),
			r.States("payment", models.PaymentCredited, models.PaymentAssigned, models.PaymentRefunded)...)),
		kit.TextField("reference", "label.reference", 36).Keyboard("numeric"), kit.TextField("phone", "label.phone", 30).Keyboard("tel"),
		kit.SelectField("bank", "label.bank", senders), kit.DateField("from", "label.from"), kit.DateField("to", "label.to"),
	}}, err
}

func paymentAddress(p *bank.Payment) string { return paymentsPath + "/" + p.ID.String() }
func rowAddress(row *paymentRow) string     { return paymentAddress(&row.Payment) }

// paymentColumns are the columns of the lists of payments.
func paymentColumns() []kit.Column[paymentRow] {
	return []kit.Column[paymentRow]{
		kit.TimeColumn("label.received", func(p *paymentRow) time.Time { return p.ReceivedAt }),
		{Title: "label.date", File: func(p *paymentRow) sheet.Cell { return sheet.Day(p.Date) }},
		kit.StateColumn("payment", func(p *paymentRow) string { return p.State }),
		kit.AmountColumn("label.amount", func(p *paymentRow) (money.Amount, int) { return p.Amount, p.Currency.Digits }).
			Adding(func(p *paymentRow) bool { return p.State != models.PaymentConflict }).AddedAs("bank.payments.sum"),
		kit.CurrencyColumn(func(p *paymentRow) (code, symbol string) { return p.Currency.Code, p.Currency.Unit() }),
		kit.MonoColumn("label.reference", func(p *paymentRow) string { return p.Reference }),
		{Title: "label.bank", Text: func(p *paymentRow) string { return p.Bank }, Cell: func(_ *kit.View, p *paymentRow) kit.Cell { return kit.Wrap(p.BankName) }},
		kit.PhoneColumn("label.sender", func(p *paymentRow) string { return p.SenderPhone }),
		{Title: "label.concept", Text: func(p *paymentRow) string { return p.Concept }},
		kit.WordColumn("label.reason", reasonText).WithCell(reasonCell),
		{Title: "label.id", Text: func(p *paymentRow) string { return p.ID.String() }},
	}
}

func paymentFilter(r *kit.Request, w kit.Window) *bank.PaymentFilter {
	return &bank.PaymentFilter{
		States: bank.ListedStates(r.Query("list")), Reference: r.Query("reference"), Phone: bank.SearchPhone(r.Query("phone")), Bank: bank.SearchBank(r.Query("bank")),
		From: r.QueryDay("from"), To: r.QueryDay("to"), Limit: w.Limit, Offset: w.Offset,
	}
}
