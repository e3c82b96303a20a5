package simulators

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// signedWindow is how far the timestamp of a signed request may be from now.
const signedWindow = 5 * time.Minute

// signedAccount is the one account of the signed protocol.
func signedAccount() accountKey { return accountKey{ProtocolHTTP, "http"} }

// secretOf is the secret of an account, or the gateway's key.
func (g *Gateway) secretOf(a account) string {
	if a.Secret != "" {
		return a.Secret
	}
	return g.config.APIKey
}

// signature signs as Standard Webhooks does.
func signature(secret, id, timestamp string, body []byte) string {
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			key = raw
		}
	}
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte(id + "." + timestamp + "."))
	sum.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// signedBody is a request of the signed protocol.
type signedBody struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	To       string `json:"to"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
	Template struct {
		Name string `json:"name"`
	} `json:"template"`
}

// signed is a receiver as docs/messaging.md describes it: it verifies, answers a repeated id as the first time, and
// delivers.
func (g *Gateway) signed(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil || !g.verified(r, raw) {
		signedError(w, http.StatusUnauthorized, "auth", "the signature does not fit")
		return
	}
	var body signedBody
	if json.Unmarshal(raw, &body) != nil {
		signedError(w, http.StatusBadRequest, "content", "the body is not JSON")
		return
	}
	g.accounts.open(signedAccount())
	switch {
	case body.Type == "ping":
		writeJSON(w, http.StatusOK, map[string]any{"state": g.accounts.get(signedAccount()).State, "phone": "+" + simulatedPhone})
		return
	case body.Type != "message" || body.ID == "" || body.To == "":
		signedError(w, http.StatusBadRequest, "content", "type, id and to are required")
		return
	}
	if first, repeated := g.outbox.byRef(ProtocolHTTP, body.ID); repeated {
		writeJSON(w, http.StatusOK, map[string]any{"id": first.ID})
		return
	}
	m := Delivered{Number: strings.TrimPrefix(body.To, "+"), Type: "text", Caption: body.Text, MediaURL: body.ImageURL, Ref: body.ID, Template: body.Template.Name}
	if m.MediaURL != "" {
		m.Type = "image"
	}
	g.deliver(w, r, signedAccount(), m)
}

func (g *Gateway) verified(r *http.Request, body []byte) bool {
	id, timestamp := r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || g.config.Clock.Now().Sub(time.Unix(seconds, 0)).Abs() > signedWindow {
		return false
	}
	want := signature(g.secretOf(g.accounts.get(signedAccount())), id, timestamp, body)
	return hmac.Equal([]byte(r.Header.Get("Webhook-Signature")), []byte(want))
}

func signedError(w http.ResponseWriter, status int, kind, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"kind": kind, "message": message}})
}

// signedDialect writes as docs/messaging.md asks for.
type signedDialect struct{ g *Gateway }

func (signedDialect) accept(m Delivered) (int, any) {
	return http.StatusOK, map[string]any{"id": m.ID}
}

func (signedDialect) refuse(w http.ResponseWriter, fault Fault, a account, _ Delivered) {
	switch fault.Mode {
	case GatewayBadRecipient:
		signedError(w, http.StatusUnprocessableEntity, "recipient", "no such recipient")
	case GatewayNeedsTemplate:
		signedError(w, http.StatusUnprocessableEntity, "needs_template", "a template is needed")
	case GatewayRateLimited, GatewayRecipientLimit:
		writeJSON(w, http.StatusTooManyRequests, map[string]any{"error": map[string]any{"kind": "rate_limited", "retry_after": gatewayRetryAfter}})
	case GatewayRetryable:
		signedError(w, http.StatusServiceUnavailable, "retryable", "the server restarts")
	case GatewayDown, GatewayNoLicence:
		signedError(w, http.StatusServiceUnavailable, "channel_down", "the account is "+a.State)
	case GatewayAuth:
		signedError(w, http.StatusUnauthorized, "auth", "the signature does not fit")
	case GatewayErrorIn200:
		signedError(w, http.StatusOK, "channel_down", "the account is closed")
	default:
		signedError(w, http.StatusUnprocessableEntity, "content", "the picture cannot be fetched")
	}
}

func (d signedDialect) event(a account, e map[string]any) event {
	now := d.g.config.Clock.Now()
	e["at"] = now.UTC().Format(time.RFC3339)
	return event{map[string]any{"events": []any{e}}, func(raw []byte) map[string]string {
		id, timestamp := "evt_"+strconv.FormatInt(d.g.serial.Add(1), 10), strconv.FormatInt(now.Unix(), 10)
		return map[string]string{"Webhook-Id": id, "Webhook-Timestamp": timestamp, "Webhook-Signature": signature(d.g.secretOf(a), id, timestamp, raw)}
	}}
}

func (d signedDialect) status(a account, m Delivered, status string) event {
	e := map[string]any{"type": "status", "message_id": m.Ref, "id": m.ID, "status": status}
	if status == "failed" {
		e["error"] = map[string]any{"kind": "recipient", "message": "not delivered"}
	}
	return d.event(a, e)
}

func (d signedDialect) inbound(a account, from, text, id string) event {
	return d.event(a, map[string]any{"type": "inbound", "id": id, "from": "+" + from, "text": text})
}

func (d signedDialect) state(a account) (event, bool) {
	return d.event(a, map[string]any{"type": "state", "state": a.State}), true
}
