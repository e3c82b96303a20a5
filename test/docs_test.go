package test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/platform/config"
)

// docsBound is how much time of the processor the documentation may take in the page's main thread, from the request
// until all operations are listed, in units of [browser.Tab.Work]. It takes 1.1, on an idle machine and on a busy one.
const docsBound = 3.0

// The documentation lists all operations within its bound, logs in, and calls an operation.
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	browser.Need(t)
	s := openAPI(t, func(*config.Config) {})
	document, err := document()
	require.NoError(t, err)
	operations := len(document.Operations())

	tab := browser.Open(t)
	tab.Visit("http://" + s.addr + "/healthz") // so that the documentation comes into the same process
	busy := tab.Measure()
	began := time.Now()
	tab.Visit("http://" + s.addr + "/docs")
	const listed = "document.querySelector('openapi-explorer').shadowRoot.querySelectorAll('.nav-bar-path').length"
	tab.UntilWithin(testkit.WaitTimeout, listed+" > 0")
	took := time.Since(began)
	longest := browser.Value[float64](tab, `new Promise((done) => {
		let longest = 0;
		new PerformanceObserver((l) => l.getEntries().forEach((e) => { longest = Math.max(longest, e.duration); })).observe({type: 'longtask', buffered: true});
		setTimeout(() => done(longest), 500);
	})`)
	used := busy()
	unit := tab.Work()
	t.Logf("%d operations after %s, %s of the processor, %.1f times the work of %s; longest task %.0f ms", operations, took, used, used.Seconds()/unit.Seconds(), unit, longest)
	assert.Equal(t, operations, browser.Value[int](tab, listed), "every operation is listed")
	assert.Less(t, used.Seconds()/unit.Seconds(), docsBound)

	tab.Fill("#identifier", "admin@banca.test")
	tab.Fill("#password", "wrong")
	tab.Expect("401 POST")
	tab.Click("#login button")
	tab.Until("document.querySelector('#state').textContent.length > 5")
	tab.Fill("#password", "banca-dev")
	tab.Click("#login button")
	tab.Until("document.querySelector('#state').textContent === 'logged in'")
	open := `document.querySelector('openapi-explorer').shadowRoot`
	tab.Until(`(` + open + `.getElementById('link-get-/auth/me').click(), ` + open + `.querySelector('.btn-execute') !== null)`)
	tab.Until(`(` + open + `.querySelector('.btn-execute').click(), true)`)
	const text = `((node) => { const all = (n) => n.nodeType === Node.TEXT_NODE ? n.data : [...(n.shadowRoot ? n.shadowRoot.childNodes : []), ...n.childNodes].map(all).join(' '); return all(node); })`
	tab.Until(text + `(` + open + `.querySelector('api-request')).includes('"admin@banca.test"')`)
	assert.Regexp(t, `\b200\b`, browser.Value[string](tab, text+`(`+open+`.querySelector('api-request'))`))

	for _, scheme := range []string{"dark", "light"} {
		tab.Scheme(scheme)
		tab.Until(`document.querySelector('openapi-explorer').getAttribute('bg-color') === (` + `'` + scheme + `' === 'dark' ? '#14181d' : '#ffffff')`)
	}
	tab.Narrow()
	tab.Visit("http://" + s.addr + "/docs")
	tab.UntilWithin(testkit.WaitTimeout, open+`?.querySelectorAll('.section-tag').length > 10`)
	assert.LessOrEqual(t, browser.Value[int](tab, "document.documentElement.scrollWidth"), 360, "the page is as wide as the phone")
}

// The viewer that is embedded is the file of its npm package, whose integrity the lock file names.
func TestDeliveredViewerIsThePackage(t *testing.T) {
	t.Parallel()
	published, err := os.ReadFile(filepath.Join(needPackages(t), "openapi-explorer/dist/browser/openapi-explorer.min.js"))
	require.NoError(t, err)
	embedded, err := os.ReadFile("../api/docs/openapi-explorer.min.js")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(published, embedded), "copy the file of the version in package.json")
}
