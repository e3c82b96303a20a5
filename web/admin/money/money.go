// Package money has the pages of wallets, their statements and movements, and of currencies.
package money

import (
	"embed"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path           = links.Wallets
	currenciesPath = links.Currencies
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list       kit.List[one, struct{}]
	wallet     kit.Page[walletPage]
	credit     kit.Page[creditPage]
	currencies kit.Page[currenciesPage]
	currency   kit.Page[currencyPage]
}

// Area returns the pages of money.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[one, struct{}]{
		Template: "wallets", File: "wallets", Columns: columns(), Link: func(w *one) string { return address(w.ID) }, Empty: "wallets.none",
		EmptyIf: map[string]string{"q": "wallets.nomatch"}, Rows: p.rows, Filter: p.filter,
	}
	p.wallet = kit.Page[walletPage]{Template: "wallet", Load: p.load}
	p.credit = kit.Page[creditPage]{Template: "wallet-credit", Load: p.loadCredit}
	p.currencies = kit.Page[currenciesPage]{Template: "currencies", Load: p.loadCurrencies}
	p.currency = kit.Page[currencyPage]{Template: "currency", Load: p.loadCurrency}
	return kit.Area{Templates: templates, Guide: "panel#dinero", Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	read, limit := kit.Can(auth.WalletsRead), kit.Can(auth.WalletsCredit).Sensitive()
	write := kit.Can(auth.CurrenciesWrite).Operator().Sensitive()
	routes := []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.money", "wallets.title"),
		kit.Get(path+"/:id", read, p.show),
		kit.Action(path+"/:id", "/reverse", kit.Can(auth.WalletsWrite).Sensitive(), p.reverse),
		kit.Get(path+"/:id/credit", read, p.credit.Show),
		kit.Post(path+"/:id/credit", limit, p.setCredit),
		kit.Get(currenciesPath, read, p.currencies.Show).Menu("nav.money", "currencies.title").ExplainedIn("money#currencies-and-exchange-rates"),
		kit.Action(currenciesPath, "/new", write, p.createCurrency),
		kit.Get(currenciesPath+"/:id", read, p.currency.Show).ExplainedIn("money#currencies-and-exchange-rates"),
		kit.Action(currenciesPath+"/:id", "/edit", write, p.updateCurrency),
		kit.Action(currenciesPath+"/:id", "/delete", write, p.deleteCurrency),
		kit.Action(currenciesPath+"/:id", "/rate", write, p.setRate),
		kit.Action(currenciesPath+"/:id", "/unrate", write, p.deleteRate),
		kit.Action(currenciesPath+"/:id", "/fetch", kit.Can(auth.CurrenciesWrite).Operator(), p.fetchRates),
	}
	for _, kind := range []string{ledger.MovementDeposit, ledger.MovementWithdrawal, ledger.MovementTransfer} {
		move := p.movePage(kind)
		routes = append(routes,
			kit.Get(path+"/:id/"+kind, kit.Can(auth.WalletsWrite), move.Show),
			kit.Post(path+"/:id/"+kind, kit.Can(auth.WalletsWrite).SensitiveIf(confirmed), p.move(kind, move)))
	}
	return routes
}

func address(id uuid.UUID) string { return path + "/" + id.String() }

// movePage is the form of a movement, or the question before it.
type movePage struct {
	one

	Other ledger.Wallet // on the other side; zero for money from outside
	Kind  string        // of the movement
	Form  *kit.Form
	Key   string        // of idempotency, kept from the form to the question
	Sure  *money.Amount // to move; nil before the question
}

// confirmed reports whether a form answers the question.
func confirmed(r *kit.Request) bool { return r.Form("sure") != "" && r.Form("back") == "" }

// Question asks before the movement is made; its form carries the typed values.
func (p *movePage) Question(v *kit.View) *kit.Question {
	amount, change := p.Amount(v, *p.Sure), p.change(*p.Sure)
	q := v.Question("", address(p.ID)+"/"+p.Kind, v.T("move."+p.Kind+".ask"), v.T("move."+p.Kind+".do", amount)).
		Fact("label.amount", kit.Text(amount))
	here, there := "move.to", "move.from"
	if change < 0 {
		here, there = there, here
	}
	q = q.Fact(here, p.becomes(v, &p.Wallet, change))
	if p.Other.Entity != "" {
		q = q.Fact(there, p.becomes(v, &p.Other, -change))
	}
	q = q.Fact("label.reference", kit.Wrap(p.Form.Get("reference")))
	if note := p.Form.Get("note"); note != "" {
		q = q.Fact("label.note", kit.Wrap(note))
	}
	return p.carry(q).With("sure", "1")
}

// becomes is a wallet with its balance before and after a change.
func (p *movePage) becomes(v *kit.View, w *ledger.Wallet, change money.Amount) kit.Cell {
	return kit.Wrap(v.T("move.becomes", w.Entity, p.Amount(v, w.Balance), p.Amount(v, w.Balance+change)))
}

// Back returns to the form with the typed values.
func (p *movePage) Back(v *kit.View) *kit.Question {
	return p.carry(v.ActionButton(address(p.ID)+"/"+p.Kind, v.T("move.change"))).With("back", "1")
}

// carry adds the typed values as hidden fields.
func (p *movePage) carry(q *kit.Question) *kit.Question {
	for _, field := range []string{"amount", "reference", "note", "direction"} {
		q.With(field, p.Form.Get(field))
	}
	return q.With("key", p.Key)
}

