package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

func TestMain(m *testing.M) {
	code := testkit.Run(m)
	os.Exit(max(code, Close()))
}

// site serves pages by path, with a policy that allows nothing inline.
func site(t *testing.T, pages map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" { // asked for by the browser itself
			w.WriteHeader(http.StatusNoContent)
			return
		}
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		} else {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "default-src 'self'")
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A page that does nothing wrong is the rule; each of these does one thing wrong, and a test with it fails.
func TestErrorsOfAPageFailTheTest(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/good": `<p>good</p>`, "/good.js": `console.log("fine")`,
		"/console": `<script src="/console.js"></script>`, "/console.js": `console.error("broken", 7)`,
		"/throws": `<script src="/throws.js"></script>`, "/throws.js": `null.nothing`,
		"/inline": `<p style="color: red">x</p>`,
		"/image":  `<img src="/none.png">`,
		"/other":  `<img src="http://127.0.0.2:9/far.png">`,
		"/fetch":  `<script src="/fetch.js"></script>`, "/fetch.js": `fetch("/none").then(() => { document.title = "done" })`,
	}
	base := site(t, pages)
	for path, want := range map[string]string{
		"/good": "", "/console": `console: "broken" 7`, "/throws": "exception: Uncaught TypeError", "/inline": "security: ",
		"/image": "request: 404 GET " + base + "/none.png", "/other": "csp GET http://127.0.0.2:9/far.png", "/absent": "request: 404 GET " + base + "/absent",
		"/fetch": "request: 404 GET " + base + "/none",
	} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			tab := Open(t)
			tab.Visit(base + path)
			if path == "/fetch" {
				tab.Until(`document.title === "done"`)
			}
			tab.settle()
			problems := tab.watch.verdict()
			tab.watch.problems = nil // they were meant
			if want == "" {
				assert.Empty(t, problems)
				return
			}
			assert.Contains(t, strings.Join(problems, "\n"), want)
		})
	}
}

func TestExpectations(t *testing.T) {
	t.Parallel()
	w := newWatch()
	w.expect("404")
	w.expect("never")
	w.allow("favicon")
	w.allow("absent")
	w.note("request: 403 GET /favicon.ico")
	w.note("request: 404 GET /a")
	w.note("request: 404 GET /b")
	w.note("request: 500 GET /c")
	assert.Equal(t, []string{"request: 500 GET /c", "expected and not seen: never"}, w.verdict())
}

func TestTabsAreIsolatedUnlessOpenedWithAnother(t *testing.T) {
	t.Parallel()
	base := site(t, map[string]string{"/": ""})
	first, stranger := Open(t), Open(t)
	first.Visit(base)
	Value[string](first, `document.cookie = "known=1"`)
	stranger.Visit(base)
	require.Empty(t, Value[string](stranger, `document.cookie`))
	beside := first.Another()
	beside.Visit(base)
	require.Equal(t, "known=1", Value[string](beside, `document.cookie`))
}

func TestAPageWithoutScripts(t *testing.T) {
	t.Parallel()
	base := site(t, map[string]string{
		"/": `<p id="p">before</p><form action="/next"><button>go</button></form><script src="/s.js"></script>`, "/s.js": `document.title = "ran"`, "/next": `<p id="p">after</p>`,
	})
	tab := Open(t)
	tab.Visit(base)
	require.Equal(t, "ran", Value[string](tab, `document.title`))
	tab.NoScripts()
	tab.Visit(base)
	require.Empty(t, Value[string](tab, `document.title`))
	require.Equal(t, "before", tab.Text("#p"))
	tab.Follow("button")
	require.Equal(t, "after", tab.Text("#p"))
}
