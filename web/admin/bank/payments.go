package bank

import (
	"banca/internal/bank"
	"banca/internal/money"
	"banca/internal/sheet"
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

// paymentColumns are those of the list.
func paymentColumns() []kit.Column[bank.Payment] {
	return []kit.Column[bank.Payment]{
		{Title: "label.time", Cell: func(v *kit.View, p *bank.Payment) kit.Cell { return kit.At(v.Time(p.ReceivedAt)) }},
		{Title: "label.received", File: func(p *bank.Payment) sheet.Cell { return sheet.Time(p.ReceivedAt) }},
		{Title: "label.date", File: func(p *bank.Payment) sheet.Cell { return sheet.Day(p.Date) }},
		kit.StateColumn("payment", func(p *bank.Payment) string { return p.State }),
		kit.AmountColumn("label.amount", func(p *bank.Payment) (money.Amount, int) { return p.Amount, p.Currency.Digits }),
		kit.TextColumn("label.currency", func(p *bank.Payment) string { return p.Currency.Code }),
		kit.MonoColumn("label.reference", func(p *bank.Payment) string { return p.Reference }),
		kit.MonoColumn("label.bank", func(p *bank.Payment) string { return p.Bank }),
		kit.MonoColumn("label.sender", func(p *bank.Payment) string { return p.SenderPhone }),
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
