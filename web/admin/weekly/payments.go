package weekly

import (
	"net/http"
	"strings"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/weekly"
	"banca/web/kit"
)

// sure reports whether a form answers the question before a payment.
func sure(r *kit.Request) bool { return r.Form("sure") != "" && r.Form("back") == "" }

// paymentColumns are those of movements, each with the button of an action.
func (p *settlementPage) paymentColumns(action, button string) []kit.Column[weekly.Payment] {
	columns := []kit.Column[weekly.Payment]{
		{Title: "weekly.movement", Cell: func(v *kit.View, m *weekly.Payment) kit.Cell {
			var under []string
			if m.Entity != p.Entity {
				under = append(under, m.Entity)
			}
			if m.Note != "" {
				under = append(under, m.Note)
			}
			return kit.Wrap(v.T("weekly.kind."+m.Kind) + " " + m.Reference).WithSecondLine(strings.Join(under, " · "))
		}},
		{Title: "label.date", Cell: func(v *kit.View, m *weekly.Payment) kit.Cell { return kit.At(v.ExactTime(m.At)) }},
		{Title: "label.amount", Number: true, Cell: func(v *kit.View, m *weekly.Payment) kit.Cell {
			cell := kit.Text(v.Money(m.Amount, p.Currency.Digits))
			if m.Reversed {
				cell = cell.WithSecondLine(v.T("weekly.reversed"))
			}
			return cell
		}},
	}
	if !p.Pays {
		return columns
	}
	return append(columns, kit.Column[weekly.Payment]{Cell: func(v *kit.View, m *weekly.Payment) kit.Cell {
		return v.ButtonCell(v.ActionButton(p.At()+"/"+action, v.T(button)).With("movement", m.MovementID.String()).With("key", newKey()))
	}})
}

// payForm is the form of a payment of all that is left.
func (p *settlementPage) payForm(r *kit.Request) *kit.Form {
	left := p.Outstanding()
	return payForm(r, p.Currency.Digits, &weekly.PayRequest{Amount: r.Money(max(left, -left), p.Currency.Digits)})
}

func payForm(r *kit.Request, digits int, pay *weekly.PayRequest) *kit.Form {
	return kit.NewForm(
		kit.MoneyInput("amount", "label.amount", digits).Required().At(ledger.ErrInsufficientBalance.Code).Into(&pay.Amount),
		kit.TextInput("reference", "label.reference", ledger.MaxReference).WithRule("move.reference.rule", true).Required().
			At(ledger.ErrReferenceUsed.Code).Into(&pay.Reference),
		kit.ChoiceInput(meansField, "closes.means", means(r)),
		kit.TextInput("note", "label.note", ledger.MaxNote-meansLength).Into(&pay.Note),
	)
}

const (
	meansField  = "means"
	meansLength = 40 // of the text of the means in the note
)

// means are the means of a payment.
func means(r *kit.Request) []kit.Option {
	return append([]kit.Option{{}}, r.Options("weekly.means.", "cash", "mobile", "transfer", "card")...)
}

// noted is the note of a payment, with its means before.
func noted(r *kit.Request, note string) string {
	for _, o := range means(r) {
		if o.Value != "" && o.Value == r.Text(meansField) {
			return strings.TrimSuffix(o.Text+" · "+note, " · ")
		}
	}
	return note
}

// Withdraws reports whether the entity is paid.
func (p *settlementPage) Withdraws() bool { return p.Outstanding() < 0 }

// PayTitle is the title of the form.
func (p *settlementPage) PayTitle(v *kit.View) string {
	if p.Withdraws() {
		return v.T("weekly.pay.to")
	}
	return v.T("weekly.pay.from")
}

// PayLead says what the payment does.
func (p *settlementPage) PayLead(v *kit.View) string {
	if p.Withdraws() {
		return v.T("weekly.pay.to.lead", p.Entity)
	}
	return v.T("weekly.pay.from.lead", p.Entity)
}

