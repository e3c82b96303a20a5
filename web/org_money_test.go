package web

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/web/kit"
)

// The page of an entity begins with its balances, its figures of today and of the week, its closes and its newest entries.
func TestThePageOfAnEntityBeginsWithItsMoney(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!|VES<`)
	for code, texts := range map[string][]string{
		seed.CodeOperator:    {"2.369,02", "Premios ganados", "1 taquilla", "sin límite de crédito"},
		seed.CodeAgency:      {"1.869,02", "pagados 0,00", "1 taquilla"},
		seed.CodeTicketPoint: {"1.000,01", "No ha cerrado el día de ayer", "Venta anulada", "disponible "},
		seed.CodeOtherPoint:  {"500,00", "Venta"},
	} {
		at := entityPath(code)
		if code == seed.CodeOperator {
			at = orgPath + "/" + rootID.String()
		}
		for _, language := range []string{english, spanish} {
			w := p.get(at + "?lang=" + language)
			require.Equal(t, http.StatusOK, w.Code, w.Body.String())
			shown := regexp.MustCompile(`(href|value)="[^"]*"`).ReplaceAllString(w.Body.String(), "")
			assert.NotRegexp(t, missing, shown, code)
		}
		page := p.get(at + "?lang=es").Body.String()
		for _, text := range texts {
			assert.Contains(t, page, text, code)
		}
		for _, link := range regexp.MustCompile(`href="(/admin/(?:reports|closes|wallets)[^"]*)"`).FindAllStringSubmatch(page, -1) {
			address := regexp.MustCompile(`&amp;`).ReplaceAllString(link[1], "&")
			assert.Equal(t, http.StatusOK, p.get(address).Code, address)
		}
	}
	balance := p.Number(t, `SELECT balance FROM wallet_balances WHERE id = $1`, seed.ID("wallet", seed.CodeTicketPoint, "VES"))
	assert.Contains(t, p.get(entityPath(seed.CodeTicketPoint)).Body.String(), (&kit.View{Language: kit.Spanish}).Money(money.Amount(balance), 2))
}

// The parts that a user may not read are not shown, and an entity without money says so.
func TestTheMoneyOfAnEntityFollowsThePermissions(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	at := entityPath(seed.CodeTicketPoint)
	deny := func(permissions ...string) string {
		t.Helper()
		p.Exec(t, `DELETE FROM user_permissions`)
		p.Exec(t, `INSERT INTO user_permissions (user_id, permission, granted) SELECT id, unnest($1::text[]), false FROM users WHERE email = 'admin@banca.test'`, permissions)
		p.auth.Forget()
		w := p.get(at)
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	assert.NotContains(t, deny("reports:read"), "/admin/reports")
	assert.NotContains(t, deny("wallets:read"), "/admin/wallets")
	assert.NotContains(t, deny("closes:read"), "/admin/closes")
	assert.NotContains(t, deny("reports:read", "wallets:read", "closes:read"), `id="money"`)
	deny()
	p.Exec(t, `DELETE FROM daily_totals`)
	assert.Contains(t, p.get(at).Body.String(), "No hubo ventas ni premios")
}

func TestTheMoneyOfAnEntityInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupReports(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + entityPath(seed.CodeTicketPoint))
	assert.True(t, chromium.Value[bool](tab, `document.querySelector("main h2:not(dialog h2)").id === "money"`), "it comes first")
	tab.Follow(`.tiles a[href*="/reports/sales"]`)
	require.Contains(t, tab.Text("tfoot"), "1.000,01")
	tab.Back()
	tab.Follow(`.tiles a[href*="/wallets/"]`)
	require.Contains(t, tab.Text("h1"), "Taquilla")
	tab.Back()
	tab.Follow(`.tasks a[href*="/closes/missing"]`)
	require.Contains(t, tab.Text("tbody"), "Taquilla")
}
