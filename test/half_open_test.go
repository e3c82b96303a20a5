package test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
	"banca/models"
)

// halfOpen sends the head of a chunked request and nothing of its body.
func (s *leakSuite) halfOpen(path, contentType string) net.Conn {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.addr)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n", path, s.addr, s.addr, contentType)
	require.NoError(s.t, err)
	return conn
}

// chunked hides the length of a body.
func chunked(body string) io.Reader { return io.MultiReader(strings.NewReader(body)) }

// 200 half-open logins without a principal hold up no sale, no login and no upload, and end within seconds.
func TestHalfOpenRequestsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	s.fill()
	began := time.Now()
	var held []net.Conn
	for i := range 200 {
		if i%2 == 0 {
			held = append(held, s.halfOpen("/admin/login", "application/x-www-form-urlencoded"))
		} else {
			held = append(held, s.halfOpen("/auth/login", "application/json"))
		}
	}
	ticket := fmt.Sprintf(`{"currency":"VES","customer":{"name":"Ana","phone":"0414-1234567"},"items":[{"draw_id":%q,"bet_type":"straight","selection":"5","amount":"1.00"}]}`, s.draw)
	sale := func(body io.Reader) int {
		a := s.send(leakCall{method: http.MethodPost, path: "/sales/tickets", token: s.tokens["ours "+models.RoleTaquilla], contentType: "application/json", body: body})
		return a.status
	}
	plain := sale(strings.NewReader(ticket))
	require.NotEqual(t, http.StatusServiceUnavailable, plain)
	var all sync.WaitGroup
	for range 30 { // of one user
		all.Go(func() { assert.Equal(t, plain, sale(chunked(ticket))) })
	}
	all.Wait()
	login := fmt.Sprintf(`{"email":"admin@banca.test","password":%q}`, leakPassword)
	for _, body := range []io.Reader{strings.NewReader(login), chunked(login)} {
		a := s.send(leakCall{method: http.MethodPost, path: "/auth/login", contentType: "application/json", body: body})
		assert.Equal(t, http.StatusOK, a.status, string(a.raw))
	}
	a := s.upload(false, append(widePicture(t, 40), make([]byte, 5<<20)...))
	assert.Equal(t, "DOCUMENT_STORE_UNAVAILABLE", a.body["code"], "it was read: this platform has no object store")
	t.Logf("a sale answers %d; 30 chunked sales, two logins and an upload of 5 MiB beside 200 half-open requests: %v", plain, time.Since(began))
	for _, conn := range held {
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(answer), "HTTP/1.1 4"), "%.60s", answer)
	}
	assert.Less(t, time.Since(began), 25*time.Second, "the server's own deadline is 30 s")
	a = s.send(leakCall{method: http.MethodPost, path: "/auth/login", contentType: "application/json", body: strings.NewReader(`{"email":"` + strings.Repeat("x", 17<<10) + `"}`)})
	assert.Equal(t, http.StatusRequestEntityTooLarge, a.status, string(a.raw))
}
