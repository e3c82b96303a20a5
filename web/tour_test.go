package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
	"banca/web/guide"
	"banca/web/kit"
)

// notPages are the GET routes that answer no page of their own, with the reason.
func notPages() map[string]string {
	const part, file, suggestions = "a part of a page", "a file", "suggestions of a field"
	return map[string]string{
		"/admin/_components/progress": part, "/admin/_components/news": part, "/admin/_components/suggest": suggestions,
		"/admin/assistant/messages/:id": part, "/admin/assistant/messages/:id/stream": part, "/admin/assistant/sheet": part,
		"/admin/bank/events/news": part, "/admin/messages/news": part, "/admin/messages/:id/state": part, "/admin/messages/resends/:id/progress": part,
		"/admin/messages/connections/:id/link": part, "/admin/messages/connections/:id/qr": file, "/admin/messages/:id/picture": file,
		"/admin/organisation/suggest": suggestions, "/admin/search/suggest": suggestions, "/admin/limits/elements": suggestions, "/admin/tickets/:id/picture": file, "/admin/tickets/:id/receipt": file,
		"/admin/organisation/import/template": file, "/admin/reports/files/:id/progress": part, "/admin/reports/files/:id/download": file, "/admin/games/pictures/:name": file,
		"/setup": "of an empty database: TestSetupInABrowser", "/vender": "its script needs the API: TestThePointOfSaleInABrowser", "/vender/form": "of a ticket point: TestTheFormWithoutScriptsSells", "/vender/session": part, "/vender/news": part, "/vender/worker.js": file, "/vender/test-page": file, "/vender/manifest.webmanifest": file,
		"/admin/organisation/:id/documents/:document": file, "/admin/weekly/:id/receipt": file, "/admin/closes/:id/receipt": file, "/admin/prizes/:id/receipt": file,
	}
}

// tourStop is an address of a page, with the path of its route.
type tourStop struct{ route, address string }

// name is the name of a picture of the page.
func (p tourStop) name(number int) string {
	name := strings.NewReplacer("/", "-", ":", "").Replace(strings.Trim(strings.TrimPrefix(p.route, "/admin"), "/"))
	return fmt.Sprintf("%s-%d", cmp.Or(name, "start"), number)
}

// tour lists the pages of the table of routes. It fails for a page without an address, so that none is forgotten.
func (s *testbed) tour(t *testing.T) []tourStop {
	t.Helper()
	var stops []tourStop
	for _, route := range s.web.site.Routes() {
		_, excepted := notPages()[route.Path]
		if route.Method != http.MethodGet || route.Handle == nil || excepted {
			continue
		}
		addresses := s.pages[route.Path]
		if !strings.Contains(route.Path, ":") && addresses == nil {
			addresses = []string{route.Path}
		}
		assert.NotEmpty(t, addresses, "%s: add an address in testbed_pages_test.go, or a reason in notPages", route.Path)
		for _, address := range addresses {
			stops = append(stops, tourStop{route: route.Path, address: address})
		}
	}
	require.Greater(t, len(stops), 80)
	return stops
}

// audit runs the accessibility engine and returns the rules that the page violates, each with an element and the reason.
const audit = `((within, rules) => axe.run(within, {resultTypes: ["violations"], runOnly: rules})
	.then(found => found.violations.map(v => v.id + ": " + v.nodes.length + " × " + v.nodes[0].html.slice(0, 200) + " " + v.nodes[0].failureSummary.slice(0, 300))))`

// allRules are the rules of WCAG 2.2 AA and the engine's own.
const allRules = `(document, ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])`

// auditor returns the accessibility engine as a script.
func auditor(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/axe/axe.min.js")
	require.NoError(t, err)
	return string(raw) + "; true"
}

// seldom is which part of the pages `make test` visits; `make pages` visits all.
const seldom = 9

// Every page of the table fits a phone and a screen with all its forms open, and the accessibility engine finds no violation on it. It looks at the
// components in both colour schemes and widths, at the pages in turn, and at all pages in both for `make pages`. The tab itself fails on errors of a page and violations of its policy.
func TestEveryPageInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	s := setupTestbed(t, 2)
	engine := auditor(t)
	tab, server := enterInBrowser(t, s.engine)
	looks := []struct {
		name, scheme string
		resize       func()
	}{{"360 dark", "dark", tab.Narrow}, {"1280 light", "light", tab.Wide}}
	for i, stop := range s.tour(t) {
		if i%seldom != 0 && !target.Runs(target.Pages) {
			continue
		}
		tab.Visit(server + stop.address)
		chromium.Value[bool](tab, engine)
		assert.Equal(t, 1, chromium.Value[int](tab, `document.querySelectorAll("h1").length`), stop.address)
		for j, look := range looks {
			look.resize()
			tab.Scheme(look.scheme)
			assert.Empty(t, chromium.Value[[]string](tab, overflowing), "%s %s", stop.address, look.name)
			if i%len(looks) == j || stop.route == galleryPath || target.Runs(target.Pages) {
				chromium.Value[bool](tab, `(document.querySelectorAll(".bar details").forEach(d => { d.open = false }), true)`) // which covers the head of a page
				assert.Empty(t, chromium.Value[[]string](tab, audit+allRules), "%s %s", stop.address, look.name)
			}
		}
	}
	s.cancelsATicket(t, tab, server)
}

// aKey matches a text that is nothing but the key of a missing text.
var aKey = regexp.MustCompile(`>[\s●]*([a-z]+(?:\.[a-z_]+)+)\s*<`)

// No page of any role shows the key of a text in place of the text, in either language.
func TestNoTextIsMissingForAnyRole(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	catalogue, err := kit.LoadCatalogue()
	require.NoError(t, err)
	words := map[string]bool{}
	for key := range catalogue[spanish] {
		first, _, _ := strings.Cut(key, ".")
		words[first] = true
	}
	for _, name := range []string{"admin@banca.test", "socio@banca.test", "taquilla@banca.test"} {
		s.enterAs(t, name)
		shown := 0
		for _, stop := range s.tour(t) {
			if stop.route == galleryPath || strings.HasPrefix(stop.route, "/admin/tasks") || strings.HasPrefix(stop.route, guide.Path) { // names of parts, kinds of tasks
				continue
			}
			for _, language := range []string{english, spanish} {
				joint := "?"
				if strings.Contains(stop.address, "?") {
					joint = "&"
				}
				w := s.get(stop.address + joint + "lang=" + language)
				if w.Code != http.StatusOK {
					continue // not for this role
				}
				shown++
				for _, found := range aKey.FindAllStringSubmatch(w.Body.String(), -1) {
					first, _, _ := strings.Cut(found[1], ".")
					assert.False(t, words[first], "%s as %s: %s", stop.address, name, found[1])
				}
			}
		}
		require.Greater(t, shown, 30, name)
	}
}

// TestPictures writes a picture of each page in both languages and colour schemes, on a screen and on a phone, to var/pictures.
func TestPictures(t *testing.T) {
	wanted := chromium.NeedPictures(t)
	s := setupTestbed(t, 12)
	shots := &shots{t: t, wanted: wanted, server: httptest.NewServer(s.engine)}
	t.Cleanup(shots.server.Close)
	shots.take(slices.DeleteFunc(s.tour(t), func(stop tourStop) bool { return !wanted.Wants(stop.route) }))
	if wanted.Wants("/health-dashboard") {
		shots.health()
	}
}
