package test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
)

// classes is a platform with a limit of its own size for each class, and one administrator in all classes.
type classes struct {
	*leakSuite
	header map[string]string
}

func openClasses(t *testing.T, change func(*config.Config)) *classes {
	t.Helper()
	s := &classes{leakSuite: openAPI(t, func(cfg *config.Config) {
		cfg.HTTP.RateLimitTimeout = testkit.RedisTimeout // a late answer of Redis would count requests twice
		change(cfg)
	})}
	s.header = map[string]string{"Authorization": "Bearer " + s.enter()}
	return s
}

// enter opens a further session of the administrator.
func (s *classes) enter() string {
	s.t.Helper()
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, panelUser, seed.Password)
	a := s.send(leakCall{method: http.MethodPost, path: "/auth/login", contentType: "application/json", body: strings.NewReader(body)})
	require.Equal(s.t, http.StatusOK, a.status, string(a.raw))
	token, _ := a.data()["access_token"].(string)
	return token
}

// left asks for a page of the API and returns limit and rest of the client.
func (s *classes) left(header map[string]string) (limit, left int) {
	s.t.Helper()
	a := s.request(http.MethodGet, "/games?page_size=1", header)
	limit, err := strconv.Atoi(a.header.Get("RateLimit-Limit"))
	require.NoError(s.t, err)
	left, err = strconv.Atoi(a.header.Get("RateLimit-Remaining"))
	require.NoError(s.t, err)
	return limit, left
}

var formToken = regexp.MustCompile(`name="form_token" value="([0-9a-f]+)"`)

