package test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
	"banca/internal/setup/seed"
)

const panelUser = "admin@banca.test"

// panelShortly are the subtests of the panel that `make test` runs.
var panelShortly = []string{"login", "assign", "users"} //nolint:gochecknoglobals // constant

// The panel in a real browser, on one platform for all subtests: each checks its own rows.
func TestPanelInABrowser(t *testing.T) {
	t.Parallel()
	browser.Need(t)
	p := newPlatform(t)
	p.start()
	t.Cleanup(func() { require.NoError(t, p.interrupt()) })
	for name, test := range map[string]func(*panel){
		"login": panelLogin, "language": panelLanguage, "keyboard": panelKeyboard, "pages": panelPages,
		"simulator": panelSimulator, "news": panelNews, "wrong token": panelWrongToken, "no scripts": panelWithoutScripts, "assign": panelAssigns, "refund": panelRefunds, "users": panelUsers,
		"entities": panelEntities, "documents": panelDocuments, "organisation on a phone": panelOrganisationOnAPhone,
		"devices": panelDevices, "games": panelGames, "games on a phone": panelGamesOnAPhone, "exposure": panelExposure,
		"messages": panelMessages, "draws": panelDraws, "draws on a phone": panelDrawsOnAPhone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target.Shorten(t, panelShortly)
			test(&panel{platform: p.in(t), tab: browser.Open(t)})
		})
	}
}

// panel is the platform's panel in a tab.
type panel struct {
	*platform
	tab *browser.Tab
}

// visit opens a page by its path.
func (p *panel) visit(path string) {
	p.t.Helper()
	p.tab.Visit("http://" + p.addr + path)
}

// enter logs in, in English, and lands on a page.
func (p *panel) enter(path string) {
	p.t.Helper()
	p.visit("/admin/login?lang=en&next=" + url.QueryEscape(path))
	p.tab.Fill("#identifier", panelUser)
	p.tab.Fill("#password", seed.Password)
	p.tab.Follow("main form button")
	require.Equal(p.t, path, p.where())
}

// leave logs out by the user's menu.
func (p *panel) leave() {
	p.t.Helper()
	p.tab.Click(".who > summary")
	p.tab.Follow(".who button")
}

// where is the path of the page, with its query.
func (p *panel) where() string {
	p.t.Helper()
	return browser.Value[string](p.tab, `location.pathname + location.search`)
}

// texts lists what elements show.
func (p *panel) texts(selector string) []string {
	p.t.Helper()
	return browser.Value[[]string](p.tab, `Array.from(document.querySelectorAll(`+quote(selector)+`), e => e.innerText.trim())`)
}

// count returns the number of elements.
func (p *panel) count(selector string) int {
	p.t.Helper()
	return len(p.texts(selector))
}

// menu lists the addresses of the pages in the menu: ours, and those of others that it leads to.
func (p *panel) menu() (ours, others []string) {
	p.t.Helper()
	for _, path := range browser.Value[[]string](p.tab, `Array.from(document.querySelectorAll("nav.side a"), a => a.pathname)`) {
		switch {
		case strings.HasPrefix(path, "/admin"):
			ours = append(ours, path)
		case path != "/vender": // the counter has tests of its own
			others = append(others, path)
		}
	}
	require.GreaterOrEqual(p.t, len(ours), 8)
	require.Equal(p.t, []string{"/docs", "/docs/guide"}, others)
	return ours, others
}

