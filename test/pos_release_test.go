package test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
	"banca/internal/setup/seed"
)

// releases is a proxy before two servers of two releases. The later one has other modules: each has a line more, which says of which release it is. A
// request reaches the later one where later says so.
type releases struct {
	addr string

	mu    sync.Mutex
	later func(path string) bool
	asked map[string]bool // paths, since the last call of serve
}

func newReleases(t *testing.T, server string) *releases {
	t.Helper()
	r := &releases{}
	r.serve(none)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(&url.URL{Scheme: "http", Host: server})
		p.Out.Host = p.In.Host
		p.Out.Header.Del("Accept-Encoding")
		p.Out.Header.Del("If-None-Match")
	}, ModifyResponse: func(answer *http.Response) error {
		path := answer.Request.URL.Path
		if !r.isLater(path) {
			return nil
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		if body, err = laterRelease("http://"+server, path, body); err != nil {
			return err
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		answer.ContentLength = int64(len(body))
		answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
		answer.Header.Del("ETag")
		return nil
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }}
	listener := httptest.NewServer(proxy)
	t.Cleanup(listener.Close)
	r.addr = strings.TrimPrefix(listener.URL, "http://")
	return r
}

func (r *releases) isLater(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[path] = true
	return r.later(path)
}

// serve sets which requests reach the server of the later release.
func (r *releases) serve(later func(path string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.later, r.asked = later, map[string]bool{}
}

// none and all are the servers before and after the replacement.
func none(string) bool { return false }
func all(string) bool  { return true }

// wasAsked reports whether the worker and all modules were asked for.
func (r *releases) wasAsked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	modules := 0
	for path := range r.asked {
		if isModule(path) {
			modules++
		}
	}
	return r.asked["/vender/worker.js"] && modules == modulesLater
}

func isModule(path string) bool {
	return strings.HasPrefix(path, "/admin/static/pos-") && strings.HasSuffix(path, ".js")
}

const releaseLine = "\nglobalThis.releases = {...globalThis.releases, %: 2};"

// laterRelease is a file of the later release.
func laterRelease(server, path string, body []byte) ([]byte, error) {
	switch {
	case isModule(path):
		name := strings.TrimSuffix(strings.TrimPrefix(path, "/admin/static/pos-"), ".js")
		return append(body, strings.ReplaceAll(releaseLine, "%", name)...), nil
	case path == "/vender/worker.js":
		first, script, _ := strings.Cut(string(body), ";\n")
		settings, err := laterSettings(server, strings.TrimPrefix(first, "const settings = "))
		return []byte("const settings = " + settings + ";\n" + script), err
	case path == "/vender":
		return versionOfPage.ReplaceAll(body, []byte(`data-version="later"`)), nil
	default:
		return body, nil
	}
}

var versionOfPage = regexp.MustCompile(`data-version="\w*"`)

// laterSettings are the settings of a worker with the version and the hashes of the later release.
func laterSettings(server, text string) (string, error) {
	var settings map[string]any
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return "", err
	}
	settings["version"] = "later"
	kept, _ := settings["kept"].(map[string]any)
	for address := range kept {
		if !isModule(address) {
			continue
		}
		answer, err := http.Get(server + address)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return "", err
		}
		if body, err = laterRelease(server, address, body); err != nil {
			return "", err
		}
		sum := sha256.Sum256(body)
		kept[address] = hex.EncodeToString(sum[:8])
	}
	raw, err := json.Marshal(settings)
	return string(raw), err
}

// loaded are the modules of the page that are of the later release.
func (c *counter) loaded() map[string]int {
	c.t.Helper()
	return browser.Value[map[string]int](c.tab, `globalThis.releases || {}`)
}

// settled waits until the browser has kept the counter, or has tried to: after serve each file was asked for again.
func (c *counter) settled(servers *releases) {
	c.t.Helper()
	require.Eventually(c.t, servers.wasAsked, testkit.WaitTimeout, 20*time.Millisecond)
	c.tab.UntilWithin(testkit.WaitTimeout, `(window.workers ||= {}, navigator.serviceWorker.getRegistration("/vender").then(found => { workers.now = found && found.active && !found.installing && !found.waiting }), Boolean(workers.now))`)
}

// keeps waits until the browser keeps the later release, or the first one, and none beside it.
func (c *counter) keeps(later bool) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `(window.kept ||= {}, caches.keys().then(names => { kept.now = names.length === 1 && (names[0] === "pos-later") === `+strconv.FormatBool(later)+` }), Boolean(kept.now))`)
}

// modulesLater is how many modules say of which release they are: all but pos.js.
const modulesLater = 25

// The browser keeps the counter of one release, and opens it without a session, whatever release answers at a time.
func TestPointOfSaleAndReleases(t *testing.T) {
	t.Parallel()
	target.Only(t, target.Long)
	browser.Need(t)
	p := newPlatform(t)
	p.env = []string{"RATE_LIMIT_PANEL_REQUESTS=100000"}
	p.start()
	servers := newReleases(t, p.addr)
	c := &counter{panel: &panel{platform: p, tab: browser.Open(t)}, at: servers.addr}
	c.tab.Allow("401 ")
	c.open()
	c.keeps(false)
	c.keepsNoMixture(servers)
	c.opensWithoutASession(servers)
	c.tab.Visit("about:blank")
	require.NoError(t, p.interrupt())
}

func (c *counter) reload() {
	c.t.Helper()
	c.tab.Visit("http://" + c.at + "/vender")
}

// keepsNoMixture opens the counter while one server after the other is replaced: the worker, the page and a half of the modules come from the later
// release.
func (c *counter) keepsNoMixture(servers *releases) {
	t := c.t
	for name, later := range map[string]func(path string) bool{
		"modules": func(path string) bool { return path != "/admin/static/pos-sale.js" },
		"page":    func(path string) bool { return path != "/vender" },
	} {
		servers.serve(later)
		c.reload() // which loads the later worker
		c.online()
		c.settled(servers)
		servers.serve(none)
		c.reload()
		c.online()
		assert.Empty(t, c.loaded(), name)
		c.keeps(false)
	}
	for _, server := range []func(string) bool{all, none} {
		servers.serve(server)
		c.reload()
		c.online()
		c.keeps(server(""))
		c.reload()
		c.online()
		if server("") {
			assert.Len(t, c.loaded(), modulesLater, "once all servers are replaced the later release is kept")
		} else {
			assert.Empty(t, c.loaded())
		}
	}
}

// opensWithoutASession has a release come while the session has ended: the cashier logs in over the page, and the next day again.
func (c *counter) opensWithoutASession(servers *releases) {
	t := c.t
	servers.serve(all)
	for _, day := range []string{"of the release", "after it"} {
		c.tab.Without("banca_session")
		c.reload()
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=password]") !== null`)
		if day == "of the release" {
			c.settled(servers)
		}
		c.enterOver(cashier, seed.Password)
		c.online()
		c.keeps(true)
	}
	assert.Len(t, c.loaded(), modulesLater, "the login has loaded the release")
	c.keys("05", "2", kb.Enter, kb.F12)
	assert.Equal(t, map[string]string{"5": "2.00"}, c.stakes(c.sold()))

	browser.Value[bool](c.tab, `caches.keys().then(names => Promise.all(names.map(name => caches.open(name).then(cache => cache.delete("/vender"))))).then(() => true)`)
	c.tab.Without("banca_session")
	c.reload()
	assert.Contains(t, c.where(), "/admin/login", "a page that is not kept leads to the login")
}
