package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/web/guide"
)

// The guide is open to every browser, in its language, and kept by it as long as it is the same.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	start := b.get(guide.Path)
	require.Equal(t, http.StatusOK, start.Code)
	assert.Contains(t, start.Body.String(), `<a href="/docs/guide/counter">La taquilla</a>`)
	assert.Regexp(t, `(?s)tiles.*guide/bank.*<h2>Documentación técnica, en inglés</h2>.*guide/money.*guide/glossary`, start.Body.String())
	assert.Equal(t, 1, strings.Count(start.Body.String(), "en inglés"), "once for all")
	assert.NotContains(t, b.get(guide.Path+"?lang=en").Body.String(), "other languages")

	counter := b.get(guide.Path + "/counter?lang=es")
	require.Equal(t, http.StatusOK, counter.Code)
	body := counter.Body.String()
	assert.Contains(t, body, "<h1 lang=\"es\">La taquilla en el navegador</h1>")
	assert.Contains(t, body, `<h2 id="keys">Teclas`)
	assert.Contains(t, body, `aria-current="page">La taquilla</a>`)
	assert.Contains(t, body, `href="/docs/guide/counter?lang=en"`)
	assert.Regexp(t, `rel="next"><span>Siguiente</span>\s*El panel`, body)
	assert.NotContains(t, body, "rel=\"prev\"")
	assert.Contains(t, b.get(guide.Path+"/counter?lang=en").Body.String(), `<h2 id="keys">Keys`)
	assert.Contains(t, b.get(guide.Path+"/operations?lang=es").Body.String(), "Este capítulo está en inglés.")
	assert.NotContains(t, b.get(guide.Path+"/operations?lang=en").Body.String(), "This chapter is in English.")
	picture := regexp.MustCompile(`src="(/admin/static/board\.[0-9a-f]{16}\.png)"`).FindStringSubmatch(b.get(guide.Path + "/panel").Body.String())
	require.Len(t, picture, 2)
	shown := b.get(picture[1])
	assert.Equal(t, "image/png", shown.Header().Get("Content-Type"))
	assert.Contains(t, shown.Header().Get("Cache-Control"), "immutable")

	assert.Equal(t, "no-cache", counter.Header().Get("Cache-Control"))
	assert.Contains(t, counter.Header().Get("Content-Security-Policy"), "default-src 'none'")
	assert.Contains(t, counter.Header().Get("Vary"), "Accept-Language")
	b.header["If-None-Match"] = b.get(guide.Path + "/counter?lang=es").Header().Get("ETag")
	again := b.get(guide.Path + "/counter?lang=es")
	assert.Equal(t, http.StatusNotModified, again.Code)
	assert.Empty(t, again.Body.String())
	assert.Equal(t, http.StatusOK, b.get(guide.Path+"/counter?lang=en").Code, "the other language is another page")
}

func TestSearchInTheGuide(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	w := b.get(guide.Path + "?lang=es&q=anular+ticket")
	assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	body := w.Body.String()
	assert.Contains(t, body, `<a href="/docs/guide/panel#tickets">El panel › Tickets</a>`)
	assert.Contains(t, body, "<mark>anula</mark>")
	assert.Contains(t, body, `name="q" maxlength="200" value="anular ticket"`)
	assert.Contains(t, b.get(guide.Path+"?lang=en&q=zzzqqq").Body.String(), "Nothing matches.")
	for _, hostile := range []string{"%3Cscript%3Ealert(1)%3C/script%3E", "%22%20autofocus%20onfocus=alert(1)", "'%20OR%201=1", "%F0%9F%98%80", strings.Repeat("%C3%A1", 2000)} {
		w := b.get(guide.Path + "?q=" + hostile)
		assert.Equal(t, http.StatusOK, w.Code, hostile)
		assert.NotContains(t, w.Body.String(), "<script>alert")
		assert.NotContains(t, w.Body.String(), `" autofocus`)
	}
	assert.Equal(t, http.StatusBadRequest, b.get(guide.Path+"?q=%00").Code)
	assert.Equal(t, http.StatusBadRequest, b.get(guide.Path+"?q=%FF").Code)
}

