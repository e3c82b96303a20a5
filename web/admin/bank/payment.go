package bank

import (
	"crypto/rand"
	"slices"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/models"
	"banca/web/kit"
)

// paymentPage is one payment with what can be done with it.
type paymentPage struct {
	bank.Payment

	Entity string // whose wallet was credited
	Waits  bool   // for an operator

	requests []bank.Request // open ones of its amount
	key      string         // of the forms, so that sending one twice does one thing
	request  *kit.Request   // with what was typed
}

// Assign asks for the open request, or the code of the entity, that the payment is booked to.
func (p *paymentPage) Assign(v *kit.View) *kit.Question {
	inputs := []kit.Input{
		kit.EntityInput("entity", "label.entity"), kit.TextInput("note", "label.note", 120),
	}
	if len(p.requests) > 0 {
		inputs = append([]kit.Input{kit.RadioInput("request", "bank.payment.requests", p.requestOptions(v))}, inputs...)
	}
	return p.ask(v, "assign").WithForm(kit.NewForm(inputs...).WithPrefix("a-").FillFrom(p.request)).Opened(v.Problem != "")
}

// requestOptions are the open requests, and that the entity is named instead.
func (p *paymentPage) requestOptions(v *kit.View) []kit.Option {
	var options []kit.Option
	for i := range p.requests {
		q := &p.requests[i]
		options = append(options, kit.Option{Value: q.ID.String(), Text: q.ClientID + " " + q.ClientPhone + " · " + v.Time(q.CreatedAt).Local})
	}
	return append(options, kit.Option{Text: v.T("bank.payment.byentity")})
}

// Refund asks for the reference of the money that was given back.
func (p *paymentPage) Refund(v *kit.View) *kit.Question {
	return p.ask(v, "refund").WithForm(kit.NewForm(kit.TextInput("note", "label.refund_note", 120).Required()).WithPrefix("r-")).Irreversible(true)
}

func (p *paymentPage) ask(v *kit.View, action string) *kit.Question {
	key := "bank.payment." + action
	ask := v.T(key+".ask", v.Money(p.Amount, p.Currency.Digits), p.Currency.Unit(), p.Reference)
	return v.Question(v.T(key), paymentAddress(&p.Payment)+"/"+action, ask, v.T(key+".do")).With("key", p.key)
}

// candidates bounds the open requests that are offered for a payment.
const candidates = 20

func (p *pages) loadPayment(r *kit.Request) (*paymentPage, error) {
	payment, err := p.Bank.Payment(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &paymentPage{Payment: *payment, key: rand.Text(), request: r}
	page.Waits = slices.Contains(append(bank.Unreconciled(), bank.Conflicts()...), payment.State)
	if payment.EntityID != uuid.Nil {
		page.Entity = r.EntityName(payment.EntityID)
	}
	if page.Waits {
		page.requests, _, err = p.Bank.Requests(r.Context(), r.Caller, &bank.RequestFilter{
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
