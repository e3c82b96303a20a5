package completion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

const secret = "sk-very-secret-key"

func provider(t *testing.T, answer http.HandlerFunc) Model {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // so that the end of the connection is noticed
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return Model{Name: "m", URL: server.URL + "/v1", ID: "provider/model", Key: secret, Input: 300_000, Output: 2_500_000}
}

func client() *Client {
	return NewClient(Timeouts{FirstByte: 300 * time.Millisecond, Idle: 300 * time.Millisecond, Total: 2 * time.Second}, nil)
}

func sse(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, e := range events {
		_, _ = io.WriteString(w, "data: "+e+"\n\n")
		_ = http.NewResponseController(w).Flush()
	}
}

func say(text string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}]}`, text)
}

const stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func ask() *Request {
	return &Request{Messages: []Message{Text(RoleUser, "hola")}, MaxTokens: 100}
}

func TestStreamedTextAndUsage(t *testing.T) {
	t.Parallel()
	m := provider(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Equal(t, "/v1/chat/completions", r.URL.Path)
		assert.Equal(t, "Bearer "+secret, r.Header.Get("Authorization"))
		assert.JSONEq(t, `{"model":"provider/model","messages":[{"role":"user","content":"hola"}],"max_tokens":100,"temperature":0,"stream":true,"stream_options":{"include_usage":true}}`, string(body))
		sse(w, `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, say("Ven"), say("tas"), stop,
			`{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10}}`, "[DONE]")
	})
	var parts []string
	a, err := client().Complete(t.Context(), &m, ask(), func(p string) error { parts = append(parts, p); return nil })
	require.NoError(t, err)
	assert.Equal(t, []string{"Ven", "tas"}, parts)
	assert.Equal(t, "Ventas", a.Text)
	assert.Equal(t, Usage{Input: 1000, Output: 10}, a.Usage)
	assert.EqualValues(t, 300+25, m.Cost(a.Usage))
}

