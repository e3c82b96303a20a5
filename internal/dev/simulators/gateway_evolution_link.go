package simulators

import (
	"net/http"
	"time"
)

// evolutionState is the state in the library's words.
func evolutionState(state string) string {
	switch state {
	case stateOpen:
		return "open"
	case stateQR, statePasskey:
		return "connecting"
	default:
		return "close"
	}
}

func evolutionQR(a account, now time.Time) map[string]any {
	return map[string]any{
		"pairingCode": nil, "code": a.code(now), "base64": "data:image/png;base64," + picturePNG(a.code(now)), "count": 1,
	}
}

func evolutionAccount(r *http.Request) accountKey {
	return accountKey{ProtocolEvolution, r.PathValue("instance")}
}

// webhookRequest is a webhook as callers set it.
type webhookRequest struct {
	Webhook struct {
		Enabled bool              `json:"enabled"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
		Events  []string          `json:"events"`
	} `json:"webhook"`
}

// applyTo sets the webhook and its secret, which is the value of its one header.
func (q *webhookRequest) applyTo(a *account) {
	a.Webhook, a.Header, a.Secret = q.Webhook.URL, "", ""
	for name, value := range q.Webhook.Headers {
		a.Header, a.Secret = name, value
	}
}

func (g *Gateway) createInstance(w http.ResponseWriter, r *http.Request) {
	var body struct {
		webhookRequest

		InstanceName string `json:"instanceName"`
		Integration  string `json:"integration"`
		QRCode       bool   `json:"qrcode"`
	}
	if err := readJSON(w, r, &body); err != nil || body.InstanceName == "" || body.Integration != "WHATSAPP-BAILEYS" {
		refuse(w, http.StatusBadRequest, "Bad Request", "Invalid integration")
		return
	}
	key := accountKey{ProtocolEvolution, body.InstanceName}
	if _, exists := g.accounts.find(key); exists {
		refuse(w, http.StatusForbidden, "Forbidden", `This name "`+key.Name+`" is already in use.`)
		return
	}
	a := g.accounts.change(key, func(a *account) {
		body.applyTo(a)
		if body.QRCode {
			startLinking(a)
		}
	})
	answer := map[string]any{
		"instance": map[string]any{"instanceName": a.Name, "instanceId": a.Name, "integration": body.Integration, "status": evolutionState(a.State)},
		"hash":     "0000-0000", "settings": map[string]any{}, "webhook": map[string]any{"webhookUrl": a.Webhook},
	}
	if a.State == stateQR {
		answer["qrcode"] = evolutionQR(a, g.config.Clock.Now())
	}
	writeJSON(w, http.StatusCreated, answer)
}

func (g *Gateway) connectionState(w http.ResponseWriter, r *http.Request) {
	a := g.accounts.get(evolutionAccount(r))
	instance := map[string]any{"instanceName": a.Name, "state": evolutionState(a.State)}
	if a.State == statePasskey {
		instance["passkeyStage"] = "challenge"
	}
	writeJSON(w, http.StatusOK, map[string]any{"instance": instance})
}

// connect shows the QR code, and makes a closed instance show one.
func (g *Gateway) connect(w http.ResponseWriter, r *http.Request) {
	a := g.accounts.change(evolutionAccount(r), startLinking)
	if a.State != stateQR {
		g.connectionState(w, r)
		return
	}
	writeJSON(w, http.StatusOK, evolutionQR(a, g.config.Clock.Now()))
}

func (g *Gateway) setWebhook(w http.ResponseWriter, r *http.Request) {
	var body webhookRequest
	if err := readJSON(w, r, &body); err != nil || body.Webhook.URL == "" {
		refuse(w, http.StatusBadRequest, "Bad Request", `instance requires property "webhook"`)
		return
	}
	a := g.accounts.change(evolutionAccount(r), body.applyTo)
	writeJSON(w, http.StatusCreated, map[string]any{"url": a.Webhook, "enabled": true})
}

func (g *Gateway) logout(w http.ResponseWriter, r *http.Request) {
	key := evolutionAccount(r)
	if a := g.accounts.get(key); a.State == stateClosed {
		refuse(w, http.StatusBadRequest, "Bad Request", `The "`+a.Name+`" instance is not connected`)
		return
	}
	g.announce(r.Context(), g.accounts.change(key, func(a *account) { a.State = stateClosed }))
	writeJSON(w, http.StatusOK, map[string]any{"status": "SUCCESS", "error": false, "response": map[string]any{"message": "Instance logged out"}})
}

func (g *Gateway) deleteInstance(w http.ResponseWriter, r *http.Request) {
	g.accounts.remove(evolutionAccount(r))
	writeJSON(w, http.StatusOK, map[string]any{"status": "SUCCESS", "error": false, "response": map[string]any{"message": "Instance deleted"}})
}
