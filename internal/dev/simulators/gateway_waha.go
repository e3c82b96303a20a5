package simulators

import (
	"crypto/sha512"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
)

func (g *Gateway) wahaRoutes() {
	g.mux.Handle("POST /api/sendText", g.wahaKeyed(g.wahaText))
	g.mux.Handle("POST /api/sendImage", g.wahaKeyed(g.wahaImage))
	g.mux.Handle("GET /api/contacts/check-exists", g.wahaKeyed(g.wahaExists))
	g.mux.Handle("POST /api/sessions", g.wahaKeyed(g.wahaCreate))
	g.mux.Handle("GET /api/sessions/{session}", g.wahaKeyed(g.wahaSession(func(*account) {})))
	g.mux.Handle("PUT /api/sessions/{session}", g.wahaKeyed(g.wahaUpdate))
	g.mux.Handle("POST /api/sessions/{session}/start", g.wahaKeyed(g.wahaSession(startLinking)))
	g.mux.Handle("POST /api/sessions/{session}/restart", g.wahaKeyed(g.wahaSession(startLinking)))
	g.mux.Handle("POST /api/sessions/{session}/logout", g.wahaKeyed(g.wahaSession(func(a *account) { a.State = stateQR })))
	g.mux.Handle("DELETE /api/sessions/{session}", g.wahaKeyed(g.wahaDelete))
	g.mux.Handle("GET /api/{session}/auth/qr", g.wahaKeyed(g.wahaQR))
}

func (g *Gateway) wahaKeyed(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Api-Key")), []byte(g.config.APIKey)) != 1 {
			wahaError(w, http.StatusUnauthorized, "Unauthorized")
			return
		}
		next(w, r)
	})
}

func wahaError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]any{"statusCode": status, "error": http.StatusText(status), "message": message})
}

// wahaBody is the body of both calls that send.
type wahaBody struct {
	Session string `json:"session"`
	ChatID  string `json:"chatId"`
	Text    string `json:"text"`
	Caption string `json:"caption"`
	File    struct {
		URL      string `json:"url"`
		FileName string `json:"filename"`
	} `json:"file"`
}

func (g *Gateway) wahaText(w http.ResponseWriter, r *http.Request)  { g.wahaSend(w, r, "text") }
func (g *Gateway) wahaImage(w http.ResponseWriter, r *http.Request) { g.wahaSend(w, r, "image") }

func (g *Gateway) wahaSend(w http.ResponseWriter, r *http.Request, kind string) {
	var body wahaBody
	if err := readJSON(w, r, &body); err != nil || body.Session == "" || !strings.HasSuffix(body.ChatID, "@c.us") || kind == "text" && body.Text == "" {
		wahaError(w, http.StatusBadRequest, "chatId and text must be strings")
		return
	}
	key := accountKey{ProtocolWAHA, body.Session}
	if _, ok := g.accounts.find(key); !ok {
		wahaError(w, http.StatusUnprocessableEntity, "Session \""+key.Name+"\" does not exist")
		return
	}
	g.deliver(w, r, key, Delivered{
		Number: strings.TrimSuffix(body.ChatID, "@c.us"), Type: kind, Caption: body.Text + body.Caption, MediaURL: body.File.URL, Ref: strings.TrimSuffix(body.File.FileName, ".png"),
	})
}

// wahaExists answers whether a number has WhatsApp. The mode of a bad recipient counts here, where the real one shows.
func (g *Gateway) wahaExists(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Query().Get("phone")
	key := accountKey{ProtocolWAHA, r.URL.Query().Get("session")}
	a, ok := g.accounts.find(key)
	switch {
	case !ok:
		wahaError(w, http.StatusUnprocessableEntity, "Session \""+key.Name+"\" does not exist")
	case a.State != stateOpen:
		wahaDialect{g}.refuse(w, Fault{Mode: GatewayDown}, a, Delivered{})
	case g.faults.takeIf(ProtocolWAHA, GatewayBadRecipient):
		writeJSON(w, http.StatusOK, map[string]any{"numberExists": false})
	default:
		writeJSON(w, http.StatusOK, map[string]any{"numberExists": true, "chatId": number + "@c.us"})
	}
}

