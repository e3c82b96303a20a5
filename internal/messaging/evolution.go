package messaging

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// maxReply bounds how much of a gateway's answer is read.
const maxReply = 64 << 10

// Evolution is the driver of the Evolution API, version 2 (https://doc.evolution-api.com/v2), a
// self-hosted WhatsApp gateway.
type Evolution struct{ client *http.Client }

// NewEvolution returns a driver over client. The caller of Send bounds each attempt by its context.
func NewEvolution(client *http.Client) *Evolution {
	c := *client
	// A redirected POST would be sent again as a GET, or twice; a gateway that redirects is misconfigured.
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Evolution{client: &c}
}

// The bodies of the two calls. Numbers are written without the plus sign.
type (
	evolutionText struct {
		Number string `json:"number"`
		Text   string `json:"text"`
	}
	evolutionMedia struct {
		Number    string `json:"number"`
		MediaType string `json:"mediatype"`
		MimeType  string `json:"mimetype"`
		Media     string `json:"media"` // an address the gateway fetches
		Caption   string `json:"caption"`
		FileName  string `json:"fileName"`
	}
)

// Send implements Driver.
func (e *Evolution) Send(ctx context.Context, channel Channel, m Message) (Receipt, error) {
	number := strings.TrimPrefix(m.Recipient, "+")
	if m.ImageURL == "" {
		return e.post(ctx, channel, "sendText", evolutionText{Number: number, Text: m.Body})
	}
	return e.post(ctx, channel, "sendMedia", evolutionMedia{
		Number: number, MediaType: "image", MimeType: "image/png",
		Media: m.ImageURL, Caption: m.Body, FileName: m.ID.String() + ".png",
	})
}

// post makes the call. The meaning of an error depends on how far the request got: before it was written the gateway
// cannot have accepted it, afterwards only its answer can tell.
func (e *Evolution) post(ctx context.Context, channel Channel, call string, body any) (Receipt, error) {
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) { written.Store(info.Err == nil) },
	})
	req, err := evolutionRequest(ctx, channel, call, body)
	if err != nil {
		return Receipt{}, &Error{Kind: ChannelDown, Text: clean(err.Error())}
	}
	res, err := e.client.Do(req)
	if err != nil && !written.Load() {
		return Receipt{}, &Error{Kind: Retryable, Text: "not sent: " + clean(err.Error())}
	}
	if err != nil {
		return Receipt{}, &Error{Kind: UnknownOutcome, Text: "no answer: " + clean(err.Error())}
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end or is given up
	reply, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	if err != nil {
		return Receipt{}, &Error{Kind: UnknownOutcome, Text: "half an answer: " + clean(err.Error())}
	}
	return evolutionResult(res.StatusCode, retryAfter(res.Header), reply)
}

func evolutionRequest(ctx context.Context, channel Channel, call string, body any) (*http.Request, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("messaging: encode: %w", err)
	}
	address := strings.TrimSuffix(channel.BaseURL, "/") + "/message/" + call + "/" + url.PathEscape(channel.Instance)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(payload))
	if err != nil {
		return nil, fmt.Errorf("messaging: request: %w", err)
	}
	// No keep-alive: a reused connection that the gateway closes at this moment would leave the outcome unknown, and
	// that needs a person.
	req.Close = true
	req.Header.Set("Apikey", channel.APIKey)
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// retryAfter reads the header's form in seconds; gateways do not send the other, a date.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60)) * time.Second
}