// PayQuestion asks before the payment is made; its form carries the typed values.
func (p *settlementPage) PayQuestion(v *kit.View) *kit.Question {
	left, amount := p.Outstanding(), *p.Sure
	after := left - amount
	if p.Withdraws() {
		after = left + amount
	}
	q := v.Question("", p.At()+"/pay", p.PayLead(v), v.T("weekly.pay.do", p.amount(v, amount))).
		Fact("label.entity", kit.Wrap(p.Entity)).
		Fact("label.amount", kit.Text(p.amount(v, amount))).
		Fact("weekly.left", kit.Text(p.amount(v, left))).
		Fact("weekly.left.after", kit.Text(p.amount(v, after))).
		Fact("label.reference", kit.Wrap(p.Form.Get("reference")))
	if chosen := p.Form.Get(meansField); chosen != "" {
		q = q.Fact("closes.means", kit.Text(v.FirstText("weekly.means."+chosen)))
	}
	if note := p.Form.Get("note"); note != "" {
		q = q.Fact("label.note", kit.Wrap(note))
	}
	return p.carry(q).With("sure", "1")
}

// PayBack returns to the form with the typed values.
func (p *settlementPage) PayBack(v *kit.View) *kit.Question {
	return p.carry(v.ActionButton(p.At()+"/pay", v.T("move.change"))).With("back", "1")
}

// carry adds the typed values as hidden fields.
func (p *settlementPage) carry(q *kit.Question) *kit.Question {
	for _, field := range []string{"amount", "reference", meansField, "note"} {
		q = q.With(field, p.Form.Get(field))
	}
	return q.With("key", p.Key)
}

// pay checks the form of a payment and asks, or makes the payment.
func (p *pages) pay(r *kit.Request) error {
	page, err := p.settlement.Load(r)
	if err != nil {
		return err
	}
	if page.Form == nil && sure(r) { // it may be a repeat of the payment of all that was left
		return p.settlement.Submit(r, p.book(r, page.Currency.Digits), "settlement.paid")
	}
	if page.Form == nil {
		return p.settlement.ShowRefusal(r, weekly.ErrNothingDue)
	}
	refill := func(s *settlementPage) {
		if s.Form == nil {
			return
		}
		s.Form.FillFrom(r)
		if key := r.Text("key"); key != "" {
			s.Key = key
		}
	}
	refill(page)
	switch {
	case !page.Form.Check():
		return p.settlement.Present(r, http.StatusUnprocessableEntity, "", refill, func(s *settlementPage) { s.Form.Check() })
	case r.Form("back") != "":
		return p.settlement.Present(r, http.StatusOK, "", refill)
	case !sure(r):
		amount, _ := kit.ReadMoney(r.Form("amount"), page.Currency.Digits) // checked above
		return p.settlement.Present(r, http.StatusOK, "", refill, func(s *settlementPage) { s.Sure = &amount })
	}
	err = p.book(r, page.Currency.Digits)
	return p.settlement.Submit(r, err, "settlement.paid", refill, func(s *settlementPage) {
		if s.Form != nil {
			s.Form.RefuseBy(err, "")
		}
	})
}

// book makes the payment of the form.
func (p *pages) book(r *kit.Request, digits int) error {
	pay := &weekly.PayRequest{ID: r.ID, IdempotencyKey: r.Text("key")}
	payForm(r, digits, pay).Take(r)
	pay.Note = noted(r, pay.Note)
	amount, err := money.Parse(pay.Amount, digits)
	if err != nil {
		return money.ErrAmount
	}
	pay.Amount = amount.Format(digits)
	_, _, err = p.Weekly.Pay(r.Context(), r.Caller, pay)
	return err
}

func (p *pages) link(r *kit.Request) error {
	_, _, err := p.Weekly.Link(r.Context(), r.Caller, linkOf(r))
	return p.settlement.Submit(r, err, "settlement.linked")
}

func (p *pages) unlink(r *kit.Request) error {
	_, _, err := p.Weekly.Unlink(r.Context(), r.Caller, linkOf(r))
	return p.settlement.Submit(r, err, "settlement.unlinked")
}

func linkOf(r *kit.Request) *weekly.LinkRequest {
	return &weekly.LinkRequest{ID: r.ID, MovementID: r.FormID("movement"), IdempotencyKey: r.Text("key")}
}
