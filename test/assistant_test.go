package test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// chatPlatform returns a running platform and the address of its simulated models.
func chatPlatform(t *testing.T, env ...string) (p *platform, models string) {
	t.Helper()
	p = newPlatform(t)
	models = freeAddr(t)
	p.env = append(env, "SIM_MODELS_ADDR="+models, "RATE_LIMIT_REQUESTS=1000000")
	p.start()
	return p, "http://" + models
}

// fault makes the simulated models misbehave.
func (p *platform) fault(models, mode string) {
	p.t.Helper()
	require.Equal(p.t, http.StatusOK, p.post(models+"/_faults", "", map[string]any{"mode": mode}, "").status)
}

// question asks and returns the path of the message.
func (p *platform) question(token, text, key string) string {
	p.t.Helper()
	a := p.post("/ai/chat", token, map[string]any{"message": text}, key)
	require.Equal(p.t, http.StatusAccepted, a.status, string(a.raw))
	return a.header.Get("Location")
}

// finished polls until nothing more is written.
func (p *platform) finished(token, message string, within time.Duration) map[string]any {
	p.t.Helper()
	var m map[string]any
	require.Eventually(p.t, func() bool {
		m = p.get(message, token).data()
		return m["state"] == "done" || m["state"] == "stopped" || m["state"] == "failed"
	}, within, 50*time.Millisecond)
	return m
}

// On a fresh machine, without any key, a question is answered with the figures of the user: as a stream, and by asking for it again.
func TestTheAssistantAnswers(t *testing.T) {
	t.Parallel()
	p, models := chatPlatform(t)
	token := p.login("socio@banca.test")
	message := p.question(token, "¿Cuánto vendimos hoy?", "one")
	again := p.post("/ai/chat", token, map[string]any{"message": "¿Cuánto vendimos hoy?"}, "one")
	require.Equal(t, []string{message, "true"}, []string{again.header.Get("Location"), again.header.Get("Idempotent-Replayed")})

	text, ids, done := p.events(t, message+"/stream", token, "")
	require.Equal(t, "done", done["state"], "%v", done)
	require.Equal(t, done["answer"], text)
	require.NotEmpty(t, text)
	require.Equal(t, "simulated", done["model"])
	require.Equal(t, done["answer"], p.get(message, token).data()["answer"])

	// a reader that comes back gets what is left
	require.Greater(t, len(ids), 2)
	rest, _, _ := p.events(t, message+"/stream", token, ids[1])
	require.True(t, strings.HasSuffix(text, rest))

	conversation, _ := done["conversation_id"].(string)
	conversation = "/ai/chat/conversations/" + conversation
	stranger := p.login("admin@banca.test")
	for _, path := range []string{message, message + "/stream", conversation} {
		assert.Equal(t, http.StatusNotFound, p.get(path, stranger).status, path)
	}
	require.Len(t, p.get("/ai/chat/conversations", token).list(), 1)
	renamed := p.do(http.MethodPatch, conversation, token, map[string]any{"title": "Ventas"}, "")
	require.Equal(t, "Ventas", renamed.data()["title"], string(renamed.raw))
	stopped := p.post(message+"/stop", token, nil, "")
	require.Equal(t, "done", stopped.data()["state"], string(stopped.raw))
	spent := p.get("/ai/usage", stranger)
	require.Equal(t, "simulated", spent.list()[0]["model"], string(spent.raw))
	require.Equal(t, http.StatusForbidden, p.get("/ai/usage", token).status)
	require.Equal(t, http.StatusOK, p.do(http.MethodDelete, conversation, token, nil, "").status)
	require.Equal(t, http.StatusNotFound, p.get(message, token).status)

	p.fault(models, "401")
	p.finished(token, p.question(token, "ventas de hoy", ""), testkit.WaitTimeout)
	alerts := p.get("/bank/alerts?kind=model_refused", stranger).list()
	require.NotEmpty(t, alerts, "a key that is refused is an alert beside the others")
	require.NoError(t, p.interrupt())
}