// An address names a chapter or nothing: no file of the program or of the machine.
func TestHostileAddressesOfTheGuide(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	for _, path := range []string{
		"/nothing", "/panel.md", "/README", "/..", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/docs.go", "/../../admin", "/panel/", "/panel/x", "/es/panel.md", "/pictures/board.png",
		"/%00", "/panel%00", "/%5c..%5cdocs", "/" + strings.Repeat("a", 4000), "/PANEL",
	} {
		w := b.get(guide.Path + path)
		assert.Contains(t, []int{http.StatusNotFound, http.StatusMovedPermanently, http.StatusBadRequest}, w.Code, path)
		assert.NotContains(t, w.Body.String(), "package docs", path)
	}
}

// Every page of the panel has a chapter of the guide that explains it, and the chapter has the section.
func TestEveryPageHasItsChapter(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	sections := map[string]bool{}
	for _, route := range p.web.site.Routes() {
		_, excepted := notPages()[route.Path]
		own := strings.HasPrefix(route.Path, guide.Path) || route.Path == loginPath || route.Path == setupPath || route.Path == galleryPath
		if route.Method != http.MethodGet || route.Handle == nil || excepted || own {
			continue
		}
		if assert.NotEmpty(t, route.Guide, "%s: name a chapter, of its area or by ExplainedIn", route.Path) {
			sections[route.Guide] = true
		}
	}
	require.Greater(t, len(sections), 15)
	for section := range sections {
		chapter, anchor, found := strings.Cut(section, "#")
		for _, language := range []string{english, spanish} {
			w := p.get(guide.Path + "/" + chapter + "?lang=" + language)
			require.Equal(t, http.StatusOK, w.Code, section)
			assert.True(t, !found || strings.Contains(w.Body.String(), ` id="`+anchor+`">`), "%s in %s", section, language)
		}
	}
	p.enter(t, "taquilla@banca.test")
	assert.Contains(t, p.get(counterPath+"/help").Body.String(), `<a class="guide" href="/docs/guide/counter"`)
	assert.Contains(t, p.get("/admin/static/pos-panels.js").Body.String(), `"/docs/guide/counter"`, "the counter's help, F1")
	p.enter(t, "admin@banca.test")
	link := regexp.MustCompile(`<a class="guide" href="([^"]*)" title="Guía: explica esta página"`)
	for page, chapter := range map[string]string{
		home: "panel#the-start-page", "/admin/closes": "panel#dinero", "/admin/draws/board": "panel#the-boards-of-the-day", "/admin/account": "panel#users-and-customers",
		"/admin/organisation/import": "panel#importing-ticket-points", "/admin/exposure": "panel#the-boards-of-the-day",
	} {
		found := link.FindAllStringSubmatch(p.get(page+"?lang=es").Body.String(), -1)
		if assert.Len(t, found, 1, page) {
			assert.Equal(t, guide.Path+"/"+chapter, found[0][1], page)
		}
	}
}

// The guide is read on a phone and on a screen, without scripts, and the contents open there by a button.
func TestTheGuideInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + guide.Path + "/panel?lang=es#tickets")
	assert.Less(t, chromium.Value[float64](tab, `Math.abs(document.querySelector("#tickets").getBoundingClientRect().top - 64)`), 24.0, "below the bar")
	tab.Narrow()
	tab.Visit(server + guide.Path + "/counter?lang=es") // which has wide tables
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("#contents").checkVisibility()`))
	tab.Click(".contents-opener")
	tab.Until(`document.querySelector("#contents").matches(":popover-open")`)
	tab.Fill("#contents input", "cierre de caja")
	tab.Follow("#contents form button")
	assert.Contains(t, tab.Text(".found"), "Daily closes")
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	tab.Follow(`.found a[href$="money#daily-closes"]`)
	tab.Until(`document.querySelector(":target")?.id === "daily-closes"`)
}
