package test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// cutParts is how many parts a request or an answer has between which it can be cut.
const cutParts = 10

// cuttingProxy passes requests on to a server, and cuts the connection of a sale once where it is told to.
type cuttingProxy struct {
	t      *testing.T
	addr   string
	server string
	pass   http.Handler

	mu   sync.Mutex
	cut  func(w http.ResponseWriter, raw []byte) // of the next sale; nil for none
	seen map[string]bool                         // Idempotency-Keys of sales
	free chan struct{}                           // is closed by release
}

func newCuttingProxy(t *testing.T, server string) *cuttingProxy {
	t.Helper()
	target := &url.URL{Scheme: "http", Host: server}
	p := &cuttingProxy{t: t, server: server, seen: map[string]bool{}, free: make(chan struct{}), pass: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}}
	listener := httptest.NewServer(p)
	t.Cleanup(listener.Close)
	p.addr = strings.TrimPrefix(listener.URL, "http://")
	return p
}

// ServeHTTP implements http.Handler.
func (p *cuttingProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/sales/tickets" {
		p.pass.ServeHTTP(w, r)
		return
	}
	p.mu.Lock()
	cut := p.cut
	p.cut = nil
	p.seen[r.Header.Get("Idempotency-Key")] = true
	p.mu.Unlock()
	if cut == nil {
		p.pass.ServeHTTP(w, r)
		return
	}
	raw, err := httputil.DumpRequest(r, true)
	if assert.NoError(p.t, err) {
		cut(w, raw)
	}
}

// arm cuts the next sale after a part of its request, or of its answer; part counts to cutParts.
func (p *cuttingProxy) arm(request bool, part int) {
	p.set(func(w http.ResponseWriter, raw []byte) {
		if request {
			p.send(raw[:len(raw)*part/cutParts])
			drop(p.t, w, nil)
			return
		}
		answer := p.ask(raw)
		drop(p.t, w, answer[:len(answer)*part/cutParts])
	})
}

// hold keeps the next sale back until release, and then cuts it: the answer if the sale arrives at the server, else the request.
func (p *cuttingProxy) hold(arrives bool) {
	p.set(func(w http.ResponseWriter, raw []byte) {
		if arrives {
			p.ask(raw)
		}
		<-p.free
		drop(p.t, w, nil)
	})
}

func (p *cuttingProxy) release() { close(p.free) }

func (p *cuttingProxy) set(cut func(w http.ResponseWriter, raw []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
}

// done reports whether the connection was cut.
func (p *cuttingProxy) done() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut == nil
}

// keys is the number of different Idempotency-Keys of sales.
func (p *cuttingProxy) keys() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen)
}

// send sends a part of a request to the server and closes the connection.
func (p *cuttingProxy) send(part []byte) {
	conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", p.server)
	if assert.NoError(p.t, err) {
		_, err = conn.Write(part)
		assert.NoError(p.t, err)
		assert.NoError(p.t, conn.Close())
	}
}

// ask sends a request to the server and returns its answer.
func (p *cuttingProxy) ask(raw []byte) []byte {
	conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", p.server)
	if !assert.NoError(p.t, err) {
		return nil
	}
	defer func() { _ = conn.Close() }()
	_, err = conn.Write(bytes.Replace(raw, []byte("Connection: keep-alive"), []byte("Connection: close"), 1))
	assert.NoError(p.t, err)
	answer, err := io.ReadAll(conn)
	assert.NoError(p.t, err)
	return answer
}

// drop writes a part of an answer to the browser and closes the connection.
func drop(t *testing.T, w http.ResponseWriter, part []byte) {
	t.Helper()
	conn, _, err := http.NewResponseController(w).Hijack()
	if assert.NoError(t, err) {
		_, _ = conn.Write(part)
		_ = conn.Close()
	}
}
