package simulators_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
)

const key = "k3y"

// call makes a request and returns status, headers and body; status 0 means that the connection was cut.
func call(t *testing.T, base, method, path, body string) (int, http.Header, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Apikey", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, ""
	}
	defer func() { assert.NoError(t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, res.Header, string(text)
}

func gateway(t *testing.T) (*simulators.Gateway, string) {
	t.Helper()
	g := simulators.NewGateway(simulators.GatewayConfig{APIKey: key, Instance: "banca", Clock: clock.System{}})
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return g, server.URL
}

const picture = `{"number":"584141234567","mediatype":"image","mimetype":"image/png","media":"http://x/r.png","caption":"Su recibo","fileName":"r.png"}`

func TestGatewayDelivers(t *testing.T) {
	t.Parallel()
	_, url := gateway(t)
	status, _, body := call(t, url, "POST", "/message/sendMedia/banca", picture)
	require.Equal(t, http.StatusCreated, status, body)
	var sent struct {
		Key struct{ ID string }
	}
	require.NoError(t, json.Unmarshal([]byte(body), &sent))
	assert.NotEmpty(t, sent.Key.ID)
	status, _, _ = call(t, url, "POST", "/message/sendText/banca", `{"number":"573001234567","text":"<b>hola</b>"}`)
	require.Equal(t, http.StatusCreated, status)

	_, _, body = call(t, url, "GET", "/outbox?number=%2B584141234567", "")
	var outbox []simulators.Delivered
	require.NoError(t, json.Unmarshal([]byte(body), &outbox))
	require.Len(t, outbox, 1)
	assert.Equal(t, sent.Key.ID, outbox[0].ID)
	assert.Equal(t, "http://x/r.png", outbox[0].MediaURL)
	_, _, body = call(t, url, "GET", "/outbox?number=999", "")
	assert.JSONEq(t, "[]", body)

	_, _, page := call(t, url, "GET", "/", "")
	assert.Contains(t, page, `<img src="http://x/r.png"`)
	assert.Contains(t, page, "&lt;b&gt;hola")
}

func TestGatewayShowsBase64Pictures(t *testing.T) {
	t.Parallel()
	_, url := gateway(t)
	call(t, url, "POST", "/message/sendMedia/banca", strings.Replace(picture, "http://x/r.png", "iVBORw0KGgo=", 1))
	_, _, page := call(t, url, "GET", "/", "")
	assert.Contains(t, page, `<img src="data:image/png;base64,iVBORw0KGgo=`)
}

func TestGatewayRefuses(t *testing.T) {
	t.Parallel()
	g, url := gateway(t)
	for path, want := range map[string]int{
		"/message/sendMedia/other": http.StatusNotFound,
		"/message/sendText/banca":  http.StatusBadRequest, // the body is a picture's
	} {
		status, _, _ := call(t, url, "POST", path, picture)
		assert.Equal(t, want, status, path)
	}
	stranger := simulators.NewGateway(simulators.GatewayConfig{APIKey: "other", Clock: clock.System{}})
	server := httptest.NewServer(stranger)
	defer server.Close()
	status, _, _ := call(t, server.URL, "POST", "/message/sendMedia/banca", picture)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Empty(t, g.Outbox(""))
}

func TestGatewayFaults(t *testing.T) {
	t.Parallel()
	g, url := gateway(t)
	status, _, _ := call(t, url, "POST", "/_faults", `{"mode":"nonsense"}`)
	require.Equal(t, http.StatusBadRequest, status)
	for _, c := range []struct {
		mode      string
		status    int
		part      string
		delivered int
	}{
		{"400", 400, `"exists":false`, 0},
		{"error_in_200", 200, "Connection Closed", 0},
		{"429", 429, "rate-overlimit", 0},
		{"503_license", 503, "LICENSE_REQUIRED", 0},
		{"drop_after_write", 0, "", 1},
	} {
		before := len(g.Outbox(""))
		status, _, _ := call(t, url, "POST", "/_faults", `{"mode":"`+c.mode+`","times":1}`)
		require.Equal(t, http.StatusOK, status)
		status, header, body := call(t, url, "POST", "/message/sendMedia/banca", picture)
		assert.Equal(t, c.status, status, c.mode)
		assert.Contains(t, body, c.part, c.mode)
		assert.Len(t, g.Outbox(""), before+c.delivered, c.mode)
		if c.status == http.StatusTooManyRequests {
			assert.NotEmpty(t, header.Get("Retry-After"))
		}
		status, _, _ = call(t, url, "POST", "/message/sendMedia/banca", picture)
		assert.Equal(t, http.StatusCreated, status, "one time only")
	}
}

func TestGatewayKeepsTheNewestThousand(t *testing.T) {
	t.Parallel()
	g, _ := gateway(t)
	for range 1100 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/message/sendText/banca", strings.NewReader(`{"number":"1","text":"x"}`))
		r.Header.Set("Apikey", key)
		g.ServeHTTP(httptest.NewRecorder(), r)
	}
	assert.Len(t, g.Outbox(""), 1000)
}

func TestServeReturnsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	g := simulators.NewGateway(simulators.GatewayConfig{APIKey: key, Clock: clock.System{}})
	require.True(t, g.SetFault(simulators.Fault{Mode: simulators.GatewayTimeout}))
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- simulators.Serve(ctx, l, g) }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+"/message/sendMedia/x", strings.NewReader(picture))
	require.NoError(t, err)
	req.Header.Set("Apikey", key)
	hanging := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		hanging <- err
	}()
	time.Sleep(200 * time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(testkit.WaitTimeout):
		t.Fatal("it goes on")
	}
	require.Error(t, <-hanging, "the connection was cut")
}
