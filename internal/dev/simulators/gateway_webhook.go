package simulators

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"net/http"
	"time"

	"banca/internal/platform/clock"
)

// Bounds of a call of a webhook.
const (
	webhookTimeout  = 5 * time.Second
	webhookAttempts = 3
	webhookPause    = 200 * time.Millisecond
)

// event is one call of a webhook. header signs the body.
type event struct {
	body   any
	header func(body []byte) map[string]string
}

// report calls the account's webhook with the statuses of a message.
func (g *Gateway) report(ctx context.Context, a account, m Delivered, fault Fault) {
	statuses := []string{"sent", "delivered"}
	switch fault.Mode {
	case GatewayLateFailure:
		statuses = []string{"sent", "failed"}
	case GatewayDoubled:
		statuses = []string{"read", "delivered", "delivered", "sent", "read", "sent"}
	case GatewaySilent:
		return
	}
	events := make([]event, len(statuses))
	for i, status := range statuses {
		events[i] = g.dialectOf(a.Protocol).status(a, m, status)
	}
	g.call(ctx, a, g.config.StatusDelay, events...)
}

// announce calls the webhook with the account's state, where the protocol tells it.
func (g *Gateway) announce(ctx context.Context, a account) {
	if e, ok := g.dialectOf(a.Protocol).state(a); ok {
		g.call(ctx, a, 0, e)
	}
}

// call makes calls one after the other, in the background.
func (g *Gateway) call(ctx context.Context, a account, delay time.Duration, events ...event) {
	if a.Webhook == "" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	go func() {
		_ = clock.Sleep(ctx, delay)
		for _, e := range events {
			for range webhookAttempts {
				if post(ctx, a.Webhook, e) {
					break
				}
				_ = clock.Sleep(ctx, webhookPause)
			}
		}
	}()
}

// webhookClient calls webhooks. It shares the connections of the process.
func webhookClient() *http.Client { return &http.Client{Timeout: webhookTimeout} }

// post makes one call and reports whether it needs no other: providers repeat what failed for want of a server.
func post(ctx context.Context, address string, e event) bool {
	body, err := json.Marshal(e.body)
	if err != nil {
		return true
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return true
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range e.header(body) {
		req.Header.Set(name, value)
	}
	res, err := webhookClient().Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()                                             //nolint:errcheck // nothing is read from it
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxSmallBody)) // so that the connection is used again
	return res.StatusCode < http.StatusInternalServerError && res.StatusCode != http.StatusTooManyRequests
}

// maxSmallBody bounds the read part of a webhook's answer.
const maxSmallBody = 64 << 10

// hexHMAC is the hexadecimal HMAC of a body.
func hexHMAC(h func() hash.Hash, key string, body []byte) string {
	sum := hmac.New(h, []byte(key))
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil))
}