// movePage returns the page of a kind of movement.
func (p *pages) movePage(kind string) kit.Page[movePage] {
	return kit.Page[movePage]{Template: "wallet-move", Load: func(r *kit.Request) (*movePage, error) {
		w, err := p.one(r)
		if err != nil {
			return nil, err
		}
		if !w.isBelow(r) {
			return nil, kit.Refuse(http.StatusForbidden, "code.WALLET_NOT_BELOW")
		}
		other, err := p.other(r, &w, kind)
		if err != nil {
			return nil, err
		}
		inputs := moveInputs(r, w.Currency, &ledger.MovementRequest{})
		if kind == ledger.MovementTransfer {
			inputs = slices.Insert(inputs, 0, kit.RadioInput("direction", "move.direction", []kit.Option{
				{Value: string(ledger.FromParent), Text: r.Say("move.way", other.Entity, w.Entity)}, {Value: string(ledger.ToParent), Text: r.Say("move.way", w.Entity, other.Entity)},
			}).Required())
		}
		return &movePage{one: w, Other: other, Kind: kind, Form: kit.NewForm(inputs...), Key: uuid.NewString()}, nil
	}}
}

// other returns the main wallet on the other side of a movement, without an id before it is opened.
func (p *pages) other(r *kit.Request, w *one, kind string) (ledger.Wallet, error) {
	entity := r.Caller.EntityID
	if kind == ledger.MovementTransfer {
		of, err := p.Org.Entity(r.Context(), r.Caller, w.EntityID)
		if err == nil && of.ParentID == uuid.Nil {
			err = ledger.ErrNoParent
		}
		if err != nil {
			return ledger.Wallet{}, err
		}
		entity = of.ParentID
	} else if r.Caller.IsOperator() {
		return ledger.Wallet{}, nil
	}
	found, _, err := p.Ledger.Wallets(r.Context(), r.Caller, &ledger.WalletFilter{EntityID: entity, Currency: w.Currency.Code, Kind: models.WalletMain, Limit: 1})
	if err != nil || len(found) == 0 {
		return ledger.Wallet{Entity: kit.EntityName(r, entity)}, err
	}
	return found[0], nil
}

// moveInputs are the fields of every movement.
func moveInputs(r *kit.Request, c ledger.Currency, m *ledger.MovementRequest) []kit.Input {
	return []kit.Input{
		kit.MoneyInput("amount", "label.amount", c.Digits).Labelled(r.Say("move.amount", c.Unit())).With("data-amount=opening").Required().At(ledger.ErrInsufficientBalance.Code).Into(&m.Amount),
		kit.TextInput("reference", "label.reference", ledger.MaxReference).WithRule("move.reference.rule", true).Required().
			At(ledger.ErrReferenceUsed.Code).Into(&m.Reference),
		kit.TextInput("note", "label.note", ledger.MaxNote).Into(&m.Note),
	}
}

// move checks the form of a movement and asks, or makes the movement.
func (p *pages) move(kind string, page kit.Page[movePage]) kit.Handler {
	return func(r *kit.Request) error {
		shown, err := page.Load(r)
		if err != nil {
			return err
		}
		refill := func(m *movePage) {
			m.Form.FillFrom(r)
			if key := r.Text("key"); key != "" {
				m.Key = key
			}
		}
		refill(shown)
		amount, _ := kit.ReadMoney(r.Form("amount"), shown.Currency.Digits) // checked next
		change := shown.change(amount)
		switch {
		case !shown.Form.Check():
			return page.Present(r, http.StatusUnprocessableEntity, "", refill, func(m *movePage) { m.Form.Check() })
		case r.Form("back") != "":
			return page.Present(r, http.StatusOK, "", refill)
		case !confirmed(r) && (!shown.Covers(change) || shown.Other.Entity != "" && !shown.Other.Covers(-change)):
			return page.ShowRefusal(r, ledger.ErrInsufficientBalance, refill, func(m *movePage) { m.Form.Refuse("amount") })
		case !confirmed(r):
			return page.Present(r, http.StatusOK, "", refill, func(m *movePage) { m.Sure = &amount })
		}
		if err := p.book(r, kind, shown.Currency); err != nil {
			return page.ShowRefusal(r, err, refill, func(m *movePage) { m.Form.RefuseBy(err, "") })
		}
		return r.Done(address(r.ID), "move."+kind)
	}
}

// change is what the movement posts on the wallet.
func (p *movePage) change(amount money.Amount) money.Amount {
	if p.Kind == ledger.MovementWithdrawal || p.Form.Get("direction") == string(ledger.ToParent) {
		return -amount
	}
	return amount
}

// book makes the movement of the form.
func (p *pages) book(r *kit.Request, kind string, currency ledger.Currency) (err error) {
	m := &ledger.MovementRequest{WalletID: r.ID, IdempotencyKey: r.Text("key")}
	kit.NewForm(moveInputs(r, currency, m)...).Take(r)
	switch kind {
	case ledger.MovementDeposit:
		_, _, err = p.Ledger.Deposit(r.Context(), r.Caller, m)
	case ledger.MovementWithdrawal:
		_, _, err = p.Ledger.Withdraw(r.Context(), r.Caller, m)
	default:
		_, _, err = p.Ledger.Transfer(r.Context(), r.Caller, m, ledger.Direction(r.Form("direction")))
	}
	return err
}
