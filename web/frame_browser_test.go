package web

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// The search finds a ticket by what is typed and what a scanner reads, and leads to the one object that it finds.
func TestTheSearchInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p, ticket, _ := setupPrizes(t)
	tab, server := enterInBrowser(t, p.engine)
	where := func() string { return chromium.Value[string](tab, `location.pathname`) }
	for _, typed := range []string{"k7qx 9m2p 4d6a", "HTTPS://BANCA.EXAMPLE.COM/T/K7QX9M2P4D6A"} {
		tab.Visit(server + accountPath)
		tab.Press("/")
		tab.Until(`document.activeElement.id === "find"`)
		tab.Fill("#find", typed)
		tab.PressTo(kb.Enter)
		assert.Equal(t, ticketsPath+"/"+ticket.String(), where(), typed)
	}
	tab.Fill("#find", seed.CodeTicketPoint2)
	tab.PressTo(kb.Enter)
	assert.Equal(t, entityPath(seed.CodeTicketPoint2), where())
	tab.Fill("#find", "taquilla")
	tab.PressTo(kb.Enter)
	assert.Contains(t, tab.Text("tbody"), "Taquilla Doña Peña")
	assert.Contains(t, tab.Text("tbody"), "taquilla@banca.test")
	tab.Fill("#find", "granj")
	tab.PressTo(kb.Enter)
	assert.Equal(t, drawsPath, where(), "a game leads to its draws of today")
	tab.Visit(server + accountPath)
	tab.Click("#find")
	tab.Until(`document.querySelectorAll("#b-find [role=option]").length > 3`) // before anything is typed: what is often done, and what was shown last
	assert.Contains(t, tab.Text("#b-find"), "Nueva agencia")
	assert.Contains(t, tab.Text("#b-find"), "Reciente")
	chromium.Value[bool](tab, auditor(t))
	for _, scheme := range []string{"dark", "light"} {
		tab.Scheme(scheme)
		assert.Empty(t, chromium.Value[[]string](tab, audit+allRules), scheme)
	}
	tab.Fill("#find", "cierres")
	tab.Until(`document.querySelector("#b-find [role=option]")?.textContent.startsWith("Cierres de caja")`)
	assert.Contains(t, tab.Text("#b-find"), "Página · Dinero")
	tab.Press(kb.ArrowDown)
	tab.Until(`document.querySelector("#find").getAttribute("aria-activedescendant") === "b-find-0"`)
	tab.PressTo(kb.Enter)
	assert.Equal(t, "/admin/closes", where(), "a page by its name, with the keyboard alone")
	tab.Fill("#find", "zzzz")
	tab.PressTo(kb.Enter)
	assert.Contains(t, tab.Text("main"), "Nada coincide")
}

// The side stays in sight and is open at the current page. On a phone it is a drawer, which needs no script.
func TestTheMenuInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + prizesPath)
	const shown = `Array.from(document.querySelectorAll("nav.side li a"), a => a).filter(a => a.checkVisibility()).map(a => a.pathname)`
	assert.Contains(t, chromium.Value[[]string](tab, shown), prizesPath)
	assert.NotContains(t, chromium.Value[[]string](tab, shown), drawsPath, "of another area")
	assert.Equal(t, "sticky", chromium.Value[string](tab, `getComputedStyle(document.querySelector(".bar")).position`))
	tab.Click(".who > summary")
	tab.Press(kb.Escape)
	assert.False(t, chromium.Value[bool](tab, `document.querySelector(".who").open`))

	tab.NoScripts()
	tab.Narrow()
	tab.Visit(server + prizesPath)
	assert.Empty(t, chromium.Value[[]string](tab, shown))
	tab.Click(".drawer")
	tab.Until(`document.querySelector("nav.side [aria-current]").checkVisibility()`)
	tab.Follow(`nav.side a[href="/admin/reports/silent"]`)
	assert.Equal(t, "/admin/reports/silent", chromium.Value[string](tab, `location.pathname`))
}
