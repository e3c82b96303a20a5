package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/gallery"
	chromium "banca/internal/dev/testkit/browser"
	"banca/web/kit"
)

// openGallery returns a tab that is logged in to a panel with the gallery, and the address of the gallery.
func openGallery(t *testing.T) (tab *chromium.Tab, address string) {
	t.Helper()
	chromium.Need(t)
	p := setupBank(t)
	deps := depsOf(t, p.env, p.auth)
	deps.Areas = []kit.Area{gallery.Area()}
	panel, err := New(deps)
	require.NoError(t, err)
	engine := gin.New()
	panel.Register(engine)
	tab, server := enterInBrowser(t, engine)
	return tab, server + galleryPath
}

// enterInBrowser returns a tab of an ADMIN at a panel, and the address of its server.
func enterInBrowser(t *testing.T, panel http.Handler) (tab *chromium.Tab, address string) {
	t.Helper()
	server := httptest.NewServer(panel)
	t.Cleanup(server.Close)
	return enterAt(t, server.URL), server.URL
}

// enterAt signs in at an address.
func enterAt(t *testing.T, address string) *chromium.Tab {
	t.Helper()
	tab := chromium.Open(t)
	tab.Visit(address + loginPath + "?lang=es&next=" + accountPath)
	tab.Fill("#identifier", "admin@banca.test")
	tab.Fill("#password", password)
	tab.Follow("main form button")
	return tab
}

const galleryPath = "/admin/_components"

// overflowing opens all details and returns the elements that make the page scroll horizontally, or that the content of a narrow page leaves its width unused.
const overflowing = `(() => {
	document.querySelectorAll("details").forEach(d => { d.open = true })
	const root = document.documentElement, width = Math.min(root.clientWidth, innerWidth)
	const used = document.querySelector("main")?.getBoundingClientRect().width ?? width
	if (width < 800 && used < width - 1) return ["main has " + used + " of " + width]
	if (root.scrollWidth <= width) return []
	return ["scrollWidth " + root.scrollWidth].concat(Array.from(document.querySelectorAll("main *"))
		.filter(e => !e.closest(".table") && e.getBoundingClientRect().right > width).map(e => e.tagName + "." + e.className))
})()`

