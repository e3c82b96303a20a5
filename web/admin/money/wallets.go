package money

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

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

func (p *pages) rows(r *kit.Request, w kit.Window) ([]one, int64, error) {
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
	rows := make([]one, len(wallets))
	for i := range wallets {
		rows[i].Wallet, rows[i].own = wallets[i], wallets[i].EntityID == r.Caller.EntityID
		if r.Query("sort") == "" && f.Search == "" { // rows in the order of the tree
			scope, _ := p.Org.Scope(r.Context(), wallets[i].EntityID) // on an error the row is not indented
			rows[i].level = strings.Count(strings.TrimPrefix(scope.Path(), r.Caller.Scope.Path()), "/")
		}
		if at := slices.IndexFunc(all, func(c ledger.Currency) bool { return c.ID == wallets[i].CurrencyID }); at >= 0 {
			rows[i].Currency = all[at]
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

func columns() []kit.Column[one] {
	return []kit.Column[one]{
		kit.WrapColumn("label.entity", func(w *one) string { return w.Entity }).WithCell(entityCell),
		kit.CurrencyColumn(func(w *one) (code, symbol string) { return w.Currency.Code, w.Currency.Unit() }),
		kit.AmountColumn("wallet.balance", func(w *one) (money.Amount, int) { return w.Balance, w.Currency.Digits }).Leading().
			Adding(func(w *one) bool { return w.Kind == models.WalletMain && !w.own }).AddedAs("wallets.sum"),
		kit.AmountColumn("wallet.credit", func(w *one) (money.Amount, int) { return w.CreditLimit, w.Currency.Digits }).
			WithCell(func(v *kit.View, w *one) kit.Cell { return limitCell(v, w, w.CreditLimit) }).OnWide(),
		{Title: "wallet.used", File: used, Cell: func(v *kit.View, w *one) kit.Cell { return v.MeterCell(w.Meter(v)) }},
		{Title: "wallet.available", Number: true, Money: true, File: available, Cell: func(v *kit.View, w *one) kit.Cell { return limitCell(v, w, w.Available()) }},
		{Title: "wallets.kinds", Words: func(v *kit.View, w *one) string { return v.T("wallet.kind." + w.Kind) }},
		kit.StateColumn("wallet", (*one).State).FileOnly(),
		{Title: "label.id", Text: func(w *one) string { return w.ID.String() }},
	}
}

// limitCell is an amount of credit; a wallet without a limit has none.
func limitCell(v *kit.View, w *one, a money.Amount) kit.Cell {
	if w.Unlimited {
		return kit.Text(v.T("wallet.unlimited"))
	}
	return kit.Text(v.Money(a, w.Currency.Digits))
}

// entityCell names the entity of a wallet, with its kind unless it is the main one, and its state unless it is active.
func entityCell(v *kit.View, w *one) kit.Cell {
	cell := kit.Cell{Text: w.Entity, Style: "wrap deep-" + strconv.Itoa(w.level)}
	if w.State() != models.StatusActive {
		cell.Badges = []kit.Badge{v.State("wallet", w.State())}
	}
	if w.Kind != models.WalletMain {
		cell.SecondLine = v.T("wallet.kind." + w.Kind)
	}
	return cell
}

// used is the used part of the credit.
func used(w *one) sheet.Cell {
	percent, limited := kit.UsedCredit(w.Balance, w.CreditLimit)
	if w.Unlimited || !limited {
		return sheet.Cell{}
	}
	return sheet.Percent(money.BasisPoints(percent) * 100)
}

func available(w *one) sheet.Cell {
	if w.Unlimited {
		return sheet.Cell{}
	}
	return sheet.Money(w.Available(), w.Currency.Digits)
}

// State is the state of the wallet; an overdrawn wallet says so.
func (w *one) State() string {
	if !w.Unlimited && w.Balance < -w.CreditLimit {
		return "overdrawn"
	}
	return w.Status
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
		Changes: w.isBelow(r) && !w.Unlimited && r.May(auth.WalletsCredit),
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
