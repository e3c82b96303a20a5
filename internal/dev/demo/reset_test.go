package demo

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

const tick = 50 * time.Millisecond

// running is a demonstration of two days without robots, and a browser at it.
type running struct {
	address string
	reset   chan struct{}
	robots  *robots // that sell when they are told to
	browser *http.Client
}

func start(t *testing.T) *running {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.HTTP.Addr, cfg.DataDir = listener.Addr().String(), testkit.Dir(t)
	cfg.HTTP.PublicURL = "http://" + cfg.HTTP.Addr
	r := &running{address: cfg.HTTP.PublicURL, reset: make(chan struct{})}
	o := Options{Every: 4 * time.Hour, Days: 2, Lines: 300, Reset: r.reset}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, &cfg, slog.New(slog.DiscardHandler), t.Output(), o) }()
	t.Cleanup(func() { stop(); assert.NoError(t, <-ended) })
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	r.browser = &http.Client{Jar: jar}
	require.Eventually(t, func() bool {
		res, err := http.Get(r.address + "/readyz")
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	}, testkit.WaitTimeout, tick)
	d := &demonstration{profile: testProfile(t), Options: Options{Pace: 1}, clock: clock.System{}, log: slog.New(slog.DiscardHandler)}
	r.robots = newRobots(d, &cfg)
	return r
}

// page opens a page and returns where it led and its text.
func (r *running) page(t *testing.T, path string) (at, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.address+path, http.NoBody)
	require.NoError(t, err)
	return r.answer(t, req)
}

func (r *running) answer(t *testing.T, req *http.Request) (at, body string) {
	t.Helper()
	res, err := r.browser.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.Request.URL.Path, string(text)
}

// enter logs in as the person of a link of the login page, by the form that it fills.
func (r *running) enter(t *testing.T, link string) {
	t.Helper()
	_, body := r.page(t, strings.ReplaceAll(link, "&amp;", "&"))
	form := url.Values{}
	for _, field := range []string{"form_token", "next", "identifier", "password"} {
		found := regexp.MustCompile(`name="` + field + `"[^>]* value="([^"]+)"`).FindStringSubmatch(body)
		require.Len(t, found, 2, field)
		form.Set(field, found[1])
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.address+"/admin/login", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	at, body := r.answer(t, req)
	require.Equal(t, "/admin", at, body)
}

// A reset takes back what was sold and ends the sessions. Logins and sales work again.
func TestAReset(t *testing.T) {
	t.Parallel()
	r := start(t)
	_, body := r.page(t, "/admin/login?lang=es")
	links := regexp.MustCompile(`href="(/admin/login\?name=[^"]+)"`).FindAllStringSubmatch(body, -1)
	require.Len(t, links, 3)
	require.Regexp(t, `vuelven al principio a las \d+:\d\d [ap]m`, body)
	r.enter(t, links[0][1])
	by := r.robots.cashiers[0]
	ticket, err := r.robots.sell(t.Context(), by)
	require.NoError(t, err)
	show := &call{method: http.MethodGet, path: "/sales/tickets/" + ticket}
	require.NoError(t, r.robots.as(t.Context(), by, show, nil))
	require.NoError(t, r.robots.payPrizes(t.Context()))
	require.NoError(t, r.robots.payByBank(t.Context(), by))
	old := by.token

	r.reset <- struct{}{}
	require.Eventually(t, func() bool {
		var refused *refusal
		err := r.robots.do(t.Context(), &call{method: http.MethodGet, path: show.path, authorization: old}, nil)
		return errors.As(err, &refused) && refused.status == http.StatusUnauthorized
	}, testkit.WaitTimeout, tick)
	at, _ := r.page(t, "/admin")
	assert.Equal(t, "/admin/login", at, "the session is gone")
	r.enter(t, links[0][1])
	by.since, r.robots.sale = time.Time{}, nil
	var refused *refusal
	require.ErrorAs(t, r.robots.as(t.Context(), by, show, nil), &refused)
	assert.Equal(t, http.StatusNotFound, refused.status, "the sale is gone")
	_, err = r.robots.sell(t.Context(), by)
	require.NoError(t, err)
}

// Servers of the environment are refused: their data would be deleted.
func TestOnlyItsOwnServers(t *testing.T) {
	t.Parallel()
	for _, set := range []func(*config.Config){
		func(c *config.Config) { c.Postgres.DatabaseURL = "postgres://elsewhere/banca" },
		func(c *config.Config) { c.Redis.RedisURL = "redis://elsewhere" },
		func(c *config.Config) { c.Objects.Endpoint = "http://elsewhere" },
		func(c *config.Config) { c.ObjectsDir = "elsewhere" },
	} {
		cfg := &config.Config{DataDir: t.TempDir()}
		set(cfg)
		require.ErrorIs(t, Run(t.Context(), cfg, slog.New(slog.DiscardHandler), t.Output(), Defaults()), ErrOwnServers)
	}
}
