package bank

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"banca/internal/bank"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// nearTime is how long before a payment its customer may have announced it.
const nearTime = 2 * time.Hour

// similar is an open request of the amount of a payment, with what else of both is equal.
type similar struct {
	bank.Request

	Entity string
	fits   []string // keys
}

// similarTo returns the requests with what they have in common with a payment, the most first, and of equal ones the latest before it.
func similarTo(p *bank.Payment, requests []bank.Request) []similar {
	at := p.ReceivedAt
	if !p.PaidAt.IsZero() {
		at = p.PaidAt
	}
	list := kit.Map(requests, func(q *bank.Request) similar {
		s := similar{Request: *q, fits: []string{"label.amount"}}
		for _, part := range []struct {
			key  string
			fits bool
		}{
			{"label.phone", q.ClientPhone != "" && q.ClientPhone == p.SenderPhone},
			{"label.id_document", len(q.ClientID) > 1 && strings.Contains(p.Concept, q.ClientID[1:])},
			{"label.reference", q.Reference != "" && strings.HasSuffix(p.Reference, q.Reference)},
			{"label.bank", q.Bank != "" && q.Bank == p.Bank},
			{"label.time", !q.CreatedAt.After(at) && at.Sub(q.CreatedAt) <= nearTime},
		} {
			if part.fits {
				s.fits = append(s.fits, part.key)
			}
		}
		return s
	})
	slices.SortStableFunc(list, func(a, b similar) int {
		return cmp.Or(len(b.fits)-len(a.fits), cmp.Compare(at.Sub(a.CreatedAt).Abs(), at.Sub(b.CreatedAt).Abs()))
	})
	return list
}

// Similar lists the open requests that the payment may be for, each with its own action.
func (p *paymentPage) Similar() kit.Rows {
	return kit.RowsOf([]kit.Column[similar]{
		kit.WordColumn("bank.payment.fits", func(v *kit.View, s *similar) string {
			words := make([]string, len(s.fits))
			for i, key := range s.fits {
				words[i] = v.T(key)
			}
			return strings.Join(words, ", ")
		}).Wrapped(),
		kit.WrapColumn("label.entity", func(s *similar) string { return s.Entity }).To(func(s *similar) string { return requestsPath + "/" + s.ID.String() }),
		kit.MonoColumn("label.client_id", func(s *similar) string { return s.ClientID }),
		kit.PhoneColumn("label.client_phone", func(s *similar) string { return s.ClientPhone }),
		kit.TimeColumn("label.created", func(s *similar) time.Time { return s.CreatedAt }),
		{Cell: func(v *kit.View, s *similar) kit.Cell { return v.QuestionCell(p.assignTo(v, s)) }},
	}, p.similar, nil, "bank.payment.similar.none")
}

// assignTo asks whether the payment is booked to a request.
func (p *paymentPage) assignTo(v *kit.View, s *similar) *kit.Question {
	note := kit.NewForm(kit.TextInput("note", "label.note", 120)).WithPrefix(s.ID.String() + "-")
	return p.ask(v, "assign").With("request", s.ID.String()).Fact("label.entity", kit.Text(s.Entity)).Fact("label.client_id", kit.Text(s.ClientID)).
		Fact("label.client_phone", kit.Text(v.Phone(s.ClientPhone))).WithForm(note)
}

// Sides are the payment and the one with its reference and another amount.
func (p *paymentPage) Sides() kit.Rows {
	type side struct {
		name string
		of   func(v *kit.View, payment *paymentRow) kit.Cell
	}
	sides := []side{
		{"label.amount", func(v *kit.View, q *paymentRow) kit.Cell { return kit.Text(currency.Text(v, q.Amount, q.Currency)) }},
		{"label.state", func(v *kit.View, q *paymentRow) kit.Cell { return kit.Badges(v.State("payment", q.State)) }},
		{"label.answer", func(v *kit.View, q *paymentRow) kit.Cell { return kit.Text(q.AnswerText(v)) }},
		{"label.received", func(v *kit.View, q *paymentRow) kit.Cell { return v.At(q.ReceivedAt) }},
		{"label.paid_at", func(v *kit.View, q *paymentRow) kit.Cell { return v.At(q.PaidAt) }},
		{"label.sender", func(v *kit.View, q *paymentRow) kit.Cell { return kit.Mono(v.Phone(q.SenderPhone)) }},
		{"label.bank", func(_ *kit.View, q *paymentRow) kit.Cell { return kit.Text(q.BankName) }},
		{"label.concept", func(_ *kit.View, q *paymentRow) kit.Cell { return kit.Wrap(q.Concept) }},
	}
	return kit.RowsOf([]kit.Column[side]{
		kit.WordColumn("label.field", func(v *kit.View, s *side) string { return v.T(s.name) }),
		{Title: "bank.payment.this", Cell: func(v *kit.View, s *side) kit.Cell { return s.of(v, &p.paymentRow) }},
		{Title: "bank.payment.other", Cell: func(v *kit.View, s *side) kit.Cell { return s.of(v, p.Other) }},
	}, sides, nil, "")
}
