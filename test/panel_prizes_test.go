package test

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
)

// another is an open draw that no other test sells on.
func (p *platform) another(token string) string {
	p.t.Helper()
	for _, g := range p.get("/games", token).list() {
		if g["short_code"] == "la-granjita" {
			id, _ := g["id"].(string)
			draws := p.get("/draws?status=open&page_size=200&game_id="+id, token).list()
			require.NotEmpty(p.t, draws)
			draw, _ := draws[len(draws)-1]["id"].(string)
			return draw
		}
	}
	require.Fail(p.t, "la-granjita is not seeded")
	return ""
}

// The possible cost of a draw is shown with bars; an element is blocked there and sold again, effective at once for
// sales.
func panelExposure(p *panel) {
	t := p.t
	token := p.login("taquilla@banca.test")
	draw := p.another(token)
	sold := p.sell(token, draw, uuid.NewString())
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	ticket, _ := sold.data()["id"].(string)

	page := "/admin/exposure/" + draw
	p.enter(page)
	require.Equal(t, 2, browser.Value[int](p.tab, `document.querySelectorAll("main .table .databar rect").length`), "of what was sold")
	require.Contains(t, p.tab.Text("main .table tbody tr"), "00", "the dearest first")
	const row = "main .table tbody tr:first-child"
	p.tab.Click(row + " details summary")
	p.tab.Fill("#b-00-reason", "too much on it")
	p.tab.Click(row + " details button")
	p.tab.Until(`document.querySelector("` + row + ` .block").textContent.includes("Blocked")`)
	refused := p.sell(token, draw, uuid.NewString())
	require.Equal(t, 433, refused.status, string(refused.raw))
	p.visit(page)
	require.Contains(t, strings.Join(p.texts("main h2"), " "), "Blocked elements")
	p.tab.Click("#b-00 button")
	p.tab.Until(`!document.querySelector("` + row + ` .block").textContent.includes("Blocked")`)
	again := p.sell(token, draw, uuid.NewString())
	require.Equal(t, http.StatusCreated, again.status, string(again.raw))

	p.tab.Expect("422 POST")
	p.tab.Fill("#element", "99")
	p.tab.Fill("#reason", "x")
	p.tab.Follow("section.card form button")
	p.confirm()
	require.NotEmpty(t, p.tab.Text("#problem"))

	p.visit("/admin/prizes/" + ticket)
	require.Contains(t, p.tab.Text(".head"), "Pending")
	require.Equal(t, 0, p.count("#code"), "nothing is due")
	p.tab.Narrow()
	for _, path := range []string{page, "/admin/exposure", "/admin/prizes", "/admin/prizes/" + ticket, "/admin/prize-differences"} {
		p.visit(path)
		light := requireInOrder(t, p, path, "light")
		require.NotEqual(t, light, requireInOrder(t, p, path, "dark"), path)
	}
}
