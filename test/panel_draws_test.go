package test

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

const drawsPath = "/admin/draws"

// heldDraw makes a game with a draw on which tickets on 1 and 2 were sold, and waits until it is over.
func (w *drawWalk) heldDraw(code string) string {
	w.t.Helper()
	w.game = w.newGame(code)
	draw, _ := w.plan("P1")
	w.ticket(draw, "1")
	w.ticket(draw, "2")
	w.becomes(draw, "closed")
	return draw
}

func (w *drawWalk) becomes(draw, status string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.get("/draws/"+draw, w.admin).data()["status"] == status }, testkit.WaitTimeout, 50*time.Millisecond)
}

// panelDraws has a result typed and verified by typing it again, corrected, and a draw suspended.
func panelDraws(p *panel) {
	t := p.t
	w := &drawWalk{platform: p.platform, admin: p.login(panelUser), cashier: p.login("taquilla@banca.test")}
	w.other = w.secondAdmin()
	draw := w.heldDraw("panel-uno")
	at := drawsPath + "/" + draw
	p.enter(at)
	p.tab.Expect("422 POST")
	p.tab.Fill("#e-value", "9")
	p.tab.Follow("#enter form button")
	require.NotEmpty(t, p.tab.Text("#problem"), "the game has no such element")
	p.tab.Fill("#e-value", "1")
	p.tab.Follow("#enter form button")
	require.Equal(t, "The result was entered; a second person must verify it.", p.tab.Text(".notice"))
	require.Contains(t, p.tab.Text("main"), "another person must verify it")

	other := p.enterAs(second, secondKey, at)
	other.tab.Expect("409 POST")
	require.NotContains(t, other.texts("td.mono"), "1", "who verifies reads for herself")
	other.visit(drawsPath + "?waiting=1")
	require.NotContains(t, other.texts(`tbody tr:has(a[href*="`+draw+`"]) td.mono`), "1", "nor is it in the list")
	other.visit(at)
	other.tab.Fill("#v-value", "2")
	other.tab.Follow("#verify form button")
	require.Contains(t, other.tab.Text("#problem"), "The typed result differs from the entered one. Nothing was verified")
	require.Equal(t, "closed", w.get("/draws/"+draw, w.admin).data()["status"])
	other.tab.Fill("#v-value", "1")
	other.tab.Follow("#verify form button")
	require.Equal(t, "The result was verified; the tickets are being decided.", other.tab.Text(".notice"))
	w.becomes(draw, "settled")

	p.visit(at)
	p.open("#correct")
	p.tab.Fill("#c-value", "2")
	p.tab.Fill("#c-reason", "misread")
	p.tab.Follow("#correct form button")
	const change = "1 1 37.50 Bs 1 ticket 37.50 Bs 1 ticket 0.00 Bs 0 tickets 0.00 Bs 0 tickets 0.00 Bs 0 tickets"
	require.Equal(t, change, strings.Join(p.texts("#correct .difference dd"), " "), "what it would change")
	require.Len(t, w.get("/results?draw_id="+draw, w.admin).list(), 1, "it was only shown")
	p.tab.Follow(`#correct button[name="seen"]`)
	require.Len(t, w.get("/results?draw_id="+draw, w.admin).list(), 2)
	other.visit(at)
	require.Contains(t, strings.Join(other.texts("section .difference dd"), " "), change)
	other.tab.Fill("#v-value", "2")
	other.tab.Follow("#verify form button")
	require.Equal(t, "2 Dos", other.tab.Text(".tiles .figure"))
	panelSuspends(p, w)
}

// panelSuspends suspends a draw, after a confirmation with its name and cost.
func panelSuspends(p *panel, w *drawWalk) {
	t := p.t
	w.game = w.newGame("panel-dos")
	draw, _ := w.plan("P2")
	w.ticket(draw, "1")
	p.visit(drawsPath + "/" + draw)
	p.open(".head details.menu")
	p.open("#suspend")
	require.Contains(t, p.tab.Text("#suspend"), "Paseo panel-dos ")
	require.Contains(t, p.tab.Text("#suspend"), "12.50 Bs")
	p.tab.Fill("#suspend-reason", "no light")
	p.tab.Follow("#suspend button")
	require.Equal(t, "The draw was suspended; its tickets are being refunded.", p.tab.Text(".notice"))
	require.Contains(t, p.tab.Text(".story"), "no light")
	require.Zero(t, p.count("#suspend"))
}

// Everything can be done without scripts, and every page fits a phone, light and dark, in both languages.
func panelDrawsOnAPhone(p *panel) {
	t := p.t
	w := &drawWalk{platform: p.platform, admin: p.login(panelUser), cashier: p.login("taquilla@banca.test")}
	draw := w.heldDraw("panel-tres")
	p.tab.NoScripts()
	p.enter(drawsPath + "/" + draw)
	p.tab.Narrow()
	p.tab.Fill("#e-value", "2")
	p.tab.Follow("#enter form button")
	require.Equal(t, "The result was entered; a second person must verify it.", p.tab.Text(".notice"))
	p.open(`details:has(form[action$="/reject"])`)
	p.tab.Fill("#reject-1-reason", "typed for another draw")
	p.tab.Follow(`form[action$="/reject"] button`)
	require.Contains(t, p.tab.Text("main"), "typed for another draw")
	for _, language := range []struct{ code, title, state string }{{"es", "Sorteos y resultados", "Sin resultado"}, {"en", "Draws and results", "Without result"}} {
		p.visit(drawsPath + "?lang=" + language.code)
		require.Equal(t, language.title, p.tab.Text("h1"))
		for _, path := range []string{
			drawsPath, drawsPath + "?waiting=1", drawsPath + "?date=2020-01-01", drawsPath + "/alerts", drawsPath + "/alerts?all=1",
			drawsPath + "/" + draw, drawsPath + "/" + w.openDraw(w.cashier),
		} {
			p.visit(path)
			light := requireInOrder(t, p, path, "light")
			require.NotEqual(t, light, requireInOrder(t, p, path, "dark"), path)
		}
		p.visit(drawsPath + "/" + draw)
		require.Equal(t, language.code, browser.Value[string](p.tab, `document.documentElement.lang`))
		require.Contains(t, p.tab.Text(".head"), language.state)
	}
}
