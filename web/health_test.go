package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/platform/clock"
	"banca/internal/platform/health"
	"banca/internal/services"
	"banca/models"
)

// watched is a panel without a database whose monitor has dependencies that fail when they are named.
type watched struct {
	engine  *gin.Engine
	monitor *health.Monitor
	clock   *clock.Fake
	away    map[string]bool
	change  func(*health.Figures) // of the next samples; nil for none
}

func watch(t *testing.T) *watched {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	w := &watched{clock: clock.NewFake(time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)), away: map[string]bool{}, engine: gin.New()}
	check := func(name string) health.Dependency {
		return health.Dependency{Name: name, Required: name != "objects", Check: func(context.Context) error {
			if w.away[name] {
				return errors.New("dial 10.0.0.7")
			}
			return nil
		}}
	}
	w.monitor = health.New(health.Options{
		Clock: w.clock, Log: slog.New(slog.DiscardHandler), Version: "1.2.3", Dependencies: []health.Dependency{check("postgres"), check("redis"), check("objects")},
		Probes: []health.Probe{
			{Name: "books", Read: func(context.Context) (func(*health.Figures), error) { return w.books, w.lost("postgres") }},
			{Name: "queues", Read: func(context.Context) (func(*health.Figures), error) { return w.queues, w.lost("redis") }},
		},
		Requests: func() []health.Request {
			return []health.Request{{At: w.clock.Now(), Method: http.MethodPost, Route: "/sales/tickets/:id", Status: 201, Took: 3 * time.Millisecond}}
		},
	})
	panel, err := New(Deps{
		Log: slog.New(slog.DiscardHandler), PublicURL: "http://127.0.0.1:8080", Secret: []byte("secret"), DocsPath: "/docs", Clock: w.clock, Zone: time.UTC,
		Services: services.Services{Health: w.monitor}, Changelog: "# Changelog\n\n## [1.2.0]\n\n- Uses `<b>` and\n  goes [on](https://example.com/x), not [here](docs/x.md).\n", Runbook: "https://example.com/runbook",
	})
	require.NoError(t, err)
	panel.Register(w.engine)
	for path, page := range panel.Panel().Pages {
		w.engine.GET(path, page)
	}
	return w
}

func (w *watched) lost(store string) error {
	if w.away[store] {
		return errors.New("away")
	}
	return nil
}

func (w *watched) books(f *health.Figures) {
	w.figures(f)
	if w.change != nil {
		w.change(f)
	}
}

func (w *watched) figures(f *health.Figures) { figuresAt(w.clock.Now(), f) }

// figuresAt are the figures of a platform at work.
func figuresAt(now time.Time, f *health.Figures) {
	leads := true
	sales := &health.Sales{LastAt: now.Add(-3 * time.Second)}
	for i := range 60 {
		sales.Minutes = append(sales.Minutes, health.Count{At: now.Add(time.Duration(i-59) * time.Minute), N: int64(i * i % 37)})
	}
	f.Sales, f.Leader = sales, &leads
	f.Outbox, f.Draws, f.Bank = &health.Outbox{}, &health.Draws{Waiting: 2}, &health.Bank{LastAt: now, LastGoodAt: now.Add(-time.Minute)}
	f.Messages, f.Models = &health.Messages{Waiting: 3, Channels: 2}, &health.Models{Models: 8, Cooling: 1}
	f.Disk, f.Database = &health.Disk{Free: 70 << 30, Size: 100 << 30}, &health.Database{Size: 3 << 30}
	f.Ledger = &health.Ledger{VerifiedAt: now.Add(-5 * time.Hour), Checks: 80}
	f.Versions = health.Versions{Schema: 54, Postgres: "15.8", Redis: "7.0.15"}
}

