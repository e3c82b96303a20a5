package simulators

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func (g *Gateway) evolutionRoutes() {
	g.mux.Handle("POST /message/sendText/{instance}", g.guarded(g.sendText))
	g.mux.Handle("POST /message/sendMedia/{instance}", g.guarded(g.sendMedia))
	g.mux.Handle("GET /instance/connectionState/{instance}", g.guarded(g.connectionState))
	g.mux.Handle("GET /instance/connect/{instance}", g.guarded(g.connect))
	g.mux.Handle("DELETE /instance/logout/{instance}", g.guarded(g.logout))
	g.mux.Handle("DELETE /instance/delete/{instance}", g.guarded(g.deleteInstance))
	g.mux.Handle("POST /webhook/set/{instance}", g.guarded(g.setWebhook))
	g.mux.Handle("POST /instance/create", g.keyed(g.createInstance))
}

// keyed checks the key, as the real gateway does before anything else.
func (g *Gateway) keyed(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Apikey")), []byte(g.config.APIKey)) != 1 {
			refuse(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
			return
		}
		next(w, r)
	})
}

// guarded checks key, licence and instance.
func (g *Gateway) guarded(next http.HandlerFunc) http.Handler {
	return g.keyed(func(w http.ResponseWriter, r *http.Request) {
		key := accountKey{ProtocolEvolution, r.PathValue("instance")}
		if g.config.Instance == "" {
			g.accounts.open(key)
		}
		a, ok := g.accounts.find(key)
		switch {
		case !ok:
			refuse(w, http.StatusNotFound, "Not Found", `The "`+key.Name+`" instance does not exist`)
		case a.State == stateLicence:
			refuseLicence(w)
		default:
			next(w, r)
		}
	})
}

func (g *Gateway) sendText(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Number string `json:"number"`
		Text   string `json:"text"`
	}
	if err := readJSON(w, r, &body); err != nil || body.Number == "" || body.Text == "" {
		refuse(w, http.StatusBadRequest, "Bad Request", `instance requires property "number", "text"`)
		return
	}
	g.deliver(w, r, accountKey{ProtocolEvolution, r.PathValue("instance")}, Delivered{Number: body.Number, Type: "text", Caption: body.Text})
}

func (g *Gateway) sendMedia(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Number    string `json:"number"`
		MediaType string `json:"mediatype"`
		MimeType  string `json:"mimetype"`
		Media     string `json:"media"`
		Caption   string `json:"caption"`
		FileName  string `json:"fileName"`
	}
	if err := readJSON(w, r, &body); err != nil || body.Number == "" || body.MediaType != "image" || body.Media == "" {
		refuse(w, http.StatusBadRequest, "Bad Request", `instance requires property "number", "mediatype", "media"`)
		return
	}
	g.deliver(w, r, accountKey{ProtocolEvolution, r.PathValue("instance")}, Delivered{
		Number: body.Number, Type: "image", Caption: body.Caption, MediaURL: mediaURL(body.Media, body.MimeType), Ref: strings.TrimSuffix(body.FileName, ".png"),
	})
}

// mediaURL returns an address a browser can show.
func mediaURL(media, mimeType string) string {
	if strings.HasPrefix(media, "https://") || strings.HasPrefix(media, "http://") {
		return media
	}
	if mimeType != "image/jpeg" {
		mimeType = "image/png"
	}
	return "data:" + mimeType + ";base64," + media
}

// evolutionDialect writes as Evolution does.
type evolutionDialect struct{ g *Gateway }

func (evolutionDialect) accept(m Delivered) (int, any) {
	return http.StatusCreated, map[string]any{
		"key":              map[string]any{"remoteJid": m.Number + "@s.whatsapp.net", "fromMe": true, "id": m.ID},
		"message":          map[string]any{m.Type + "Message": map[string]any{"caption": m.Caption}},
		"messageTimestamp": strconv.FormatInt(m.ReceivedAt.Unix(), 10),
		"status":           "PENDING",
	}
}