// Unknown fields of a message, in pieces, go back to their model as they came, and not to another one.
func TestCallsKeepWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	m := provider(t, func(w http.ResponseWriter, _ *http.Request) {
		sse(w, `{"choices":[{"index":0,"delta":{"role":"assistant","reasoning":"a","tool_calls":[{"index":0,"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"S=="}},"function":{"name":"getDailyBalance","arguments":"{\"da"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning":"b","tool_calls":[{"index":0,"function":{"arguments":"te\":\"ayer\"}"}},{"index":1,"id":"c2","function":{"name":"drawStatus","arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
	})
	a, err := client().Complete(t.Context(), &m, ask(), nil)
	require.NoError(t, err)
	assert.Equal(t, []Call{{ID: "c1", Name: "getDailyBalance", Arguments: `{"date":"ayer"}`}, {ID: "c2", Name: "drawStatus", Arguments: `{}`}}, a.Calls)
	same, err := a.Message.formFor("m")
	require.NoError(t, err)
	assert.JSONEq(t, `{"role":"assistant","content":null,"reasoning":"ab","tool_calls":[
		{"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"S=="}},"function":{"name":"getDailyBalance","arguments":"{\"date\":\"ayer\"}"}},
		{"id":"c2","type":"function","function":{"name":"drawStatus","arguments":"{}"}}]}`, string(same))
	other, err := a.Message.formFor("other")
	require.NoError(t, err)
	assert.NotContains(t, string(other), "thought_signature")
	assert.NotContains(t, string(other), "reasoning")
	assert.Contains(t, string(other), "getDailyBalance")
	assert.True(t, a.Usage.Estimated)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   Kind
		retry  time.Duration
		shown  bool
	}{
		"429 with Retry-After":    {answer: status(429, "", "Retry-After", "7"), kind: RateLimited, retry: 7 * time.Second},
		"429 with a date":         {answer: status(429, "", "Retry-After", "Mon, 23 Nov 2026 10:00:09 GMT", "Date", "Mon, 23 Nov 2026 10:00:00 GMT"), kind: RateLimited, retry: 9 * time.Second},
		"429 of gemini":           {answer: status(429, `[{"error":{"code":429,"message":"`+secret+`","status":"RESOURCE_EXHAUSTED","details":[{"@type":"t","retryDelay":"34.5s"}]}}]`), kind: RateLimited, retry: 34500 * time.Millisecond},
		"429 for ever":            {answer: status(429, "", "Retry-After", "99999999"), kind: RateLimited, retry: time.Hour},
		"500":                     {answer: status(500, "<html>"), kind: Server},
		"503 with Retry-After":    {answer: status(503, "", "Retry-After", "3"), kind: Server, retry: 3 * time.Second},
		"408":                     {answer: status(408, ""), kind: Timeout},
		"401":                     {answer: status(401, `{"error":{"message":"Incorrect API key provided: `+secret+`"}}`), kind: Access},
		"404":                     {answer: status(404, ""), kind: Access},
		"400":                     {answer: status(400, ""), kind: Rejected},
		"redirect":                {answer: status(302, "", "Location", "http://169.254.169.254/"), kind: Rejected},
		"error in 200":            {answer: whole(`{"error":{"code":503,"message":"overloaded"}}`), kind: Server},
		"quota in 200":            {answer: whole(`{"error":{"code":"insufficient_quota","type":"x"}}`), kind: RateLimited},
		"array in 200":            {answer: whole(`[{"error":{"code":429,"details":[{"retryDelay":"2s"}]}}]`), kind: RateLimited, retry: 2 * time.Second},
		"error in a stream":       {answer: stream200(`{"error":{"code":"429"}}`), kind: RateLimited},
		"no choices":              {answer: whole(`{"choices":[]}`), kind: Malformed},
		"no choices in a stream":  {answer: stream200(`{"choices":[]}`, "[DONE]"), kind: Empty},
		"empty":                   {answer: whole(`{"choices":[{"message":{"role":"assistant","content":"  "},"finish_reason":"stop"}]}`), kind: Empty},
		"null":                    {answer: whole(`{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}`), kind: Empty},
		"cut":                     {answer: whole(`{"choices":[{"message":{"role":"assistant","content":"Las ven"},"finish_reason":"length"}]}`), kind: Cut},
		"filtered":                {answer: whole(`{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}`), kind: Cut},
		"garbage":                 {answer: status(200, "<html>maintenance</html>", "Content-Type", "text/html"), kind: Malformed},
		"garbage in a stream":     {answer: stream200("{{{"), kind: Malformed},
		"the stream breaks":       {answer: stream200(say("Las ven")), kind: Cut, shown: true},
		"the stream breaks early": {answer: stream200(`{"choices":[{"index":0,"delta":{"role":"assistant"}}]}`), kind: Cut},
		"the connection breaks":   {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, kind: Network},
		"too large":               {answer: whole(`{"choices":[{"message":{"content":"` + strings.Repeat("a", 3<<20) + `"}}]}`), kind: Malformed},
		"one endless line":        {answer: stream200(strings.Repeat("a", 1<<20)), kind: Malformed},
		"a tool without a name":   {answer: whole(`{"choices":[{"message":{"tool_calls":[{"id":"a","type":"function","function":{"name":"","arguments":"{}"}}]}}]}`), kind: Malformed},
		"a call of a far index":   {answer: stream200(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1e9,"function":{"name":"a"}}]}}]}`), kind: Malformed},
		"no first byte":           {answer: hang(), kind: Timeout},
		"silence":                 {answer: hang(say("Las")), kind: Timeout, shown: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := provider(t, c.answer)
			_, err := client().Complete(t.Context(), &m, ask(), func(string) error { return nil })
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.kind, e.Kind)
			assert.Equal(t, c.retry, e.RetryAfter)
			assert.Equal(t, c.shown, e.Shown)
			for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", e, e), fmt.Sprintf("%v %#v", m, m)} {
				assert.NotContains(t, text, secret)
				assert.NotContains(t, text, "127.0.0.1")
			}
		})
	}
}

func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func whole(body string) http.HandlerFunc {
	return status(200, body, "Content-Type", "application/json")
}

func stream200(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { sse(w, events...) }
}

func hang(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if len(events) > 0 {
			sse(w, events...)
		}
		<-r.Context().Done()
	}
}

