package banksim

import (
	"bufio"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

func TestRedirectIsShown(t *testing.T) {
	t.Parallel()
	hooks, elsewhere := start(t)
	for _, location := range []string{elsewhere.URL + "/BancoConsulta", "/BancoNotifica", "http://[broken"} {
		server := handle(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
		x := one(t, simulator(t, time.Minute, server.URL, elsewhere.URL), server.URL)
		assert.Equal(t, http.StatusTemporaryRedirect, x.Status)
		assert.Contains(t, x.ResponseHeaders, "Location: "+location)
		assert.Empty(t, x.Error)
	}
	assert.Empty(t, hooks.bodies())
}

func TestResolvedAddressIsChecked(t *testing.T) {
	t.Parallel()
	hooks, server := start(t)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	for resolved, c := range map[string]struct {
		host string
		want Failure
	}{
		"127.0.0.1:" + port:                  {"bank.example", failedAddress},
		"[::1]:" + port:                      {"bank.example", failedAddress},
		"[::ffff:127.0.0.1]:" + port:         {"bank.example", failedAddress},
		"127.0.0.2:" + port:                  {"10.0.0.7", failedAddress},
		"0.0.0.0:" + port:                    {"localhost", failedAddress},
		"0.0.0.1:" + port:                    {"localhost", failedAddress},
		"[::]:" + port:                       {"localhost", failedAddress},
		"169.254.169.254:" + port:            {"bank.example", failedAddress},
		"[fe80::1%lo]:" + port:               {"localhost", failedAddress},
		"[ff02::1]:" + port:                  {"bank.example", failedAddress},
		"224.0.0.1:" + port:                  {"bank.example", failedAddress},
		"127.0.0.1:1":                        {"localhost", failedAddress}, // another port than the target's
		server.Listener.Addr().String() + "": {"localhost", ""},
	} {
		target := "http://" + c.host + ":" + port
		if c.want == "" {
			target = "http://localhost:" + port
		}
		s := simulator(t, 5*time.Second, target)
		s.resolve = func(string) string { return resolved }
		assert.Equal(t, c.want, one(t, s, target).Error, resolved)
	}
	assert.LessOrEqual(t, len(hooks.bodies()), 1)
}

// TestRebinding has a name that is harmless when the run begins and this machine when it is dialled again.
func TestRebinding(t *testing.T) {
	t.Parallel()
	hooks, server := start(t)
	target := strings.Replace(server.URL, "127.0.0.1", "bank.example", 1)
	s := simulator(t, 300*time.Millisecond, target)
	var dials atomic.Int32
	s.resolve = func(address string) string {
		_, port, err := net.SplitHostPort(address)
		assert.NoError(t, err)
		if dials.Add(1) == 1 {
			return "192.0.2.1:" + port // of documentation: unreachable
		}
		return "127.0.0.1:" + port
	}
	exchanges := run(t, s, &Run{Target: target, Phase: PhaseAB, Scenario: Plain, Token: testToken})
	require.Len(t, exchanges, 2)
	assert.NotEmpty(t, exchanges[0].Error)
	assert.NotEqual(t, failedAddress, exchanges[0].Error)
	assert.Equal(t, failedAddress, exchanges[1].Error)
	assert.Empty(t, hooks.bodies())
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	s := simulator(t, time.Second, "http://bank.example")
	assert.Nil(t, s.targets[0].transport.Proxy)
}

func TestOversizedAnswerIsCut(t *testing.T) {
	t.Parallel()
	for _, before := range []int{maxAnswer - 10, maxAnswer - len(testToken), maxAnswer, 10 * maxAnswer} {
		server := handle(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", before)+r.Header.Get("Authorization")+strings.Repeat("y", 1000))
		})
		x := one(t, simulator(t, time.Minute, server.URL), server.URL)
		body, note, cut := strings.Cut(x.ResponseBody, "\n")
		assert.True(t, cut)
		assert.Contains(t, note, "64 KiB")
		assert.Len(t, body, maxAnswer)
		assert.NotContains(t, body, testToken[:8], before)
		assert.Empty(t, x.Error)
	}
}

func TestACompleteAnswerIsNotMarkedAsCut(t *testing.T) {
	t.Parallel()
	server := handle(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", maxAnswer)) })
	assert.Equal(t, strings.Repeat("x", maxAnswer), one(t, simulator(t, time.Minute, server.URL), server.URL).ResponseBody)
}

func TestOversizedHeaderIsRefused(t *testing.T) {
	t.Parallel()
	server := handle(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Large", strings.Repeat("x", 64<<10)) })
	assert.Equal(t, failedOther, one(t, simulator(t, time.Minute, server.URL), server.URL).Error)
}

func TestEchoedTokenIsMasked(t *testing.T) {
	t.Parallel()
	server := handle(t, func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		w.Header().Set("X-Echo", strings.ToUpper(token))
		_, _ = io.WriteString(w, `{"error":"wrong token `+strings.TrimPrefix(token, "Bearer ")+`"}`)
	})
	s := simulator(t, time.Minute, server.URL)
	for _, token := range []string{testToken, " " + testToken + "\r\n", "Bearer " + testToken} {
		x := run(t, s, &Run{Target: server.URL, Phase: PhaseA, Scenario: Plain, Token: token})[0]
		assert.NotContains(t, x.RequestHeaders+x.ResponseHeaders+x.ResponseBody+x.Curl, testToken)
		assert.Equal(t, `{"error":"wrong token `+strings.Repeat("*", 32)+`0ae7"}`, x.ResponseBody)
		assert.Contains(t, x.ResponseHeaders, "*0AE7")
		assert.Contains(t, x.RequestHeaders, "*0ae7\n")
	}
	// One too short to be a secret is not looked for in an answer.
	result, err := s.Run(t.Context(), &Run{Target: server.URL, Phase: PhaseA, Scenario: Plain, Token: "true"})
	require.NoError(t, err)
	assert.Contains(t, result.Exchanges[0].RequestHeaders, "Authorization: ****\n")
}

func TestSlowServer(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	slow := handle(t, func(_ http.ResponseWriter, _ *http.Request) { <-done })
	half := handle(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status"`)
		assert.NoError(t, http.NewResponseController(w).Flush())
		<-done
	})
	t.Cleanup(func() { close(done) }) // before the servers are closed, which wait for their handlers
	s := simulator(t, 200*time.Millisecond, slow.URL, half.URL)
	x := one(t, s, slow.URL)
	assert.Equal(t, failedTimeout, x.Error)
	assert.Zero(t, x.Status)
	assert.GreaterOrEqual(t, x.Latency, 150*time.Millisecond)
	x = one(t, s, half.URL)
	assert.Equal(t, failedTimeout, x.Error)
	assert.Equal(t, http.StatusOK, x.Status)
	assert.JSONEq(t, `{"status":1}`, x.ResponseBody+":1}")
}

func TestCancellingTheContextEndsTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls atomic.Int32
	server := handle(t, func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		_, err := io.Copy(io.Discard, r.Body) // a server notices that the client has gone only after that
		assert.NoError(t, err)
		cancel()
		<-r.Context().Done()
	})
	result, err := simulator(t, time.Minute, server.URL).Run(ctx, &Run{Target: server.URL, Phase: PhaseAB, Scenario: Repeat, Token: testToken})
	require.NoError(t, err)
	require.Len(t, result.Exchanges, 3)
	for _, x := range result.Exchanges {
		assert.Equal(t, failedCancelled, x.Error)
	}
	assert.EqualValues(t, 1, calls.Load())
}