// With scripts a question is a modal dialog. Escape and the button Cancelar close it, and the focus returns to the button
// that opened it.
func TestQuestionIsADialogWithScripts(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	const dialog = `document.querySelector("#ask > dialog")`
	for _, width := range []func(){tab.Wide, tab.Narrow} {
		width()
		tab.Visit(address)
		tab.Click("#ask > summary")
		assert.True(t, chromium.Value[bool](tab, dialog+`.matches(":modal")`))
		assert.Contains(t, tab.Text("#ask > dialog"), "18 Burro")
		assert.Equal(t, "ask-reason", chromium.Value[string](tab, `document.activeElement.id`))
		assert.Empty(t, chromium.Value[[]string](tab, `[`+dialog+`.getBoundingClientRect()].filter(r => r.left < 0 || r.right > innerWidth || r.bottom > innerHeight).map(r => JSON.stringify(r))`))
		tab.Press(kb.Escape)
		tab.Until(`!document.querySelector("#ask").open`)
		assert.Equal(t, "Bloquear…", chromium.Value[string](tab, `document.activeElement.textContent`), "the focus returns")
		tab.Press(kb.Enter)
		tab.Until(dialog + `.matches(":modal")`)
		tab.Click("#ask .dismiss")
		tab.Until(`!document.querySelector("#ask").open`)
		assert.Equal(t, "Bloquear…", chromium.Value[string](tab, `document.activeElement.textContent`))
		tab.Click("details.confirm:not([id]) > summary")
		assert.Equal(t, "Cancelar", chromium.Value[string](tab, `document.activeElement.textContent`), "the focus is not on the button of the action")
		tab.Press(kb.Enter)
		tab.Until(`document.querySelector("dialog:modal") === null`)
		assert.Equal(t, address, chromium.Value[string](tab, `location.href`), "nothing was sent")
	}

	tab.NoScripts()
	tab.Visit(address)
	tab.Click("#ask > summary")
	assert.Equal(t, []bool{false, true, false}, chromium.Value[[]bool](tab, `[`+dialog+`.matches(":modal"), `+dialog+`.checkVisibility(), document.querySelector("#ask .dismiss").checkVisibility()]`),
		"without scripts the form is not modal and has no button that cancels")
	assert.Regexp(t, `\d:\d\d [ap]m$`, tab.Text("#countdowns time"), "a countdown shows its instant")
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("button[data-copy]").checkVisibility()`), "a button without effect is not shown")
}

// times is the script that returns the texts and tones of the countdowns.
// A mark of a chart is explained under the pointer and by arrows.
func TestChartsAreExplained(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	tab.Visit(address)
	const tip = `document.querySelector(".tip:not([hidden])")?.textContent`
	chromium.Value[bool](tab, `(document.querySelector(".chart [role=img]").focus(), true)`)
	tab.Press(kb.ArrowRight)
	assert.Equal(t, "8 am · Hoy 150,00 · Sábado pasado 200,00", chromium.Value[string](tab, tip))
	tab.Press(kb.End)
	assert.Equal(t, "7 pm · Sábado pasado 0,00", chromium.Value[string](tab, tip))
	tab.Press(kb.Escape)
	tab.Until(`document.querySelector(".tip").hidden`)
	chromium.Value[bool](tab, `(document.querySelectorAll(".plot .mark")[2].dispatchEvent(new PointerEvent("pointerover", {bubbles: true})), true)`)
	assert.Equal(t, "10 am · Hoy −50,00 · Sábado pasado 700,00", chromium.Value[string](tab, tip))
}

const times = `Array.from(document.querySelectorAll("#countdowns time"), e => e.textContent + " " + ["off", "waiting", "trouble"].filter(tone => e.classList.contains(tone)))`

// A script updates the text of a countdown and shows when the instant has passed.
func TestCountdownExpires(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	tab.Visit(address)
	first := chromium.Value[[]string](tab, times)
	assert.Regexp(t, `^1 h 12 off$`, first[0])
	assert.Regexp(t, `^1[23] min off$`, first[1])
	assert.Regexp(t, `^9:[0-5]\d waiting$`, first[2])
	assert.Regexp(t, `^1:[0-3]\d trouble$`, first[3])
	assert.Equal(t, "cerrado off", first[5])
	assert.Regexp(t, `pm off$|am off$`, first[6], "more than a day away")
	assert.Equal(t, "— off", first[7])
	tab.Until(times + `[4] === "cerrado off"`)
	tab.Until(times + `[1] !== "` + first[1] + `"`)
}

// The button copies with the clipboard API, which a page over https has, and without it.
func TestCopyButtonCopiesWithAndWithoutTheClipboard(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	for _, prepare := range []string{
		`navigator.clipboard.writeText = (write => text => { window.copied = text; return write.call(navigator.clipboard, text) })(navigator.clipboard.writeText); true`,
		`Object.defineProperty(navigator, "clipboard", {value: undefined}); document.addEventListener("copy", () => { window.copied = document.activeElement.value }); true`,
	} {
		tab.Visit(address)
		chromium.Value[bool](tab, prepare)
		tab.Click("button[data-copy]")
		tab.Until(`document.querySelector("button[data-copy]").textContent === "Copiado"`)
		assert.Equal(t, "K7QX2M9P", chromium.Value[string](tab, `window.copied`))
		assert.Equal(t, "Copiado", tab.Text("button[data-copy] + [role=status]"), "a screen reader announces the copy")
		tab.Until(`document.querySelector("button[data-copy]").textContent === "Copiar"`)
		assert.Empty(t, tab.Text("button[data-copy] + [role=status]"))
	}
}

// The line of a live list shows failed polls without moving the rows below it. A job is polled until it has ended.
func TestLiveAndProgressArePolled(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	tab.Visit(address)
	const box = `JSON.stringify(document.querySelector("#more").getBoundingClientRect())`
	place := chromium.Value[string](tab, box)
	poll := func(path string) {
		chromium.Value[bool](tab, `(line => { line.setAttribute("hx-get", "`+path+`"); line.setAttribute("hx-trigger", "every 50ms"); htmx.process(line); return true })(document.querySelector("#news"))`)
	}
	tab.Expect("404 GET")
	poll(galleryPath + "/missing")
	tab.Until(`document.querySelector("#news").classList.contains("lost")`)
	assert.Contains(t, tab.Text("#news"), "Sin conexión desde las ")
	poll(galleryPath + "/news?count=2")
	tab.Until(`document.querySelector("#news a") !== null`)
	assert.Equal(t, "2 nuevas · mostrar", tab.Text("#news"))
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("#news").classList.contains("lost")`))
	assert.Equal(t, place, chromium.Value[string](tab, box), "the content below does not move")
	tab.Until(`document.querySelector(".progress .state").textContent === "terminado"`)
	assert.Equal(t, "1.000 de 1.000", tab.Text(".progress .hint"))
}

// A picker suggests options for a part of a text without accents. Keyboard and mouse choose one.
func TestPickerFindsByAPartOfTheText(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	tab.Visit(address)
	tab.Fill("#p-asked", "leo")
	tab.Until(`document.querySelectorAll("#b-p-asked [role=option]").length === 1`)
	tab.Press(kb.ArrowDown)
	assert.Equal(t, "b-p-asked-0", chromium.Value[string](tab, `document.querySelector("#p-asked").getAttribute("aria-activedescendant")`))
	chromium.Value[bool](tab, `document.querySelector("#p-asked").dispatchEvent(new Event("input", {bubbles: true}))`)
	chromium.Value[bool](tab, `(box => { window.replaced = false; new MutationObserver(() => window.replaced = true).observe(box, {childList: true}); return true })(document.querySelector("#b-p-asked"))`)
	tab.Until(`window.replaced`)
	tab.Press(kb.Enter) // the suggestions were replaced, and the mark stays
	assert.Equal(t, "5 León", chromium.Value[string](tab, `document.querySelector("#p-asked").value`))
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("#b-p-asked").checkVisibility()`))
	assert.Equal(t, address, chromium.Value[string](tab, `location.href`), "the form was not sent")

	tab.Fill("#p-given", "AGUI")
	tab.Click("#b-p-given [role=option]")
	assert.Equal(t, "9 Águila", chromium.Value[string](tab, `document.querySelector("#p-given").value`))
	tab.Fill("#p-given", "zz")
	assert.Contains(t, tab.Text("#b-p-given"), "Nada coincide")
	tab.Press(kb.Escape)
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("#b-p-given").checkVisibility()`))
}
