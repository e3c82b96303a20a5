package bank

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/internal/platform/money"
	"banca/web/kit"
)

func reasonText(v *kit.View, row *paymentRow) string { return v.FirstText("reason." + row.Reason) }

// reasonCell is why a payment waits, below the request that it is likely for.
func reasonCell(v *kit.View, row *paymentRow) kit.Cell {
	reason, q := kit.Wrap(reasonText(v, row)), &row.likely
	if q.ID == uuid.Nil {
		return reason
	}
	text := v.T("bank.front.likely", q.Document(), row.Entity, ago(v, q.CreatedAt))
	return kit.Wrap(text).To(rowAddress(row) + "#similar")
}

// Similar lists the open requests that the payment may be for, each with its own action.
func (p *paymentPage) Similar() kit.Rows {
	return kit.RowsOf([]kit.Column[bank.SimilarRequest]{
		kit.WordColumn("bank.payment.fits", func(v *kit.View, s *bank.SimilarRequest) string {
			return strings.Join(kit.Map(s.Fits, func(part *string) string { return v.T("label." + *part) }), ", ")
		}).Wrapped(),
		kit.WrapColumn("label.entity", func(s *bank.SimilarRequest) string { return p.entities[s.EntityID] }).
			To(func(s *bank.SimilarRequest) string { return requestsPath + "/" + s.ID.String() }),
		kit.MonoColumn("label.client_id", func(s *bank.SimilarRequest) string { return s.Document() }),
		kit.PhoneColumn("label.client_phone", func(s *bank.SimilarRequest) string { return s.ClientPhone }),
		kit.TimeColumn("label.created", func(s *bank.SimilarRequest) time.Time { return s.CreatedAt }),
		{Cell: func(v *kit.View, s *bank.SimilarRequest) kit.Cell { return v.QuestionCell(p.assignTo(v, s)) }},
	}, p.similar, nil, "bank.payment.similar.none")
}

// assignTo asks whether the payment is booked to a request.
func (p *paymentPage) assignTo(v *kit.View, s *bank.SimilarRequest) *kit.Question {
	note := kit.NewForm(kit.TextInput("note", "label.note", 120)).WithPrefix(s.ID.String() + "-")
	return p.ask(v, "assign").With("request", s.ID.String()).Fact("label.entity", kit.Text(p.entities[s.EntityID])).Fact("label.client_id", kit.Text(s.Document())).
		Fact("label.client_phone", kit.Text(v.Phone(s.ClientPhone))).WithForm(note)
}

// Sides are the payment and the one with its reference and another amount.
func (p *paymentPage) Sides() kit.Rows {
	return kit.RowsOf([]kit.Column[bank.Payment]{
		kit.TimeColumn("label.received", func(q *bank.Payment) time.Time { return q.ReceivedAt }),
		kit.StateColumn("payment", func(q *bank.Payment) string { return q.State }),
		kit.AmountColumn("label.amount", func(q *bank.Payment) (money.Amount, int) { return q.Amount, q.Currency.Digits }),
		kit.CurrencyColumn(func(q *bank.Payment) (code, symbol string) { return q.Currency.Code, q.Currency.Unit() }),
		kit.WordColumn("label.answer", func(v *kit.View, q *bank.Payment) string { return answerText(v, q.Answer) }),
		kit.TimeColumn("label.paid_at", func(q *bank.Payment) time.Time { return q.PaidAt }),
		kit.PhoneColumn("label.sender", func(q *bank.Payment) string { return q.SenderPhone }),
		kit.WrapColumn("label.concept", func(q *bank.Payment) string { return q.Concept }),
	}, []bank.Payment{*p.Payment, *p.Other}, paymentAddress, "")
}
