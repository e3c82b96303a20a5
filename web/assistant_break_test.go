package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant"
	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	chromium "banca/internal/dev/testkit/browser"
)

// cutter passes connections on to a server until it cuts them.
type cutter struct {
	net.Listener

	mu    sync.Mutex
	open  bool
	conns []net.Conn
}

func newCutter(t *testing.T, server string) *cutter {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{Listener: listener, open: true}
	t.Cleanup(func() { _ = listener.Close(); c.set(false) })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := new(net.Dialer).DialContext(t.Context(), "tcp", server)
			if err != nil || !c.keep(from, to) {
				_ = from.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
	return c
}

// keep reports whether connections are open.
func (c *cutter) keep(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conns...)
	return c.open
}

// set cuts all connections, new ones too, or lets new ones through.
func (c *cutter) set(open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = open
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// A connection that breaks in the middle of an answer loses nothing and doubles nothing: the browser gets what it has not.
//
// It is not parallel: its steps wait for a browser, which the package's other tests keep busy.
func TestAConnectionBreaksInTheMiddleOfAnAnswer(t *testing.T) {
	chromium.Need(t)
	p := setupBank(t)
	var mu sync.Mutex
	var seen []string // last events that connections to the stream name
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			mu.Lock()
			seen = append(seen, r.Header.Get("Last-Event-ID"))
			mu.Unlock()
		}
		p.engine.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	line := newCutter(t, server.Listener.Addr().String())
	tab := enterAt(t, "http://"+line.Addr().String())
	tab.Wide()
	tab.Allow("net::ERR")
	require.True(t, p.models.SetFault(simulators.Fault{Mode: simulators.ModelsHang})) // the answer is written below
	tab.Visit("http://" + line.Addr().String() + customersPath)
	tab.Click(".opener")
	tab.Until(`document.activeElement.id === "sheet-message"`)
	tab.Press("¿cuánto vendimos por taquilla?" + kb.Enter)
	tab.Until(`!!document.querySelector("#sheet .turn[data-stream]")`)
	id := chromium.Value[string](tab, `document.querySelector("#sheet .turn").id.slice(2)`)
	require.Eventually(t, func() bool { // the run has begun its answer: what is written before is void
		n, err := p.env.Redis.XLen(t.Context(), "assistant:stream:"+id).Result()
		return err == nil && n > 0
	}, testkit.WaitTimeout, tick)
	require.Eventually(t, func() bool { // the run ends, and the test writes in its place
		tag, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE assistant_messages SET attempt = 99 WHERE id = $1 AND state = 'running'`, id)
		return err == nil && tag.RowsAffected() == 1
	}, testkit.WaitTimeout, tick)
	answer := ""
	write := func(kind, text string) {
		answer += text
		require.NoError(t, p.env.Redis.XAdd(t.Context(), &redis.XAddArgs{Stream: "assistant:stream:" + id, Values: []string{"kind", kind, "data", text}}).Err())
	}
	rows := func(from, to int) {
		for i := from; i < to; i++ {
			write(assistant.EventText, fmt.Sprintf("| Taquilla %d | %d.234,56 |\n", i, i))
		}
	}
	shown := func(n int) { // each row once
		tab.Until(fmt.Sprintf(`document.querySelectorAll("#sheet .md tbody tr").length >= %d`, n))
		assert.Equal(t, n, chromium.Value[int](tab, `document.querySelectorAll("#sheet .md tbody tr").length`))
		assert.Equal(t, n, chromium.Value[int](tab, `new Set(Array.from(document.querySelectorAll("#sheet .md tbody tr"), r => r.textContent)).size`))
	}
	write(assistant.EventText, "**Ventas** por taquilla\n\n| Taquilla | Vendido |\n|---|---:|\n")
	rows(0, 10)
	shown(10)
	line.set(false)
	tab.Until(`(t => t.querySelector(".status")?.textContent === t.dataset.lost)(document.querySelector("#sheet .turn"))`)
	rows(10, 20)
	line.set(true)
	shown(20)
	line.set(false)
	rows(20, 30)
	line.set(true)
	shown(30)
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE assistant_messages SET state = 'done', answer = $2, model = 'simulated', finished_at = now() WHERE id = $1`, id, answer)
	require.NoError(t, err)
	write(assistant.EventDone, "")
	answeredIn(tab, "por taquilla")
	shown(30)
	assert.Equal(t, 1, strings.Count(tab.Text("#sheet .answer"), "Ventas por taquilla"))
	mu.Lock()
	defer mu.Unlock()
	require.GreaterOrEqual(t, len(seen), 3)
	assert.Empty(t, seen[0])
	for _, last := range seen[1:] {
		assert.NotEmpty(t, last, "a connection after a break goes on where the one before ended")
	}
}
