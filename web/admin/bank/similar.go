package bank

import (
	"strings"
	"time"

	"banca/internal/bank"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// Similar lists the open requests that the payment may be for, each with its own action.
func (p *paymentPage) Similar() kit.Rows {
	return kit.RowsOf([]kit.Column[bank.SimilarRequest]{
		kit.WordColumn("bank.payment.fits", func(v *kit.View, s *bank.SimilarRequest) string {
			return strings.Join(kit.Map(s.Fits, func(part *string) string { return v.T("label." + *part) }), ", ")
		}).Wrapped(),
		kit.WrapColumn("label.entity", func(s *bank.SimilarRequest) string { return p.entities[s.EntityID] }).To(func(s *bank.SimilarRequest) string { return requestsPath + "/" + s.ID.String() }),
		kit.MonoColumn("label.client_id", func(s *bank.SimilarRequest) string { return s.ClientID }),
		kit.PhoneColumn("label.client_phone", func(s *bank.SimilarRequest) string { return s.ClientPhone }),
		kit.TimeColumn("label.created", func(s *bank.SimilarRequest) time.Time { return s.CreatedAt }),
		{Cell: func(v *kit.View, s *bank.SimilarRequest) kit.Cell { return v.QuestionCell(p.assignTo(v, s)) }},
	}, p.similar, nil, "bank.payment.similar.none")
}

// assignTo asks whether the payment is booked to a request.
func (p *paymentPage) assignTo(v *kit.View, s *bank.SimilarRequest) *kit.Question {
	note := kit.NewForm(kit.TextInput("note", "label.note", 120)).WithPrefix(s.ID.String() + "-")
	return p.ask(v, "assign").With("request", s.ID.String()).Fact("label.entity", kit.Text(p.entities[s.EntityID])).Fact("label.client_id", kit.Text(s.ClientID)).
		Fact("label.client_phone", kit.Text(v.Phone(s.ClientPhone))).WithForm(note)
}

// Sides are the payment and the one with its reference and another amount.
func (p *paymentPage) Sides() kit.Rows {
	type side struct {
		name string
		of   func(v *kit.View, payment *bank.Payment) kit.Cell
	}
	sides := []side{
		{"label.amount", func(v *kit.View, q *bank.Payment) kit.Cell { return kit.Text(currency.Text(v, q.Amount, q.Currency)) }},
		{"label.state", func(v *kit.View, q *bank.Payment) kit.Cell { return kit.Badges(v.State("payment", q.State)) }},
		{"label.answer", func(v *kit.View, q *bank.Payment) kit.Cell { return kit.Text(answerText(v, q.Answer)) }},
		{"label.received", func(v *kit.View, q *bank.Payment) kit.Cell { return v.At(q.ReceivedAt) }},
		{"label.paid_at", func(v *kit.View, q *bank.Payment) kit.Cell { return v.At(q.PaidAt) }},
		{"label.sender", func(v *kit.View, q *bank.Payment) kit.Cell { return kit.Mono(v.Phone(q.SenderPhone)) }},
		{"label.bank", func(_ *kit.View, q *bank.Payment) kit.Cell { return kit.Text(q.BankName) }},
		{"label.concept", func(_ *kit.View, q *bank.Payment) kit.Cell { return kit.Wrap(q.Concept) }},
	}
	return kit.RowsOf([]kit.Column[side]{
		kit.WordColumn("label.field", func(v *kit.View, s *side) string { return v.T(s.name) }),
		{Title: "bank.payment.this", Cell: func(v *kit.View, s *side) kit.Cell { return s.of(v, p.Payment) }},
		{Title: "bank.payment.other", Cell: func(v *kit.View, s *side) kit.Cell { return s.of(v, p.Other) }},
	}, sides, nil, "")
}