func TestAFailedConnectionIsRecordedAsAnExchange(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	target := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	s := simulator(t, 5*time.Second, target, "http://name.invalid")
	x := one(t, s, target)
	assert.Equal(t, failedRefused, x.Error)
	assert.NotEmpty(t, x.RequestHeaders)
	assert.NotEmpty(t, x.Curl)
	assert.NotEmpty(t, one(t, s, "http://name.invalid").Error)
}

// TestBrokenAnswers has a target that speaks something else, or hangs up; each is called once.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]Failure{
		"":                          failedClosed,
		"220 " + testToken + "\r\n": failedOther,
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc": failedBody,
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, listener.Close()) })
		var accepted atomic.Int32
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				accepted.Add(1)
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
				}
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			}
		}()
		target := "http://" + listener.Addr().String()
		assert.Equal(t, want, one(t, simulator(t, 5*time.Second, target), target).Error, answer)
		assert.EqualValues(t, 1, accepted.Load())
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	hooks := &webhooks{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hooks.record(t, r) }))
	t.Cleanup(server.Close)
	_, plain := start(t)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	https := strings.Replace(plain.URL, "http:", "https:", 1)
	s, err := New(Options{Targets: []string{server.URL, https}, RootCAs: roots})
	require.NoError(t, err)
	x := one(t, s, server.URL)
	assert.Empty(t, x.Error)
	assert.Equal(t, http.StatusOK, x.Status)
	assert.Len(t, hooks.bodies(), 1)
	assert.Equal(t, failedTLS, one(t, s, https).Error)

	assert.Equal(t, failedTrust, one(t, simulator(t, time.Minute, server.URL), server.URL).Error)
	assert.Len(t, hooks.bodies(), 1)
}

// TestConnectionsEndWithTheirCalls counts the connections open at the server.
func TestConnectionsEndWithTheirCalls(t *testing.T) {
	t.Parallel()
	var open, opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
			opened.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		default:
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	run(t, simulator(t, time.Minute, server.URL), &Run{Target: server.URL, Phase: PhaseAB, Scenario: AtOnce, Token: testToken})
	assert.Eventually(t, func() bool { return open.Load() == 0 }, testkit.WaitTimeout, 10*time.Millisecond)
	assert.EqualValues(t, 1+atOnce, opened.Load())
}
