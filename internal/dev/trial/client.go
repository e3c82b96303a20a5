package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	attemptWithin = 6 * time.Second
	patience      = 40 * time.Second // of a client with one request, before it leaves the outcome open
	retryPause    = 150 * time.Millisecond
	tokenLife     = 4 * time.Minute // the confirmed password lasts ten
	maxAnswer     = 8 << 20
)

// clients make requests as a well-behaved client does: at the next api when one does not answer, and with the same key.
type clients struct {
	apis    []string // addresses
	next    atomic.Int64
	http    *http.Client
	journal *journal
	tally   *tally
}

func newClients(apis []string, j *journal, t *tally) *clients {
	return &clients{apis: apis, journal: j, tally: t, http: &http.Client{
		Timeout: attemptWithin, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// actor is a user who logs in again when the token is old. The bank is one whose token never changes.
type actor struct {
	name, password string
	bank           string

	mu    sync.Mutex
	token string
	at    time.Time
}

// answer is what came back; status 0 means nothing.
type answer struct {
	status int
	raw    []byte
	body   struct {
		Code string          `json:"code"`
		Data json.RawMessage `json:"data"`
	}
}

// authorization returns the header of an actor.
func (c *clients) authorization(ctx context.Context, a *actor) string {
	if a.bank != "" {
		return a.bank
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == "" || time.Since(a.at) > tokenLife {
		got := c.send(ctx, "", http.MethodPost, "/auth/login", map[string]string{"identifier": a.name, "password": a.password})
		var data struct {
			AccessToken string `json:"access_token"`
		}
		if json.Unmarshal(got.body.Data, &data) == nil && data.AccessToken != "" {
			a.token, a.at = "Bearer "+data.AccessToken, time.Now()
		}
	}
	return a.token
}

// forget makes the actor log in again.
func (a *actor) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = time.Time{}
}

// send makes one request at the next api.
func (c *clients) send(ctx context.Context, authorization, method, path string, body any) answer {
	return c.sendTo(ctx, c.apis[c.next.Add(1)%int64(len(c.apis))], authorization, method, path, body, "")
}

func (c *clients) sendTo(ctx context.Context, api, authorization, method, path string, body any, key string) answer {
	payload := io.Reader(http.NoBody)
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return answer{}
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+api+path, payload)
	if err != nil {
		return answer{}
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Authorization": authorization, "Idempotency-Key": key} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}
	}
	defer func() { _ = res.Body.Close() }()
	a := answer{}
	if a.raw, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer)); err != nil {
		return answer{} // half an answer is none
	}
	a.status = res.StatusCode
	_ = json.Unmarshal(a.raw, &a.body) // the bank's answers have no such fields
	return a
}

// get reads something, once.
func (c *clients) get(ctx context.Context, a *actor, path string, into any) bool {
	got := c.send(ctx, c.authorization(ctx, a), http.MethodGet, path, nil)
	if got.status == http.StatusUnauthorized {
		a.forget()
	}
	return got.status == http.StatusOK && json.Unmarshal(got.body.Data, into) == nil
}

// do makes an operation until its answer is certain, the client's patience ends or ctx ends.
func (c *clients) do(ctx context.Context, o *operation) {
	c.journal.begin(o)
	for end := time.Now().Add(patience); !o.certain && ctx.Err() == nil && time.Now().Before(end); {
		c.attempt(ctx, o)
		if !o.certain {
			pause(ctx, retryPause+rand.N(retryPause)) //nolint:gosec // a pause is no secret
		}
	}
}

// attempt makes one attempt and records it.
func (c *clients) attempt(ctx context.Context, o *operation) {
	authorization := c.authorization(ctx, o.actor)
	api := c.apis[c.next.Add(1)%int64(len(c.apis))]
	o.attempts++
	fault, begun := c.tally.fault(), time.Now()
	got := c.sendTo(ctx, api, authorization, http.MethodPost, o.Path, o.Body, o.Key)
	record := &attempt{
		At: begun, Kind: o.Kind, Key: o.Key, Path: o.Path, Attempt: o.attempts, API: api, Fault: fault, Status: got.status,
		Answer: string(got.raw), Millis: time.Since(begun).Milliseconds(),
	}
	if o.attempts == 1 {
		record.Body = o.Body
	}
	c.journal.write(record)
	c.tally.count(fault, o, got.status)
	o.Status, o.Code = got.status, got.body.Code
	switch {
	case got.status == http.StatusUnauthorized || got.body.Code == "CONFIRMATION_REQUIRED":
		o.actor.forget()
	case got.status == 0 || got.status >= http.StatusInternalServerError || got.status == http.StatusTooManyRequests:
		if got.status == 0 || got.body.Code == "OUTCOME_UNKNOWN" {
			o.unanswered++
		}
	default:
		o.certain = true
		_ = json.Unmarshal(got.body.Data, &o.Data)
		if o.Data == nil {
			o.Data = map[string]any{}
			_ = json.Unmarshal(got.raw, &o.Data) // the bank's
		}
	}
}

// String names an operation in a difference.
func (o *operation) String() string {
	return fmt.Sprintf("%s %s (%s): %d %s after %d attempts, %d without an answer", o.Kind, o.Key, o.Path, o.Status, o.Code, o.attempts, o.unanswered)
}

// decode reads the data of an answer; nil wants none.
func (a *answer) decode(into any) error {
	if into == nil {
		return nil
	}
	return json.Unmarshal(a.body.Data, into)
}
