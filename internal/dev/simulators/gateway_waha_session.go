package simulators

import "net/http"

// wahaState is the state in WAHA's words.
func wahaState(state string) string {
	switch state {
	case stateOpen:
		return "WORKING"
	case stateQR:
		return "SCAN_QR_CODE"
	case statePasskey:
		return "PASSKEY_REQUIRED"
	case stateBanned:
		return "FAILED"
	default:
		return "STOPPED"
	}
}

// wahaRequest is a session as callers write it.
type wahaRequest struct {
	Name   string `json:"name"`
	Start  bool   `json:"start"`
	Config struct {
		Webhooks []wahaWebhook `json:"webhooks"`
	} `json:"config"`
}

type wahaWebhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
	HMAC   struct {
		Key string `json:"key"`
	} `json:"hmac"`
}

func (q *wahaRequest) applyTo(a *account) {
	a.Webhook, a.Secret = "", ""
	for _, w := range q.Config.Webhooks {
		a.Webhook, a.Secret = w.URL, w.HMAC.Key
	}
	if q.Start {
		startLinking(a)
	}
}

// wahaInfo writes what WAHA says of a session. Its config is what it was given.
func wahaInfo(w http.ResponseWriter, status int, a account) {
	webhooks := []any{}
	if a.Webhook != "" {
		webhooks = append(webhooks, map[string]any{
			"url": a.Webhook, "hmac": map[string]any{"key": a.Secret}, "events": []string{"session.status", "message", "message.ack"},
		})
	}
	answer := map[string]any{"name": a.Name, "status": wahaState(a.State), "config": map[string]any{"webhooks": webhooks}, "me": nil, "engine": map[string]any{"engine": "NOWEB"}}
	if a.State == stateOpen {
		answer["me"] = map[string]any{"id": simulatedPhone + "@c.us", "pushName": "Banca"}
	}
	writeJSON(w, status, answer)
}

func (g *Gateway) wahaCreate(w http.ResponseWriter, r *http.Request) {
	var body wahaRequest
	if err := readJSON(w, r, &body); err != nil || body.Name == "" {
		wahaError(w, http.StatusBadRequest, "name must be a string")
		return
	}
	key := accountKey{ProtocolWAHA, body.Name}
	if _, exists := g.accounts.find(key); exists {
		wahaError(w, http.StatusUnprocessableEntity, "Session '"+key.Name+"' already exists. Use PUT to update it.")
		return
	}
	wahaInfo(w, http.StatusCreated, g.accounts.change(key, body.applyTo))
}

func (g *Gateway) wahaUpdate(w http.ResponseWriter, r *http.Request) {
	var body wahaRequest
	if err := readJSON(w, r, &body); err != nil {
		wahaError(w, http.StatusBadRequest, "config must be an object")
		return
	}
	g.wahaSession(body.applyTo)(w, r)
}

// wahaSession changes a session that exists and shows it.
func (g *Gateway) wahaSession(change func(*account)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := accountKey{ProtocolWAHA, r.PathValue("session")}
		before, exists := g.accounts.find(key)
		if !exists {
			wahaError(w, http.StatusNotFound, "Session not found")
			return
		}
		a := g.accounts.change(key, change)
		if a.State != before.State {
			g.announce(r.Context(), a)
		}
		status := http.StatusOK
		if r.Method == http.MethodPost {
			status = http.StatusCreated
		}
		wahaInfo(w, status, a)
	}
}

func (g *Gateway) wahaDelete(w http.ResponseWriter, r *http.Request) {
	g.accounts.remove(accountKey{ProtocolWAHA, r.PathValue("session")})
	w.WriteHeader(http.StatusOK)
}

func (g *Gateway) wahaQR(w http.ResponseWriter, r *http.Request) {
	a := g.accounts.get(accountKey{ProtocolWAHA, r.PathValue("session")})
	if a.State != stateQR {
		wahaDialect{g}.refuse(w, Fault{Mode: GatewayDown}, a, Delivered{})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"mimetype": "image/png", "data": picturePNG(a.code(g.config.Clock.Now()))})
}
