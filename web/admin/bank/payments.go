package bank

import (
	"crypto/rand"
	"slices"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/models"
	"banca/web/kit"
)

func (p *pages) paymentRows(r *kit.Request, w kit.Window) ([]bank.Payment, int64, error) {
	filter := paymentFilter(r)
	filter.Limit, filter.Offset = w.Limit, w.Offset
	return p.Bank.Payments(r.Context(), r.Caller, filter)
}

func paymentFilterForm(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("list", "label.list", r.Options("list.", "unreconciled", "conflicts")),
		kit.SelectField("state", "label.state", r.States("payment", paymentStates()...)),
		kit.TextField("reference", "label.reference", 36).Keyboard("numeric"), kit.TextField("phone", "label.phone", 30).Keyboard("tel"),
		kit.DateField("from", "label.from"), kit.DateField("to", "label.to"),
	}}, nil
}

func paymentAddress(p *bank.Payment) string { return paymentsPath + "/" + p.ID.String() }

// paymentStates are those a payment can be in.
func paymentStates() []string {
	return []string{
		models.PaymentCredited, models.PaymentUnmatched, models.PaymentSuspense, models.PaymentConflict, models.PaymentAssigned, models.PaymentRefunded,
	}
}

// paymentColumns are those of the list; in the file, times are in UTC and amounts have a point.
func paymentColumns() []kit.Column[bank.Payment] {
	return []kit.Column[bank.Payment]{
		{Title: "label.time", Cell: func(v *kit.View, p *bank.Payment) kit.Cell { return kit.At(v.Time(p.ReceivedAt)) }},
		{Title: "label.received", Text: func(p *bank.Payment) string { return kit.FileTime(p.ReceivedAt) }},
		{Title: "label.date", Text: func(p *bank.Payment) string { return p.Date.String() }},
		{
			Title: "label.state", Text: func(p *bank.Payment) string { return p.State },
			Cell: func(v *kit.View, p *bank.Payment) kit.Cell { return kit.Badges(v.State("payment", p.State)) },
		},
		{
			Title: "label.amount", Number: true, Text: func(p *bank.Payment) string { return p.Amount.Format(p.Currency.Digits) },
			Cell: func(v *kit.View, p *bank.Payment) kit.Cell { return kit.Text(v.Money(p.Amount, p.Currency.Digits)) },
		},
		{Title: "label.currency", Text: func(p *bank.Payment) string { return p.Currency.Code }, Cell: func(_ *kit.View, p *bank.Payment) kit.Cell { return kit.Text(p.Currency.Code) }},
		{Title: "label.reference", Text: func(p *bank.Payment) string { return p.Reference }, Cell: func(_ *kit.View, p *bank.Payment) kit.Cell { return kit.Mono(p.Reference) }},
		{Title: "label.bank", Text: func(p *bank.Payment) string { return p.Bank }, Cell: func(_ *kit.View, p *bank.Payment) kit.Cell { return kit.Mono(p.Bank) }},
		{Title: "label.sender", Text: func(p *bank.Payment) string { return p.SenderPhone }, Cell: func(_ *kit.View, p *bank.Payment) kit.Cell { return kit.Mono(p.SenderPhone) }},
		{Title: "label.concept", Text: func(p *bank.Payment) string { return p.Concept }},
		{Title: "label.reason", Text: func(p *bank.Payment) string { return p.Reason }, Cell: reasonCell},
		{Title: "label.id", Text: func(p *bank.Payment) string { return p.ID.String() }},
	}
}

func reasonCell(v *kit.View, p *bank.Payment) kit.Cell {
	if p.Reason == "" {
		return kit.Cell{}
	}
	return kit.Text(v.T("reason." + p.Reason))
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

// paymentPage is one payment with what can be done with it.
type paymentPage struct {
	bank.Payment

	Entity   string         // whose wallet was credited
	Waits    bool           // for an operator
	Requests []bank.Request // open ones of its amount
	Key      string         // of the form, so that sending it twice does one thing
	Code     string         // of an entity, as typed
	NoteText string         // as typed
}

// candidates bounds the open requests that are offered for a payment.
const candidates = 20

func (p *pages) loadPayment(r *kit.Request) (*paymentPage, error) {
	payment, err := p.Bank.Payment(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &paymentPage{Payment: *payment, Key: rand.Text()}
	page.Waits = slices.Contains(append(bank.Unreconciled(), bank.Conflicts()...), payment.State)
	if payment.EntityID != uuid.Nil {
		page.Entity = r.EntityName(payment.EntityID)
	}
	if page.Waits {
		page.Requests, _, err = p.Bank.Requests(r.Context(), r.Caller, &bank.RequestFilter{
			Status: models.RequestOpen, Amount: payment.Amount, Limit: candidates,
		})
	}
	return page, err
}

// assign books a payment that waits to an open request, or into the wallet of the entity with a code.
func (p *pages) assign(r *kit.Request) error {
	resolution, err := p.resolution(r)
	if err == nil {
		_, _, err = p.Bank.Assign(r.Context(), r.Caller, resolution) // which refuses neither and both
	}
	return p.afterPayment(r, err, "assigned")
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
		if to.EntityID, err = p.Org.ByCode(r.Context(), r.Caller, code); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// refund marks a payment that waits as given back.
func (p *pages) refund(r *kit.Request) error {
	_, _, err := p.Bank.Refund(r.Context(), r.Caller, &bank.Resolution{PaymentID: r.ID, Note: r.Form("note"), IdempotencyKey: r.Form("key")})
	return p.afterPayment(r, err, "refunded")
}

// afterPayment answers a form of a payment's page; a refused form keeps its fields.
func (p *pages) afterPayment(r *kit.Request, err error, notice string) error {
	return p.payment.Submit(r, err, notice, func(page *paymentPage) { page.Code, page.NoteText = r.Form("entity"), r.Form("note") })
}
