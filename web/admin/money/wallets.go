package money

import (
	"time"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// walletRow is a wallet with its currency.
type walletRow struct {
	ledger.Wallet

	Currency ledger.Currency
}

// asked returns the currency and the kind of wallet of the address. The list opens with the main wallets of one currency,
// because the balances of all kinds of wallets sum to zero.
func asked(r *kit.Request, all []ledger.Currency) (code, kind string) {
	if kit.Asks(r, "currency", "kind", "q") {
		return r.Query("currency"), r.Query("kind")
	}
	if active := ledger.Active(all); len(active) > 0 {
		code = active[0].Code
	}
	return code, models.WalletMain
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]walletRow, int64, error) {
	all, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, 0, err
	}
	f := &ledger.WalletFilter{Search: r.Query("q"), Limit: w.Limit, Offset: w.Offset}
	f.Currency, f.Kind = asked(r, all)
	wallets, total, err := p.Ledger.Wallets(r.Context(), r.Caller, f)
	if err != nil {
		return nil, 0, r.Warned(err)
	}
	rows := make([]walletRow, len(wallets))
	for i := range wallets {
		rows[i].Wallet = wallets[i]
		for _, c := range all {
			if c.ID == wallets[i].CurrencyID {
				rows[i].Currency = c
			}
		}
	}
	return rows, total, nil
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	all, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	kinds := r.Options("wallet.kind.", models.WalletMain, models.WalletExternal, models.WalletSuspense)
	code, kind := asked(r, all)
	return &kit.Filter{Fields: []kit.FilterField{
		kit.TextField("q", "wallets.search", 60), kit.SelectField("currency", "label.currency", currency.Options(all)).Opening(code),
		kit.SelectField("kind", "wallets.kinds", kinds).Opening(kind),
	}}, nil
}

func columns() []kit.Column[walletRow] {
	return []kit.Column[walletRow]{
		kit.WrapColumn("label.entity", func(w *walletRow) string { return w.Entity }).Below(kindText),
		kit.CurrencyColumn(func(w *walletRow) (code, symbol string) { return w.Currency.Code, w.Currency.Unit() }),
		kit.AmountColumn("wallet.balance", func(w *walletRow) (money.Amount, int) { return w.Balance, w.Currency.Digits }).Summed(),
		{
			Title: "wallet.credit", Number: true,
			File: func(w *walletRow) sheet.Cell { return sheet.Money(w.CreditLimit, w.Currency.Digits) },
			Cell: func(v *kit.View, w *walletRow) kit.Cell { return limitCell(v, w, w.CreditLimit) },
		},
		{
			Title: "wallet.used", Cell: func(v *kit.View, w *walletRow) kit.Cell { return v.MeterCell(meterOf(v, &w.Wallet)) },
			File: func(w *walletRow) sheet.Cell { return used(&w.Wallet) },
		},
		{
			Title: "wallet.available", Number: true,
			File: func(w *walletRow) sheet.Cell { return available(&w.Wallet, w.Currency) },
			Cell: func(v *kit.View, w *walletRow) kit.Cell { return limitCell(v, w, max(0, w.Balance+w.CreditLimit)) },
		},
		{Title: "wallets.kinds", Words: func(v *kit.View, w *walletRow) string { return v.T("wallet.kind." + w.Kind) }},
		kit.BadgeColumn("label.state", func(v *kit.View, w *walletRow) kit.Badge { return state(v, &w.Wallet) }).Leading(),
		{Title: "label.id", Text: func(w *walletRow) string { return w.ID.String() }},
	}
}

// limitCell is an amount of credit; a wallet without a limit has none.
func limitCell(v *kit.View, w *walletRow, a money.Amount) kit.Cell {
	if w.Unlimited {
		return kit.Text(v.T("wallet.unlimited"))
	}
	return kit.Text(v.Money(a, w.Currency.Digits))
}

// kindText names the kind of a wallet that is not the main one.
func kindText(v *kit.View, w *walletRow) string {
	if w.Kind == models.WalletMain {
		return ""
	}
	return v.T("wallet.kind." + w.Kind)
}

// whole is all of a credit in percent.
const whole = 100

// used is the used part of the credit.
func used(w *ledger.Wallet) sheet.Cell {
	percent, limited := kit.UsedCredit(w.Balance, w.CreditLimit)
	if w.Unlimited || !limited {
		return sheet.Cell{}
	}
	return sheet.Percent(money.BasisPoints(percent) * money.FullRate / whole)
}

func available(w *ledger.Wallet, c ledger.Currency) sheet.Cell {
	if w.Unlimited {
		return sheet.Cell{}
	}
	return sheet.Money(max(0, w.Balance+w.CreditLimit), c.Digits)
}

// state is that of the row of a wallet, or that the balance is below its limit.
func state(v *kit.View, w *ledger.Wallet) kit.Badge {
	if !w.Unlimited && w.Balance < -w.CreditLimit {
		return v.State("wallet", "overdrawn")
	}
	return v.State("wallet", w.Status)
}

// meterOf returns how much of the credit limit of a wallet is used, nil for a wallet without a limit.
func meterOf(v *kit.View, w *ledger.Wallet) *kit.Meter {
	if w.Unlimited {
		return nil
	}
	return v.CreditMeter(w.Balance, w.CreditLimit)
}

// creditPage is the credit limit of a wallet with its history.
type creditPage struct {
	one

	Form    *kit.Form
	Changes bool // the caller may change it
	Rows    kit.Rows
}

func (p *pages) loadCredit(r *kit.Request) (*creditPage, error) {
	w, err := p.one(r)
	if err != nil {
		return nil, err
	}
	h, err := p.Ledger.CreditChanges(r.Context(), r.Caller, r.ID, kit.PageSize, 0)
	if err != nil {
		return nil, err
	}
	return &creditPage{
		one: w, Form: creditForm(&ledger.CreditRequest{}), Rows: kit.RowsOf(creditColumns(w.Currency.Digits), h.Changes, nil, "wallet.credit.none"),
		Changes: w.isLimitedBy(r),
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
