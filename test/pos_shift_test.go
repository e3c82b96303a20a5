package test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

const nextCashier = "taquilla-2@banca.test"

// The first sale is guided step by step, once in a browser.
func counterIsGuided(c *counter) {
	t := c.t
	c.open()
	says := func(step string) {
		c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#guide").hidden && document.querySelector("#guide").innerText.includes(`+quote(step)+`)`)
	}
	says("Escriba el número")
	c.keys("05")
	says("Escriba el monto")
	c.keys("2", kb.Enter)
	says("Vender e imprimir")
	c.audit()
	c.keys(kb.F12)
	c.sold()
	says("cobre y entregue")
	c.tab.Click("#guide button")
	c.tab.Until(`document.querySelector("#guide").hidden`)
	assert.Equal(t, "number", browser.Value[string](c.tab, `document.activeElement.id`))
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	assert.True(t, browser.Value[bool](c.tab, `document.querySelector("#guide").hidden`), "it was read")
}

// A limit that changes is shown when the server tells of it: the rounds that the page makes besides do not run here.
func counterHearsNews(c *counter) {
	c.tab.Before(`{
		window.heard = []
		const rounds = setInterval, Source = EventSource
		window.setInterval = (work, pause) => pause >= 10000 ? 0 : rounds(work, pause)
		window.EventSource = class extends Source {
			constructor(address) { super(address); super.addEventListener("open", () => heard.push("open")) }
			addEventListener(name, listener) { super.addEventListener(name, event => { heard.push(name); listener(event) }) }
		}
	}`)
	c.open()
	c.tab.UntilWithin(testkit.WaitTimeout, `heard.includes("open")`)
	c.limit("33", "77.00")
	c.tab.UntilWithin(testkit.WaitTimeout, `heard.includes("limits.changed") && document.querySelector('[data-code="33"]').title.includes("77,00")`)
}

// A sale that went on in the background and is refused stays in sight until the cashier has read it.
func counterIsRefusedLate(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	cuts.hold(false)
	c.keys("35", "50", kb.Enter, kb.F12)
	require.Eventually(t, cuts.done, testkit.WaitTimeout, 10*time.Millisecond)
	c.keys(kb.F2)
	c.limit("35", "40.00")
	cuts.release()
	row := `document.querySelector("#pending .bad")`
	c.tab.UntilWithin(testkit.WaitTimeout, row+`?.innerText.includes("no se vendió")`)
	assert.Contains(t, c.tab.Text("#pending .bad"), "50,00")
	c.shot("refused-late")
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, row+` !== null`) // after a reload, too
	c.tab.Click(`#pending [data-do="seen"]`)
	c.tab.UntilWithin(testkit.WaitTimeout, row+` === null`)
	assert.Equal(t, []string{"refused "}, slices.Collect(maps.Values(c.journal())))
}

// handsOver gives the counted drawer of the open dialog to another cashier of the ticket point, who logs in over the page and takes it.
func (c *counter) handsOver() {
	t := c.t
	admin := c.login(panelUser)
	require.Equal(t, http.StatusOK, c.post("/auth/confirm", admin, map[string]any{"password": seed.Password}, "").status)
	made := c.post("/users", admin, map[string]any{
		"entity_id": seed.ID("entity", seed.CodeTicketPoint).String(), "name": "Segunda Caja", "email": nextCashier, "role": "TAQUILLA", "auth_method": "password", "password": secondKey,
	}, "")
	require.Equal(t, http.StatusCreated, made.status, string(made.raw))
	c.tab.Allow("401 ")
	c.tab.Click("#panel-row button[type=button]")
	title := func(text string) {
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-title").innerText === `+quote(text))
	}
	title("Caja entregada")
	assert.Contains(t, c.tab.Text("#panel-body"), "Diferencia")
	c.tab.Click("#panel .main")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=password]") !== null`)
	c.enterOver(nextCashier, secondKey)
	title("Recibir la caja")
	c.shot("taking-over")
	c.audit()
	c.tab.Click("#panel .main")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	c.online()
	next := c.post("/auth/login", "", map[string]string{"email": nextCashier, "password": secondKey}, "")
	token, _ := next.data()["access_token"].(string)
	var handed []map[string]any
	for _, day := range c.get("/sales/daily-closes?status=open", token).list() { // one of each currency
		handed = append(handed, c.get(fmt.Sprintf("/sales/daily-closes/%s/handovers", day["id"]), token).list()...)
	}
	require.NotEmpty(t, handed)
	for _, one := range handed {
		assert.NotNil(t, one["taken_at"])
		assert.Equal(t, "Segunda Caja", one["taken_by_name"])
	}
}