// measured returns a monitor that has measured a platform at work for an hour.
func measured(ctx context.Context) *health.Monitor {
	at := clock.NewFake(clock.System{}.Now().Add(-time.Hour))
	var checks atomic.Int64
	check := func(name string, slowest int64) health.Dependency {
		return health.Dependency{Name: name, Required: true, Check: func(context.Context) error {
			at.Advance(time.Duration(checks.Add(1)%slowest+1) * time.Millisecond)
			return nil
		}}
	}
	m := health.New(health.Options{
		Clock: at, Log: slog.New(slog.DiscardHandler), Version: "1.2.3", Dependencies: []health.Dependency{check("postgres", 7), check("redis", 3), check("objects", 19)},
		Probes: []health.Probe{{Name: "books", Read: func(context.Context) (func(*health.Figures), error) {
			return func(f *health.Figures) {
				figuresAt(at.Now(), f)
				f.Queues = &health.Queues{Workers: 2, Queues: []health.Queue{
					{Name: "critical", Active: 1, ProcessedToday: 4211}, {Name: "receipts", Pending: 12, Lag: 3 * time.Second, ProcessedToday: 1804, FailedToday: 2}, {Name: "messaging", ProcessedToday: 960},
				}}
			}, nil
		}}},
		Requests: func() []health.Request {
			return []health.Request{{At: at.Now(), Method: http.MethodPost, Route: "/sales/tickets/:id", Status: 201, Took: 3 * time.Millisecond}}
		},
	})
	for range 60 {
		m.Sample(ctx)
		at.Advance(time.Minute)
	}
	return m
}

func (w *watched) queues(f *health.Figures) {
	if w.change != nil {
		return
	}
	f.Queues = &health.Queues{Workers: 2, Queues: []health.Queue{{Name: "critical", Active: 1}, {Name: "receipts", Pending: 12, Lag: 3 * time.Second, FailedToday: 2}, {Name: "messaging"}}}
}

// sample takes a sample with the named dependencies away.
func (w *watched) sample(t *testing.T, away ...string) {
	t.Helper()
	clear(w.away)
	for _, name := range away {
		w.away[name] = true
	}
	w.clock.Advance(5 * time.Second)
	w.monitor.Sample(t.Context())
}

func (w *watched) get(address string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.engine.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, address, http.NoBody))
	return answer
}

// The page needs neither a login nor a database, names what is wrong first, and has no text without a translation.
func TestTheHealthPage(t *testing.T) {
	t.Parallel()
	w := watch(t)
	before := w.get("/health-dashboard?lang=es").Body.String()
	assert.Contains(t, before, "Comprobando: todavía no se midió nada.", "before the first sample")
	assert.Contains(t, before, `<span class="state off">Comprobando</span>`)
	assert.NotContains(t, before, "Funciona")
	assert.Contains(t, before, "Leído: 23/11, 12:00:00 pm")
	for _, away := range [][]string{nil, {"postgres"}, {"redis"}, {"objects"}, {"postgres", "redis", "objects"}} {
		w.sample(t, away...)
		for language, words := range map[string]map[string]string{
			spanish: {"": "Todo funciona.", "postgres": "Postgres no responde", "redis": "Redis no responde", "objects": "el almacén de archivos no responde"},
			english: {"": "Everything works.", "postgres": "Postgres does not answer", "redis": "Redis does not answer", "objects": "The object store does not answer"},
		} {
			answer := w.get("/health-dashboard?lang=" + language)
			require.Equal(t, http.StatusOK, answer.Code)
			body := answer.Body.String()
			assert.NotRegexp(t, `>\s*[a-z]+\.[a-z_.]+\s*<|%!`, body)
			assert.Empty(t, answer.Header().Values("Set-Cookie"))
			assert.NotContains(t, body, "10.0.0.7")
			for _, name := range away {
				assert.Contains(t, body, words[name])
				assert.Contains(t, body, `href="https://example.com/runbook#`+name+`"`)
			}
			assert.Equal(t, len(away) == 0, strings.Contains(body, words[""]))
		}
	}
	assert.Contains(t, w.get("/health-dashboard?lang=es").Body.String(), "No se pudo leer de nuevo: ventas, sorteos, banco y mensajes (hace 5 s), colas (hace 5 s)")
}