// browser logs the administrator in to the panel and returns what sends requests with the session's cookie.
func (s *classes) browser() func(path string) answer {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	client := &http.Client{Jar: jar, Transport: s.client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	do := func(method, path string, form url.Values) answer {
		req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.addr+path, strings.NewReader(form.Encode()))
		require.NoError(s.t, err)
		req.Header.Set("Accept-Language", "en")
		if form != nil {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		res, err := client.Do(req)
		require.NoError(s.t, err)
		defer func() { _ = res.Body.Close() }()
		raw, err := io.ReadAll(res.Body)
		require.NoError(s.t, err)
		return answer{status: res.StatusCode, header: res.Header, raw: raw}
	}
	token := formToken.FindSubmatch(do(http.MethodGet, "/admin/login", nil).raw)
	require.NotNil(s.t, token, "the form has a token")
	res := do(http.MethodPost, "/admin/login", url.Values{"form_token": {string(token[1])}, "identifier": {panelUser}, "password": {seed.Password}})
	require.Equal(s.t, http.StatusSeeOther, res.status)
	return func(path string) answer { return do(http.MethodGet, path, nil) }
}

// device registers a device and proves it in a session. It returns the device's id.
func (s *classes) device(name, token string) string {
	s.t.Helper()
	fingerprint := "fingerprint-of-" + name
	post := func(path, body string) answer {
		a := s.send(leakCall{method: http.MethodPost, path: path, token: token, contentType: "application/json", body: strings.NewReader(body)})
		require.Less(s.t, a.status, http.StatusMultipleChoices, string(a.raw))
		return a
	}
	id, _ := post("/auth/devices", fmt.Sprintf(`{"name":%q,"fingerprint":%q}`, name, fingerprint)).data()["id"].(string)
	require.NotEmpty(s.t, id)
	s.prove(id, name, token)
	return id
}

// prove validates a device in a session and waits until the session is counted as the device.
func (s *classes) prove(id, name, token string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"deviceId":%q,"fingerprint":%q}`, id, "fingerprint-of-"+name)
	a := s.send(leakCall{method: http.MethodPost, path: "/auth/devices/validate", token: token, contentType: "application/json", body: strings.NewReader(body)})
	require.Equal(s.t, http.StatusOK, a.status, string(a.raw))
}

// The panel's requests and those of the API of one user are apart: pages that follow the bank's calls for a whole window, in
// three tabs, neither reach the panel's limit nor take a request from the API.
func TestPollsOfThePanelDoNotCountForTheAPI(t *testing.T) {
	t.Parallel()
	s := openClasses(t, func(cfg *config.Config) { cfg.HTTP.RateLimitWindow = 24 * time.Hour }) // nothing comes back in the test
	_, before := s.left(s.header)
	visit := s.browser()
	const tabs, polls = 3, int(15 * time.Minute / (5 * time.Second)) // of one tab in a window as delivered
	for range tabs * polls {
		res := visit("/admin/bank/events/news?after=" + uuid.Nil.String())
		require.Equal(t, http.StatusOK, res.status)
		require.Equal(t, "3000", res.header.Get("RateLimit-Limit"))
	}
	res := visit("/admin/bank/events")
	assert.Equal(t, http.StatusOK, res.status)
	left, err := strconv.Atoi(res.header.Get("RateLimit-Remaining"))
	require.NoError(t, err)
	assert.Equal(t, 3000-tabs*polls-1, left)
	assert.Greater(t, left, 3000/2, "polls stay far below the limit")
	limit, after := s.left(s.header)
	assert.Equal(t, 500, limit)
	assert.Equal(t, before-1, after, "the API's requests are as they were")
}

// A panel over its limit leaves the user's API alone, another login does not help, and the page says what to do.
func TestThePanelsRateLimitDoesNotAffectTheAPI(t *testing.T) {
	t.Parallel()
	s := openClasses(t, func(cfg *config.Config) { cfg.HTTP.RateLimitWindow, cfg.HTTP.RateLimitPanel = 24*time.Hour, 4 })
	visit := s.browser()
	for range 4 {
		require.Equal(t, http.StatusOK, visit("/admin/bank/events").status)
	}
	for name, visit := range map[string]func(string) answer{"the same": visit, "another login": s.browser()} {
		res := visit("/admin/bank/events")
		assert.Equal(t, http.StatusTooManyRequests, res.status, name)
		assert.Equal(t, "text/html; charset=utf-8", res.header.Get("Content-Type"), name)
		assert.Equal(t, "4", res.header.Get("RateLimit-Limit"), name)
		assert.NotEmpty(t, res.header.Get("Retry-After"), name)
	}
	limit, left := s.left(s.header)
	assert.Equal(t, 500, limit)
	assert.Positive(t, left)
}

// Each registered device has a limit of its own, which its user's other sessions do not use up, and validating it
// again or in another session does not help. Merely naming a device changes nothing.
func TestEveryDeviceHasItsOwnRateLimit(t *testing.T) {
	t.Parallel()
	s := openClasses(t, func(cfg *config.Config) {
		cfg.HTTP.RateLimitWindow, cfg.HTTP.RateLimitRequests, cfg.HTTP.RateLimitDevice = 24*time.Hour, 100, 12
	})
	held := s.enter()
	device := s.device("till", held)
	header := map[string]string{"Authorization": "Bearer " + held}
	var left int
	require.Eventually(t, func() bool { // the session is read again within a second or so
		var limit int
		limit, left = s.left(header)
		return limit == 12
	}, 10*time.Second, 500*time.Millisecond)
	assert.Equal(t, 11, left, "the user's requests are not the device's")
	for range 11 {
		s.left(header)
	}
	a := s.request(http.MethodGet, "/games", header)
	assert.Equal(t, http.StatusTooManyRequests, a.status)
	assert.Equal(t, "RATE_LIMITED", a.body["code"])
	assert.Equal(t, "12", a.header.Get("RateLimit-Limit"))

	limit, left := s.left(s.header)
	assert.Equal(t, 100, limit, "the user's other session")
	assert.Positive(t, left)
	for name, value := range map[string]string{"X-Device-Key": device + ".key", "X-Device-Id": device, "deviceId": device, "Cookie": "banca_session=" + device} {
		limit, next := s.left(map[string]string{"Authorization": s.header["Authorization"], name: value})
		assert.Equal(t, 100, limit, name)
		assert.Equal(t, left-1, next, name)
		left = next
	}
	again := s.enter()
	s.prove(device, "till", again)
	require.Eventually(t, func() bool {
		a := s.request(http.MethodGet, "/games", map[string]string{"Authorization": "Bearer " + again})
		return a.status == http.StatusTooManyRequests && a.header.Get("RateLimit-Limit") == "12"
	}, 10*time.Second, 500*time.Millisecond, "the device in another session")
	other := s.enter()
	s.device("second till", other)
	require.Eventually(t, func() bool {
		limit, left := s.left(map[string]string{"Authorization": "Bearer " + other})
		return limit == 12 && left > 0
	}, 10*time.Second, 500*time.Millisecond, "a second device of the same user")
}

// A buyer's browser that asked too often for tickets gets a page in its language, a program a problem.
func TestThePublicTicketWithoutRequestsLeft(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) {
		cfg.HTTP.RateLimitWindow, cfg.HTTP.RateLimitRequests = 24*time.Hour, 2
		cfg.HTTP.RateLimitTimeout = testkit.RedisTimeout // a late answer of Redis would count requests twice
	})
	for range 2 {
		require.Equal(t, http.StatusNotFound, s.request(http.MethodGet, "/t/NOSUCH", map[string]string{"Accept": "text/html"}).status)
	}
	for path, want := range map[string]string{"/t/NOSUCH": "Please wait", "/T/NOSUCH": "Please wait", "/resultados": "Please wait"} {
		a := s.request(http.MethodGet, path, map[string]string{"Accept": "text/html", "Accept-Language": "en"})
		assert.Equal(t, http.StatusTooManyRequests, a.status)
		assert.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"))
		assert.NotEmpty(t, a.header.Get("Retry-After"))
		assert.Contains(t, string(a.raw), want)
		assert.Contains(t, a.header.Get("Content-Security-Policy"), "style-src 'sha256-")
	}
	assert.Contains(t, string(s.request(http.MethodGet, "/t/NOSUCH", map[string]string{"Accept": "text/html"}).raw), "Espere")
	a := s.request(http.MethodGet, "/t/NOSUCH", map[string]string{"Accept": "application/json"})
	assert.Equal(t, http.StatusTooManyRequests, a.status)
	assert.Equal(t, "RATE_LIMITED", a.body["code"])
}