// All models are saturated: the answer is the figures, as Markdown. An answer is stopped while it is written. The process dies while it writes: the next one answers.
func TestTheAssistantUnderFaults(t *testing.T) {
	t.Parallel()
	p, models := chatPlatform(t)
	token := p.login("socio@banca.test")
	p.fault(models, "429")
	saturated := p.finished(token, p.question(token, "ventas de ayer", ""), testkit.WaitTimeout)
	require.Equal(t, []any{"done", ""}, []any{saturated["state"], saturated["model"]})
	require.Contains(t, saturated["answer"], "**")
	require.Len(t, saturated["results"], 2)

	p.fault(models, "ok")
	time.Sleep(1500 * time.Millisecond) // the Retry-After of the fault
	p.fault(models, "silent_stream")
	message := p.question(token, "ventas de hoy", "")
	begun := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return strings.Contains(p.begun(ctx, message+"/stream", token), "event: text")
	}
	require.Eventually(t, begun, testkit.WaitTimeout, 50*time.Millisecond)
	require.Equal(t, http.StatusOK, p.post(message+"/stop", token, nil, "").status)
	stopped := p.finished(token, message, testkit.WaitTimeout)
	require.Equal(t, "stopped", stopped["state"])
	require.NotEmpty(t, stopped["answer"], "what was written stays")

	message = p.question(token, "saldo de hoy", "")
	require.Eventually(t, begun, testkit.WaitTimeout, 50*time.Millisecond)
	p.kill()
	p.start()
	answered := p.finished(token, message, 4*time.Minute) // a task whose worker died is found after its lease
	require.Equal(t, "done", answered["state"], "%v", answered)
	text, _, _ := p.events(t, message+"/stream", token, "")
	require.Equal(t, answered["answer"], text, "a reader begins again")
	require.NoError(t, p.interrupt())
}

// Without Redis a question is kept; it is answered when Redis is back, and its stream needs no Redis to end.
func TestTheAssistantWithoutRedis(t *testing.T) {
	t.Parallel()
	server := testkit.StartRedis(t)
	p, _ := chatPlatform(t, "REDIS_URL="+server.URL())
	token := p.login("socio@banca.test")
	p.finished(token, p.question(token, "ventas de ayer", ""), testkit.WaitTimeout)
	server.Stop()
	message := ""
	require.Eventually(t, func() bool {
		a := p.post("/ai/chat", token, map[string]any{"message": "ventas de hoy"}, "kept")
		message = a.header.Get("Location")
		return a.status == http.StatusAccepted
	}, testkit.WaitTimeout, 100*time.Millisecond)
	require.Equal(t, "pending", p.get(message, token).data()["state"])
	server.Start()
	require.Equal(t, "done", p.finished(token, message, 2*testkit.WaitTimeout)["state"])
	server.Stop()
	_, _, done := p.events(t, message+"/stream", token, "")
	require.Equal(t, "done", done["state"])
	server.Start()
	require.NoError(t, p.interrupt())
}

// begun reads a stream until ctx ends.
func (p *platform) begun(ctx context.Context, path, token string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr+path, http.NoBody)
	require.NoError(p.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = res.Body.Close() }()
	var out strings.Builder
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		out.WriteString(lines.Text() + "\n")
	}
	return out.String()
}

// events reads a stream to its end.
func (p *platform) events(t *testing.T, path, token, last string) (text string, ids []string, done map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.addr+path, http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	require.Equal(t, "no", res.Header.Get("X-Accel-Buffering"))
	kind := ""
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "id":
			ids = append(ids, value)
		case name == "event":
			kind = value
		case name == "data" && kind == "start":
			text = ""
		case name == "data" && kind == "text":
			var part string
			require.NoError(t, json.Unmarshal([]byte(value), &part))
			text += part
		case name == "data" && kind == "done":
			require.NoError(t, json.Unmarshal([]byte(value), &done))
		}
	}
	require.NoError(t, lines.Err())
	require.NotNil(t, done, "the stream ends with the message")
	return text, ids, done
}
