package money

import (
	"time"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// creditPage is the credit limit of a wallet with its history.
type creditPage struct {
	ledger.Wallet

	Currency ledger.Currency
	Form     *kit.Form
	Changes  bool // the caller may change it
	Rows     kit.Rows
}

// Show formats an amount of the wallet's currency.
func (p *creditPage) Show(v *kit.View, a money.Amount) string { return amountOf(v, a, p.Currency) }

// Meter is the used part of the credit.
func (p *creditPage) Meter(v *kit.View) *kit.Meter { return meterOf(v, &p.Wallet) }

// Credit is the text of the limit.
func (p *creditPage) Credit(v *kit.View) string { return creditText(v, &p.Wallet, p.Currency) }

func (p *pages) loadCredit(r *kit.Request) (*creditPage, error) {
	w, currency, err := p.one(r)
	if err != nil {
		return nil, err
	}
	h, err := p.Ledger.CreditChanges(r.Context(), r.Caller, r.ID, kit.PageSize, 0)
	if err != nil {
		return nil, err
	}
	return &creditPage{
		Wallet: w, Currency: currency, Form: creditForm(&ledger.CreditRequest{}), Rows: kit.RowsOf(creditColumns(currency.Digits), h.Changes, nil, "wallet.credit.none"),
		Changes: w.Kind == "main" && !w.Unlimited && above(r, &w) && r.May(auth.WalletsCredit),
	}, nil
}

func creditForm(credit *ledger.CreditRequest) *kit.Form {
	return kit.NewForm(
		kit.DecimalInput("amount", "wallet.credit.new", 24).WithRule("wallet.credit.rule", true).Required().
			At(money.ErrNegative.Code).Into(&credit.Amount),
		kit.TextInput("reason", "label.reason", ledger.MaxNote).Required().Into(&credit.Reason))
}

func creditColumns(digits int) []kit.Column[ledger.CreditChange] {
	return []kit.Column[ledger.CreditChange]{
		kit.TimeColumn("label.time", func(c *ledger.CreditChange) time.Time { return c.CreatedAt }),
		kit.AmountColumn("wallet.credit.before", func(c *ledger.CreditChange) (money.Amount, int) { return c.OldLimit, digits }),
		kit.AmountColumn("wallet.credit.after", func(c *ledger.CreditChange) (money.Amount, int) { return c.NewLimit, digits }),
		kit.WrapColumn("label.reason", func(c *ledger.CreditChange) string { return c.Reason }),
		kit.WrapColumn("label.user", func(c *ledger.CreditChange) string { return c.User }),
	}
}

func (p *pages) setCredit(r *kit.Request) error {
	credit := &ledger.CreditRequest{WalletID: r.ID}
	creditForm(credit).Take(r)
	_, err := p.Ledger.SetCredit(r.Context(), r.Caller, credit)
	return p.credit.Submit(r, err, "wallet.credit", func(page *creditPage) { page.Form.FillFrom(r).RefuseBy(err, "") })
}