func (evolutionDialect) refuse(w http.ResponseWriter, fault Fault, _ account, m Delivered) {
	switch fault.Mode {
	case GatewayBadRecipient:
		refuse(w, http.StatusBadRequest, "Bad Request", map[string]any{"exists": false, "jid": m.Number + "@s.whatsapp.net", "number": m.Number})
	case GatewayErrorIn200:
		writeJSON(w, http.StatusOK, refusal(http.StatusBadRequest, "Bad Request", "Error: Connection Closed"))
	case GatewayRateLimited, GatewayRecipientLimit:
		w.Header().Set("Retry-After", strconv.Itoa(gatewayRetryAfter))
		refuse(w, http.StatusTooManyRequests, "Too Many Requests", "rate-overlimit")
	case GatewayNoLicence:
		refuseLicence(w)
	case GatewayAuth:
		refuse(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
	case GatewayRetryable:
		refuse(w, http.StatusServiceUnavailable, "Service Unavailable", "the server restarts")
	case GatewayDown:
		refuse(w, http.StatusBadRequest, "Bad Request", "Error: Connection Closed")
	default:
		refuse(w, http.StatusBadRequest, "Bad Request", "Owned media must be a url or base64")
	}
}

func (d evolutionDialect) event(a account, name string, data any) event {
	body := map[string]any{
		"event": name, "instance": a.Name, "data": data, "destination": a.Webhook, "sender": simulatedPhone + "@s.whatsapp.net",
		"date_time": d.g.config.Clock.Now().Format(time.RFC3339), "server_url": "http://localhost:8080", "apikey": nil,
	}
	return event{body, func([]byte) map[string]string {
		if a.Header == "" {
			return nil
		}
		return map[string]string{a.Header: a.Secret}
	}}
}

func (d evolutionDialect) status(a account, m Delivered, status string) event {
	name := map[string]string{"sent": "SERVER_ACK", "delivered": "DELIVERY_ACK", "read": "READ", "failed": "ERROR"}[status]
	return d.event(a, "messages.update", map[string]any{
		"keyId": m.ID, "remoteJid": m.Number + "@s.whatsapp.net", "fromMe": true, "status": name, "instanceId": a.Name,
	})
}

func (d evolutionDialect) inbound(a account, from, text, id string) event {
	return d.event(a, "messages.upsert", map[string]any{
		"key": map[string]any{"remoteJid": from + "@s.whatsapp.net", "fromMe": false, "id": id}, "message": map[string]any{"conversation": text},
		"messageType": "conversation", "messageTimestamp": d.g.config.Clock.Now().Unix(), "pushName": "Cliente",
	})
}

func (d evolutionDialect) state(a account) (event, bool) {
	data := map[string]any{"instance": a.Name, "state": evolutionState(a.State), "statusReason": http.StatusOK}
	switch a.State {
	case stateOpen:
		data["wuid"] = simulatedPhone + "@s.whatsapp.net"
	case stateBanned:
		data["statusReason"] = http.StatusForbidden
	case stateClosed:
		data["statusReason"] = http.StatusUnauthorized
	case statePasskey:
		data["passkeyStage"] = "challenge"
	case stateQR:
		code := evolutionQR(a, d.g.config.Clock.Now())
		code["instance"] = a.Name
		return d.event(a, "qrcode.updated", map[string]any{"qrcode": code}), true
	case stateLicence:
		return event{}, false
	}
	return d.event(a, "connection.update", data), true
}

// refuse answers with an error in the gateway's shape.
func refuse(w http.ResponseWriter, status int, name string, message any) {
	writeJSON(w, status, refusal(status, name, message))
}

func refusal(status int, name string, message any) map[string]any {
	return map[string]any{"status": status, "error": name, "response": map[string]any{"message": []any{message}}}
}

func refuseLicence(w http.ResponseWriter) {
	writeJSON(w, http.StatusServiceUnavailable, map[string]any{
		"error": "service not activated", "code": "LICENSE_REQUIRED", "message": "This Evolution API instance is not activated.",
	})
}
