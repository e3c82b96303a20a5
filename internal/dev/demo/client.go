package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	timeout   = 20 * time.Second // of a request
	maxAnswer = 8 << 20
)

// client makes requests as points of sale do.
type client struct {
	base string
	http *http.Client
}

func newClient(base string) *client {
	return &client{base: base, http: &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: 4}}}
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	body   []byte
}

func (r *refusal) Error() string {
	const shown = 300
	return fmt.Sprintf("status %d: %s", r.status, r.body[:min(len(r.body), shown)])
}

// call is a request.
type call struct {
	method, path, authorization, key string
	body                             any // nil for none
}

// do sends a request and reads the data of its answer into the value, which may be nil.
func (c *client) do(ctx context.Context, o *call, into any) error {
	payload := io.Reader(http.NoBody)
	if o.body != nil {
		raw, err := json.Marshal(o.body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, o.method, c.base+o.path, payload)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Authorization": o.authorization, "Idempotency-Key": o.key} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return &refusal{res.StatusCode, raw}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, &struct {
		Data any `json:"data"`
	}{into})
}