// A stranger reads the states and the problems, and no figure of sales, programs and requests.
func TestThePublicHealthPageHasNoFigures(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.change = func(f *health.Figures) { f.Exposed = []string{"admin@banca.test"} }
	w.sample(t, "redis")
	body := w.get("/health-dashboard?lang=en").Body.String()
	assert.Contains(t, body, "Redis does not answer")
	for _, hidden := range []string{"Task queues", "critical", "15.8", "1.2.3", "/sales/tickets/:id", "Tickets", "admin@banca.test"} {
		assert.NotContains(t, body, hidden)
	}
	full := w.monitor.Snapshot()
	assert.True(t, slices.ContainsFunc(full.Problems, func(p health.Problem) bool { return p.Name == "admin@banca.test" }), "for the operator")
}

// The page of the panel has the figures for users of the operator with system:read.
func TestTheFiguresOfTheHealthPage(t *testing.T) {
	t.Parallel()
	for role, shown := range map[string]bool{models.RoleAdmin: true, models.RoleSocio: false} {
		b := setup(t, "http://127.0.0.1:8080")
		b.login(t, role, "")
		assert.Equal(t, shown, strings.Contains(b.get("/admin/health?lang=en").Body.String(), "Task queues"), role)
	}
}

// A verification of the books that the page starts is queued once in a quarter of an hour, and is in the log of changes.
func TestABookVerificationIsStartedFromThePage(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	const page = "/admin/health"
	p.enter(t, "socio@banca.test")
	assert.NotContains(t, p.get(page).Body.String(), page+"/verify")
	p.enter(t, "admin@banca.test")
	head, live, _ := strings.Cut(p.get(page+"?lang=es").Body.String(), "data-live")
	assert.Contains(t, head, "Verificar los libros")
	assert.NotContains(t, live, tokenField, "what the stream renews has no form: its page has the token")
	for range 2 {
		w := p.do(http.MethodPost, page+"/verify", url.Values{tokenField: {p.token(t, page)}})
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
		assert.Equal(t, page+"?done=health.verify", w.Header().Get("Location"))
	}
	var queued, recorded int
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM outbox WHERE kind = 'ledger.verify'),
		(SELECT count(*) FROM activity_logs WHERE module = 'queues' AND action = 'run')`).Scan(&queued, &recorded))
	assert.Contains(t, []int{1, 2}, queued, "2 if a quarter of an hour ended between both")
	assert.Equal(t, 2, recorded)
	assert.Contains(t, p.get(page+"?lang=es&done=health.verify").Body.String(), "La verificación empieza")
}

// All problems have texts in both languages.
func TestEveryProblemHasAText(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.monitor.Sample(t.Context())
	for _, change := range []func(f *health.Figures){
		func(f *health.Figures) { no := false; f.Leader, f.Queues = &no, &health.Queues{} },
		func(f *health.Figures) { f.Outbox = &health.Outbox{Rows: 3, Age: time.Hour, Dead: 2} },
		func(f *health.Figures) {
			f.Queues = &health.Queues{Workers: 1, Queues: []health.Queue{{Name: "receipts", Pending: 3, Lag: 48 * time.Hour, Paused: true, Archived: 4}}}
		},
		func(f *health.Figures) { f.Draws, f.Bank = &health.Draws{Overdue: 1}, &health.Bank{Refused: 9} },
		func(f *health.Figures) { f.Messages = &health.Messages{Paused: 1, Closed: 1} },
		func(f *health.Figures) {
			f.Messages = &health.Messages{Waiting: 3, OldestAt: w.clock.Now().Add(-time.Hour)}
		},
		func(f *health.Figures) {
			f.Models, f.Disk = &health.Models{Models: 1, Cooling: 1}, &health.Disk{Size: 1 << 40}
		},
		func(f *health.Figures) { f.Ledger = &health.Ledger{VerifiedAt: w.clock.Now(), Broken: 2} },
		func(f *health.Figures) { f.Ledger = &health.Ledger{VerifiedAt: w.clock.Now().Add(-72 * time.Hour)} },
		func(f *health.Figures) {
			f.Sources = []health.Source{{Name: "official", At: w.clock.Now(), Failed: 4, Took: time.Second}}
		},
		func(f *health.Figures) { f.Months = &health.Months{Until: w.clock.Now().Add(time.Hour)} },
		func(f *health.Figures) { f.Months = &health.Months{Stray: true} },
		func(f *health.Figures) { f.Backup = &health.Backup{Slots: 2, Inactive: 1} },
		func(f *health.Figures) { f.Backup = &health.Backup{Slots: 1, Lost: 1} },
		func(f *health.Figures) { f.Log = health.Log{Dropped: 5, DroppedAt: w.clock.Now()} },
	} {
		w.clock.Advance(time.Second)
		w.change = change
		w.sample(t)
		for _, language := range []string{spanish, english} {
			body := w.get("/health-dashboard?lang=" + language).Body.String()
			assert.NotRegexp(t, `>\s*[a-z]+\.[a-z_.-]+\s*<|%!`, body)
			assert.Contains(t, body, `<ul class="troubles">`)
		}
	}
}

// Many requests cost what one costs, and what one adds to the address is not for the others.
func TestTheHealthPageIsWrittenOnceASecond(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.sample(t)
	first := w.get("/health-dashboard?lang=en&mark=hostile").Body.String()
	assert.NotContains(t, first, "hostile")
	assert.Equal(t, first, w.get("/health-dashboard?lang=en").Body.String())
	w.sample(t, "redis")
	assert.Contains(t, w.get("/health-dashboard?lang=en").Body.String(), "Redis does not answer")
}

func TestTheChangelogPage(t *testing.T) {
	t.Parallel()
	w := watch(t)
	body := w.get("/changelog?lang=es").Body.String()
	assert.Contains(t, body, "<h1>Cambios de cada versión</h1>")
	assert.Contains(t, body, "<h2>[1.2.0]</h2>\n<ul><li>Uses <code>&lt;b&gt;</code> and\ngoes <a href=\"https://example.com/x\">on</a>, not here.</li></ul>")
}

// The page fits a phone and a small screen in both colour schemes, refreshes itself, and says when it cannot.
func TestTheHealthPageInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	w := watch(t)
	server := httptest.NewServer(w.engine)
	t.Cleanup(server.Close)
	tab := chromium.Open(t)
	for size, resize := range map[string]func(){"360": tab.Narrow, "1280": tab.Wide} {
		resize()
		for _, scheme := range []string{"light", "dark"} {
			tab.Scheme(scheme)
			for _, away := range [][]string{nil, {"postgres", "redis", "objects"}} {
				w.sample(t, away...)
				tab.Visit(server.URL + "/health-dashboard?lang=es")
				assert.Empty(t, chromium.Value[[]string](tab, overflowing), "%s %s %v", size, scheme, away)
			}
			tab.Visit(server.URL + "/changelog")
			assert.Empty(t, chromium.Value[[]string](tab, overflowing), size)
		}
	}
	w.sample(t)
	tab.Visit(server.URL + "/health-dashboard?lang=es")
	w.sample(t, "redis")
	tab.Until(`document.querySelector(".troubles")?.textContent.includes("Redis no responde")`)
	tab.Allow("request: ")
	tab.Allow("ERR_CONNECTION_REFUSED")
	tab.Allow("htmx:")
	server.CloseClientConnections()
	server.Close()
	tab.Until(`document.querySelector("#health").classList.contains("lost")`)
	assert.Contains(t, tab.Text("[data-lost]"), "Sin conexión desde")
}