// quote makes a string of a script.
func quote(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

func panelLogin(p *panel) {
	t := p.t
	p.visit("/admin/bank/payments?list=unreconciled")
	require.Equal(t, "/admin/login?next="+url.QueryEscape("/admin/bank/payments?list=unreconciled"), p.where())

	p.tab.Expect("401 POST http://" + p.addr + "/admin/login")
	p.tab.Fill("#identifier", panelUser)
	p.tab.Fill("#password", "not-this-one")
	p.tab.Follow("main form button")
	require.Equal(t, 1, p.count(".problem"))
	require.NotEmpty(t, p.tab.Text(".problem"))
	require.Equal(t, panelUser, browser.Value[string](p.tab, `document.querySelector("#identifier").value`))
	require.Empty(t, browser.Value[string](p.tab, `document.querySelector("#password").value`))
	require.Equal(t, "problem", browser.Value[string](p.tab, `document.querySelector("#password").getAttribute("aria-describedby")`))

	p.tab.Fill("#password", seed.Password)
	p.tab.Follow("main form button")
	require.Equal(t, "/admin/bank/payments?list=unreconciled", p.where(), "the page that was asked for first")
	require.Zero(t, p.count(".problem"))
	require.Empty(t, browser.Value[string](p.tab, `document.cookie`), "scripts see no cookie")

	p.leave()
	require.Equal(t, "/admin/login", p.where())
	require.Zero(t, p.count("nav.side"))
	p.visit("/admin")
	require.Contains(t, p.where(), "/admin/login", "the session has ended")
}

func panelLanguage(p *panel) {
	t := p.t
	p.enter("/admin/bank/payments?list=unreconciled")
	for _, language := range []struct{ code, title string }{{"es", "Pagos"}, {"en", "Payments"}} {
		p.visit("/admin/bank/payments?list=unreconciled")
		p.tab.Click(".who > summary")
		p.tab.Follow(`.who a[lang="` + language.code + `"]`)
		require.Equal(t, "/admin/bank/payments?lang="+language.code+"&list=unreconciled", p.where())
		require.Equal(t, language.title, p.tab.Text("h1"))
		require.Equal(t, "unreconciled", browser.Value[string](p.tab, `document.querySelector("#list").value`))
		p.visit("/admin/bank/payments")
		require.Equal(t, language.title, p.tab.Text("h1"), "it is remembered")
		require.Equal(t, language.code, browser.Value[string](p.tab, `document.documentElement.lang`))
	}
	p.leave()
	require.Equal(t, "en", browser.Value[string](p.tab, `document.documentElement.lang`), "after the session too")
}

// focused describes the element that has the focus.
const focused = `(e => e.id || e.className || e.name || e.type || e.tagName)(document.activeElement)`

func panelKeyboard(p *panel) {
	t := p.t
	p.visit("/admin/login?lang=en")
	require.Equal(t, "identifier", browser.Value[string](p.tab, focused))
	p.tab.Press(panelUser + kb.Tab)
	require.Equal(t, "password", browser.Value[string](p.tab, focused))
	p.tab.Press(seed.Password + kb.Tab)
	require.Equal(t, "submit", browser.Value[string](p.tab, focused))
	p.tab.PressTo(kb.Enter)
	require.Equal(t, "/admin", p.where())

	p.tab.Press(kb.Tab)
	require.Equal(t, "skip", browser.Value[string](p.tab, focused), "the first thing to reach")
	require.True(t, browser.Value[bool](p.tab, `(r => r.left >= 0 && r.top >= 0 && r.width > 0)(document.activeElement.getBoundingClientRect())`), "and to see")
	p.tab.Press(kb.Enter)
	p.tab.Until(`location.hash === "#content"`)
	p.tab.Press(kb.Tab)
	require.True(t, browser.Value[bool](p.tab, `document.querySelector("main").contains(document.activeElement)`), "it skips bar and menu")
	require.NotEqual(t, "none", browser.Value[string](p.tab, `getComputedStyle(document.activeElement).outlineStyle`), "the focus is seen")
}

// fits is whether the page does not scroll sideways.
const fits = `document.documentElement.scrollWidth <= Math.min(document.documentElement.clientWidth, innerWidth)`

// shown is whether a page that is not the panel's shows something, the documentation within its own element.
const shown = `(document.querySelector("openapi-explorer")?.shadowRoot?.querySelectorAll("*").length ?? document.body.innerText.trim().length) > 100`

// othersShown bounds the wait for such a page: each renders all it has in the browser, which takes long on a busy machine.
const othersShown = 2 * time.Minute

// Every page fits a small phone, light and dark, and is in order: the browser itself watches for errors.
func panelPages(p *panel) {
	t := p.t
	p.bankDay()
	p.enter("/admin")
	require.True(t, browser.Value[bool](p.tab, `fetch(document.querySelector("link[rel=icon]").href).then(r => r.ok)`), "the icon, which not every browser requests")
	ours, others := p.menu()
	for _, path := range append(others, "/admin/queues") {
		p.visit(path)
		p.tab.UntilWithin(othersShown, shown)
	}
	p.await("/admin/bank/alerts?kind=amount_conflict", "tbody tr")
	p.tab.Narrow()
	pages := append(ours, p.importStatement())
	for _, list := range []string{"/admin/bank/events", "/admin/bank/payments", "/admin/bank/payments?list=unreconciled", "/admin/bank/requests"} {
		p.visit(list)
		pages = append(pages, browser.Value[string](p.tab, `document.querySelector("tbody a").pathname`))
	}
	for _, path := range pages {
		p.visit(path)
		light := requireInOrder(t, p, path, "light")
		dark := requireInOrder(t, p, path, "dark")
		require.NotEqual(t, light, dark, path)
	}
	p.visit("/admin")
	p.leave()
	require.True(t, browser.Value[bool](p.tab, fits), "the login")
}

// requireInOrder wants a page that does not scroll sideways even with everything open, with a title and a place in
// the menu. It returns the colour of the ground.
func requireInOrder(t *testing.T, p *panel, path, scheme string) string {
	t.Helper()
	p.tab.Scheme(scheme)
	page := browser.Value[struct {
		Wide             []string // what sticks out
		Headings, Places int
		Title, Ground    string
	}](p.tab, `(() => {
		document.querySelectorAll("details").forEach(d => { d.open = true })
		const root = document.documentElement, width = Math.min(root.clientWidth, innerWidth)
		const out = e => !e.closest("nav, .table") && e.getBoundingClientRect().right > width
		return {
			Wide: root.scrollWidth <= width ? [] : ["scrollWidth " + root.scrollWidth].concat(
				Array.from(document.querySelectorAll("body *")).filter(out).map(e => e.tagName + "." + e.className)),
			Headings: document.querySelectorAll("h1").length,
			Places: document.querySelectorAll("nav.side [aria-current]").length,
			Title: document.title.split(" · ")[0],
			Ground: getComputedStyle(document.body).backgroundColor,
		}
	})()`)
	assert.Empty(t, page.Wide, "%s, %s", path, scheme)
	assert.Equal(t, 1, page.Headings, path)
	assert.Equal(t, 1, page.Places, path)
	assert.NotEmpty(t, page.Title, path)
	return page.Ground
}

// wallet returns the balance of a seeded entity's wallet for the bank's payments.
func (p *panel) wallet(code string) string {
	p.t.Helper()
	for _, w := range p.get("/wallets?page_size=200", p.login(panelUser)).list() {
		if w["entity_id"] == seed.ID("entity", code).String() && w["currency"] == "VES" && w["kind"] == "main" {
			balance, _ := w["balance"].(string)
			return balance
		}
	}
	require.Fail(p.t, "no wallet of "+code)
	return ""
}