// wahaDialect writes as WAHA does.
type wahaDialect struct{ g *Gateway }

func wahaID(m Delivered) string { return "true_" + m.Number + "@c.us_" + m.ID }

func (wahaDialect) accept(m Delivered) (int, any) {
	return http.StatusCreated, map[string]any{
		"id": wahaID(m), "timestamp": m.ReceivedAt.Unix(), "from": simulatedPhone + "@c.us", "fromMe": true, "source": "api",
		"to": m.Number + "@c.us", "body": m.Caption, "hasMedia": m.MediaURL != "", "ack": 0, "ackName": "PENDING",
	}
}

func (wahaDialect) refuse(w http.ResponseWriter, fault Fault, a account, _ Delivered) {
	switch fault.Mode {
	case GatewayDown:
		writeJSON(w, http.StatusUnprocessableEntity, map[string]any{
			"error":   "Session status is not as expected. Try again later or restart the session",
			"session": a.Name, "status": wahaState(a.State), "expected": []string{"WORKING"},
		})
	case GatewayRateLimited, GatewayRecipientLimit:
		w.Header().Set("Retry-After", strconv.Itoa(gatewayRetryAfter))
		wahaError(w, http.StatusTooManyRequests, "rate-overlimit")
	case GatewayAuth:
		wahaError(w, http.StatusUnauthorized, "Unauthorized")
	case GatewayRetryable:
		wahaError(w, http.StatusServiceUnavailable, "the server restarts")
	case GatewayErrorIn200:
		writeJSON(w, http.StatusOK, map[string]any{"error": "rate-overlimit"})
	case GatewayBadRecipient:
		wahaError(w, http.StatusInternalServerError, "No LID for user")
	default:
		wahaError(w, http.StatusUnprocessableEntity, "Sending media (image, video, pdf) is available only in Plus version. Check this out: https://waha.devlike.pro/")
	}
}

func (d wahaDialect) event(a account, name string, payload any) event {
	now := d.g.config.Clock.Now().UnixMilli()
	body := map[string]any{
		"id": "evt_" + strconv.FormatInt(d.g.serial.Add(1), 10), "timestamp": now, "event": name, "session": a.Name, "engine": "NOWEB",
		"me": map[string]any{"id": simulatedPhone + "@c.us", "pushName": "Banca"}, "payload": payload,
	}
	return event{body, func(raw []byte) map[string]string {
		return map[string]string{
			"X-Webhook-Timestamp": strconv.FormatInt(now, 10), "X-Webhook-Hmac-Algorithm": "sha512", "X-Webhook-Hmac": hexHMAC(sha512.New, a.Secret, raw),
		}
	}}
}

func (d wahaDialect) status(a account, m Delivered, status string) event {
	ack := map[string]int{"sent": 1, "delivered": 2, "read": 3, "failed": -1}[status]
	name := map[string]string{"sent": "SERVER", "delivered": "DEVICE", "read": "READ", "failed": "ERROR"}[status]
	return d.event(a, "message.ack", map[string]any{
		"id": wahaID(m), "from": m.Number + "@c.us", "to": m.Number + "@c.us", "participant": nil, "fromMe": true, "ack": ack, "ackName": name,
	})
}

func (d wahaDialect) inbound(a account, from, text, id string) event {
	return d.event(a, "message", map[string]any{
		"id": "false_" + from + "@c.us_" + id, "timestamp": d.g.config.Clock.Now().Unix(), "from": from + "@c.us", "fromMe": false,
		"to": simulatedPhone + "@c.us", "body": text, "hasMedia": false,
	})
}

func (d wahaDialect) state(a account) (event, bool) {
	return d.event(a, "session.status", map[string]any{"status": wahaState(a.State), "statuses": []any{}, "data": nil}), true
}