func TestTheCallerEndsAnAttempt(t *testing.T) {
	t.Parallel()
	m := provider(t, hang(say("Las")))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := client().Complete(ctx, &m, ask(), func(string) error { cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
	errStop := errors.New("stop")
	_, err = client().Complete(t.Context(), &m, ask(), func(string) error { return errStop })
	require.ErrorIs(t, err, errStop)
}

// Every attempt is counted once: by the provider's count if it came, else by an estimate. A refusal took nothing.
func TestWhatAnAttemptTook(t *testing.T) {
	t.Parallel()
	body, err := encode(&Model{ID: "provider/model"}, ask())
	require.NoError(t, err)
	sent, word := tokensOf(len(body)), strings.Repeat("palabra ", 50)
	const counted = `{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10}}`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		stop   bool // the caller ends the attempt, at its first text or while nothing comes
		kind   Kind
		want   Usage
	}{
		"an answer":                 {answer: stream200(say(word), stop), want: Usage{Input: sent, Output: 100, Estimated: true}},
		"an answer with its count":  {answer: stream200(say(word), stop, counted), want: Usage{Input: 1000, Output: 10}},
		"a cut answer":              {answer: stream200(say(word)), kind: Cut, want: Usage{Input: sent, Output: 100, Estimated: true}},
		"a cut answer, counted":     {answer: stream200(counted, say(word)), kind: Cut, want: Usage{Input: 1000, Output: 10}},
		"a whole answer, cut":       {answer: whole(`{"choices":[{"message":{"content":"a"},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`), kind: Cut, want: Usage{Input: 7, Output: 3}},
		"stopped":                   {answer: hang(say(word)), stop: true, kind: Stopped, want: Usage{Input: sent, Output: 100, Estimated: true}},
		"stopped before the answer": {answer: hang(), stop: true, kind: Stopped, want: Usage{Input: sent, Estimated: true}},
		"silence":                   {answer: hang(say(word)), kind: Timeout, want: Usage{Input: sent, Output: 100, Estimated: true}},
		"no first byte":             {answer: hang(), kind: Timeout, want: Usage{Input: sent, Estimated: true}},
		"refused":                   {answer: status(429, ""), kind: RateLimited},
		"refused with 408":          {answer: status(408, ""), kind: Timeout},
		"garbage":                   {answer: whole("<html>"), kind: Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			b := newChain(t, func(w http.ResponseWriter, r *http.Request) {
				if c.stop {
					time.AfterFunc(50*time.Millisecond, cancel)
				}
				c.answer(w, r)
			})
			var attempts []Attempt
			var reserved []int64
			_, err := b.Complete(ctx, &Turn{
				Request: *ask(), OnAttempt: func(_ context.Context, a Attempt) { attempts = append(attempts, a) },
				Reserve: func(_ context.Context, tokens int64) error { reserved = append(reserved, tokens); return nil },
			})
			require.Equal(t, c.stop, errors.Is(err, context.Canceled))
			require.Equal(t, []int64{sent + 100}, reserved, "the request and the longest answer")
			require.Len(t, attempts, 1)
			assert.Equal(t, c.kind, attempts[0].Kind)
			assert.Equal(t, c.want, attempts[0].Usage)
			assert.Equal(t, b.models[0].Cost(c.want), attempts[0].Cost)
		})
	}
}

// What is not reserved is not tried, and no other model is tried instead.
func TestARefusedReservationEndsTheTurn(t *testing.T) {
	t.Parallel()
	b := newChain(t, status(500, ""), stream200(say("Hola"), stop))
	errNone := errors.New("nothing left")
	attempts, calls := 0, 0
	_, err := b.Complete(t.Context(), &Turn{Request: *ask(), OnAttempt: func(context.Context, Attempt) { attempts++ }, Reserve: func(context.Context, int64) error {
		if calls++; calls > 1 {
			return errNone
		}
		return nil
	}})
	require.ErrorIs(t, err, errNone)
	assert.Equal(t, []int64{1, 0}, b.counts())
	assert.Equal(t, 1, attempts)
}

func TestPrices(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Price{"": 0, "0.30": 300_000, "2": 2_000_000, "0.000001": 1} {
		p, err := ParsePrice(text)
		require.NoError(t, err)
		assert.Equal(t, want, p, text)
	}
	for _, text := range []string{"-1", "1,5", "x", "1.0000001", "12345678", "."} {
		_, err := ParsePrice(text)
		require.Error(t, err, text)
	}
	assert.EqualValues(t, 1, (&Model{Input: 1}).Cost(Usage{Input: 1}), "rounded up")
	for _, url := range []string{"http://models.example.com", "https://user@host/v1", "https://host/v1?key=1", "http://169.254.169.254/v1", "ftp://x", ""} {
		m := Model{Name: "m", URL: url, ID: "x"}
		require.Error(t, m.Validate(), url)
	}
}

