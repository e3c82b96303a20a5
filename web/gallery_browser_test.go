package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/testkit/browser"
)

// openGallery returns a tab at the gallery of a panel in development, logged in.
func openGallery(t *testing.T) (tab *chromium.Tab, address string) {
	t.Helper()
	chromium.Need(t)
	p := setupBank(t)
	deps := depsOf(t, p.env, p.auth, rootID)
	deps.Gallery = true
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
	tab = chromium.Open(t)
	tab.Visit(server.URL + loginPath + "?lang=es&next=" + accountPath)
	tab.Fill("#identifier", "admin@banca.test")
	tab.Fill("#password", password)
	tab.Follow("main form button")
	return tab, server.URL
}

const galleryPath = "/admin/_components"

// stickingOut lists the elements that make the page scroll sideways, with everything open.
const stickingOut = `(() => {
	document.querySelectorAll("details").forEach(d => { d.open = true })
	const root = document.documentElement, width = Math.min(root.clientWidth, innerWidth)
	if (root.scrollWidth <= width) return []
	return ["scrollWidth " + root.scrollWidth].concat(Array.from(document.querySelectorAll("main *"))
		.filter(e => !e.closest(".table") && e.getBoundingClientRect().right > width).map(e => e.tagName + "." + e.className))
})()`

// Every component fits a phone and a small screen in both themes; the tab itself fails on errors of the page and
// violations of its policy.
func TestTheGalleryInABrowser(t *testing.T) {
	t.Parallel()
	tab, address := openGallery(t)
	for _, query := range []string{"", "?state=refused", "?state=empty"} {
		grounds := map[string]bool{}
		for _, scheme := range []string{"light", "dark"} {
			tab.Scheme(scheme)
			for size, resize := range map[string]func(){"360": tab.Narrow, "1280": tab.Wide} {
				resize()
				tab.Visit(address + query)
				assert.Empty(t, chromium.Value[[]string](tab, stickingOut), "%s %s %s", query, scheme, size)
			}
			grounds[chromium.Value[string](tab, `getComputedStyle(document.body).backgroundColor`)] = true
		}
		assert.Len(t, grounds, 2, "each theme has a ground of its own")
	}
}
