// Package money has the pages of wallets, their statements and movements, and of currencies.
package money

import (
	"embed"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/services"
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

	list       kit.List[walletRow, listPage]
	wallet     kit.Page[walletPage]
	credit     kit.Page[creditPage]
	currencies kit.Page[currenciesPage]
	currency   kit.Page[currencyPage]
}

// Area returns the pages of money.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[walletRow, listPage]{
		Template: "wallets", File: "wallets", Columns: columns(), Link: func(w *walletRow) string { return address(w.ID) }, Empty: "wallets.none",
		EmptyIf: map[string]string{"q": "wallets.nomatch"}, Rows: p.rows, Filter: p.filter,
	}
	p.wallet = kit.Page[walletPage]{Template: "wallet", Load: p.load}
	p.credit = kit.Page[creditPage]{Template: "wallet-credit", Load: p.loadCredit}
	p.currencies = kit.Page[currenciesPage]{Template: "currencies", Load: p.loadCurrencies}
	p.currency = kit.Page[currencyPage]{Template: "currency", Load: p.loadCurrency}
	return kit.Area{Templates: templates, Routes: p.routes()}
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
		kit.Get(currenciesPath, read, p.currencies.Show).Menu("nav.money", "currencies.title"),
		kit.Action(currenciesPath, "/new", write, p.createCurrency),
		kit.Get(currenciesPath+"/:id", read, p.currency.Show),
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
