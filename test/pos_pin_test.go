package test

import (
	"net/http"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// sellsAs waits until the head names a cashier.
func (c *counter) sellsAs(name string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open && document.querySelector("#cashier").innerText === `+quote(name))
}

// Two cashiers change by their PINs on one till, and keep the ticket that is being composed. The session of the first one ends; five wrong PINs lead to the
// password.
func counterChangesThePerson(c *counter) {
	t := c.t
	c.tab.Allow("401 ")
	c.tab.Allow("422 ")
	names := map[string]string{"pin-1@banca.test": "Ana", "pin-2@banca.test": "Luis"}
	for _, email := range []string{"pin-1@banca.test", "pin-2@banca.test"} {
		made := c.post("/users", c.confirmed(panelUser), map[string]any{
			"entity_id": seed.ID("entity", seed.CodeTicketPoint2), "name": names[email], "email": email, "role": "TAQUILLA", "auth_method": "password", "password": elsewherePassword,
		}, "")
		require.Equal(t, http.StatusCreated, made.status, string(made.raw))
		c.openAs(email, elsewherePassword)
		c.sellsAs(names[email])
		c.tab.Click("#cashier")
		c.titled("Cambiar de persona")
		c.looks("person-" + names[email])
		c.tab.Click("#panel-row [type=button]:not([data-close])")
		c.titled("Mi PIN")
		c.tab.Fill("#panel [name=password]", elsewherePassword)
		c.tab.Fill("#panel [name=pin]", "1234")
		c.keys(kb.Enter)
		c.tab.Until(`document.querySelector("#panel [name=pin]")?.value === ""`) // the form of the refusal
		c.says("ni todos iguales")
		c.tab.Fill("#panel [name=password]", elsewherePassword)
		c.tab.Fill("#panel [name=pin]", "7395")
		c.looks("pin-new")
		c.tab.Click("#panel-row .main")
		c.sellsAs(names[email])
	}
	first := browser.Value[string](c.tab, `fetch("/vender/session").then(r => r.json()).then(s => s.token)`)
	c.keys("05", "2", kb.Enter)
	c.changesTo("Ana", "7395")
	c.sellsAs("Ana")
	assert.Equal(t, 1, c.count("#lines .row"), "the ticket stays")
	assert.Equal(t, http.StatusUnauthorized, c.get("/auth/me", first).status, "the session of the other one is over")
	token := browser.Value[string](c.tab, `fetch("/vender/session").then(r => r.json()).then(s => s.token)`)
	refused := c.post("/auth/devices", token, map[string]any{"name": "N", "fingerprint": "fingerprint", "info": map[string]any{}}, "")
	assert.Equal(t, http.StatusForbidden, refused.status)
	assert.Contains(t, string(refused.raw), "CONFIRMATION_REQUIRED", "a PIN is no password")
	for range 4 {
		c.changesTo("Luis", "7396")
		c.says("El PIN no es correcto")
		c.keys(kb.Escape)
	}
	c.changesTo("Luis", "7396")
	c.says("Ese PIN ya no vale")
	assert.NotContains(t, c.tab.Text("#panel-body"), "Luis")
	c.keys(kb.Escape)
	c.sellsAs("Ana")

	c.endSession()
	c.keys(kb.F12)
	c.titled("La sesión terminó")
	c.tab.Click("#panel-row [type=button]:not([data-close])")
	c.titled("Cambiar de persona")
	c.tab.Fill("#panel [name=pin]", "7395")
	c.tab.Click("#panel-row .main")
	c.sellsAs("Ana")
	c.keys(kb.Escape, kb.F12)
	c.sold()
}

// changesTo types the PIN of a cashier.
func (c *counter) changesTo(name, pin string) {
	c.t.Helper()
	c.tab.Click("#cashier")
	c.titled("Cambiar de persona")
	browser.Value[bool](c.tab, `Array.from(document.querySelectorAll("#panel label")).find(one => one.innerText.trim() === `+quote(name)+`).querySelector("input").click() ?? true`)
	c.tab.Fill("#panel [name=pin]", pin)
	c.keys(kb.Enter)
}
