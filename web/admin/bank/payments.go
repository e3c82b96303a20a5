package bank

import (
	"time"

	"banca/internal/bank"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

func (p *pages) paymentRows(r *kit.Request, w kit.Window) ([]bank.Payment, int64, error) {
	filter := paymentFilter(r)
	filter.Limit, filter.Offset = w.Limit, w.Offset
	return p.Bank.Payments(r.Context(), r.Caller, filter)
}

func (p *pages) paymentFilterForm(r *kit.Request) (*kit.Filter, error) {
	senders, err := banks.Options(r.Context(), p.Bank, "")
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("list", "label.list", r.Options("list.", "unreconciled", "conflicts")),
		kit.SelectField("state", "label.state", r.States("payment", paymentStates()...)),
		kit.TextField("reference", "label.reference", 36).Keyboard("numeric"), kit.TextField("phone", "label.phone", 30).Keyboard("tel"),
		kit.SelectField("bank", "label.bank", senders), kit.DateField("from", "label.from"), kit.DateField("to", "label.to"),
	}}, err
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
		kit.TimeColumn("label.received", func(p *bank.Payment) time.Time { return p.ReceivedAt }),
		{Title: "label.date", File: func(p *bank.Payment) sheet.Cell { return sheet.Day(p.Date) }},
		kit.StateColumn("payment", func(p *bank.Payment) string { return p.State }),
		kit.AmountColumn("label.amount", func(p *bank.Payment) (money.Amount, int) { return p.Amount, p.Currency.Digits }),
		kit.CurrencyColumn(func(p *bank.Payment) (code, symbol string) { return p.Currency.Code, p.Currency.Unit() }),
		kit.MonoColumn("label.reference", func(p *bank.Payment) string { return p.Reference }),
		kit.MonoColumn("label.bank", func(p *bank.Payment) string { return p.Bank }),
		kit.MonoColumn("label.sender", func(p *bank.Payment) string { return p.SenderPhone }),
		{Title: "label.concept", Text: func(p *bank.Payment) string { return p.Concept }},
		kit.WordColumn("label.reason", reasonText),
		{Title: "label.id", Text: func(p *bank.Payment) string { return p.ID.String() }},
	}
}

func reasonText(v *kit.View, p *bank.Payment) string {
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