// chainBench is a chain over models that count their calls.
type chainBench struct {
	*Chain
	calls  []atomic.Int64
	alerts atomic.Int64
	log    *bytes.Buffer
}

func newChain(t *testing.T, answers ...http.HandlerFunc) *chainBench {
	t.Helper()
	b := &chainBench{calls: make([]atomic.Int64, len(answers)), log: &bytes.Buffer{}}
	models := make([]Model, len(answers))
	for i, answer := range answers {
		models[i] = provider(t, func(w http.ResponseWriter, r *http.Request) { b.calls[i].Add(1); answer(w, r) })
		models[i].Name = fmt.Sprintf("m%d", i)
	}
	c, err := NewChain(&Options{
		Models: models, Client: client(), Redis: testkit.New(t).Redis, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Alert: func(context.Context, string) error { b.alerts.Add(1); return nil },
	})
	require.NoError(t, err)
	b.Chain = c
	return b
}

func (b *chainBench) counts() []int64 {
	out := make([]int64, len(b.calls))
	for i := range b.calls {
		out[i] = b.calls[i].Load()
	}
	return out
}

func TestTheNextModelAnswersAndTheOthersCoolDown(t *testing.T) {
	t.Parallel()
	b := newChain(t, status(429, "", "Retry-After", "1"), status(401, `{"error":{"message":"`+secret+`"}}`), status(400, ""), whole(`{"error":{}}`), stream200(say("Hola"), stop))
	var attempts []Attempt
	turn := &Turn{Request: *ask(), OnAttempt: func(_ context.Context, a Attempt) { attempts = append(attempts, a) }}
	a, err := b.Complete(t.Context(), turn)
	require.NoError(t, err)
	assert.Equal(t, "Hola", a.Text)
	assert.Equal(t, []int64{1, 1, 1, 1, 1}, b.counts())
	require.Len(t, attempts, 5)
	assert.Equal(t, []Kind{RateLimited, Access, Rejected, Server, ""}, []Kind{attempts[0].Kind, attempts[1].Kind, attempts[2].Kind, attempts[3].Kind, attempts[4].Kind})
	assert.Positive(t, attempts[4].First)
	_, err = b.Complete(t.Context(), turn)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 1, 2, 1, 2}, b.counts(), "the others cool down, the one that refused this request does not")
	require.Eventually(t, func() bool {
		_, err = b.Complete(t.Context(), turn)
		return err == nil && b.counts()[0] == 2
	}, 5*time.Second, 100*time.Millisecond, "Retry-After is over")
	assert.EqualValues(t, 1, b.alerts.Load(), "a wrong key is reported once in its cool-down")
	ttl, err := b.cool.redis.PTTL(t.Context(), keyOf(&b.models[1])).Result()
	require.NoError(t, err)
	assert.Greater(t, ttl, 29*time.Minute)
	assert.NotContains(t, b.log.String(), secret)
}

// Another process sees the cool-downs of this one.
func TestCoolDownsAreShared(t *testing.T) {
	t.Parallel()
	b := newChain(t, status(500, ""))
	other, err := NewChain(&Options{Models: b.models, Client: client(), Redis: b.cool.redis, Log: b.Chain.log})
	require.NoError(t, err)
	_, err = b.Complete(t.Context(), &Turn{Request: *ask()})
	require.ErrorIs(t, err, ErrSaturated)
	_, err = other.Complete(t.Context(), &Turn{Request: *ask()})
	require.ErrorIs(t, err, ErrSaturated)
	assert.Equal(t, []int64{1}, b.counts())
}

// After text was shown no other model writes, in this turn and in later ones.
func TestNoSwitchAfterTheFirstText(t *testing.T) {
	t.Parallel()
	b := newChain(t, stream200(say("Las ven")), stream200(say("Hola"), stop))
	var shown strings.Builder
	turn := &Turn{Request: *ask(), OnText: func(_, part string) error { shown.WriteString(part); return nil }}
	_, err := b.Complete(t.Context(), turn)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.True(t, e.Shown)
	assert.Equal(t, Cut, e.Kind)
	assert.Equal(t, "Las ven", shown.String())
	turn.Pinned = "m0"
	_, err = b.Complete(t.Context(), turn)
	require.ErrorAs(t, err, &e)
	assert.Equal(t, []int64{2, 0}, b.counts())
}
