package simulators

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
)

func (g *Gateway) cloudRoutes() {
	g.graph.Handle("POST /{version}/{number}/messages", g.tokened(g.cloudSend))
	g.graph.Handle("GET /{version}/{number}", g.tokened(g.cloudNumber))
}

// tokened checks the token. Any number exists and is open.
func (g *Gateway) tokened(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(token), []byte(g.config.APIKey)) != 1 {
			cloudError(w, http.StatusUnauthorized, 190, "Invalid OAuth access token - Cannot parse access token", "") //nolint:mnd // Meta's code
			return
		}
		g.accounts.open(cloudAccount(r))
		next(w, r)
	})
}

func cloudAccount(r *http.Request) accountKey {
	return accountKey{ProtocolCloud, r.PathValue("number")}
}

func (g *Gateway) cloudSend(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Product string `json:"messaging_product"`
		To      string `json:"to"`
		Type    string `json:"type"`
		Ref     string `json:"biz_opaque_callback_data"`
		Text    struct {
			Body string `json:"body"`
		} `json:"text"`
		Image struct {
			Link    string `json:"link"`
			Caption string `json:"caption"`
		} `json:"image"`
		Template struct {
			Name string `json:"name"`
		} `json:"template"`
	}
	err := readJSON(w, r, &body)
	m := Delivered{
		Number: body.To, Type: body.Type, Caption: body.Text.Body + body.Image.Caption, MediaURL: body.Image.Link,
		Ref: body.Ref, Template: body.Template.Name,
	}
	if err != nil || body.Product != "whatsapp" || m.Number == "" || m.Caption+m.MediaURL+m.Template == "" {
		cloudError(w, http.StatusBadRequest, 100, "(#100) Invalid parameter", "messaging_product, to and a body are required") //nolint:mnd // Meta's code
		return
	}
	if m.Template != "" {
		m.Caption = "plantilla " + m.Template
	}
	g.deliver(w, r, cloudAccount(r), m)
}

func (g *Gateway) cloudNumber(w http.ResponseWriter, r *http.Request) {
	a := g.accounts.get(cloudAccount(r))
	status := "CONNECTED"
	switch a.State {
	case stateBanned:
		status = "BANNED"
	case stateClosed:
		status = "DISCONNECTED"
	}
	writeJSON(w, http.StatusOK, map[string]any{"id": a.Name, "display_phone_number": "+58 414-0000001", "status": status, "quality_rating": "GREEN"})
}

// cloudError answers with an error of the Graph API.
func cloudError(w http.ResponseWriter, status, code int, message, details string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{
		"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "A4O5a8RAgePwbcGSu",
		"error_data": map[string]any{"messaging_product": "whatsapp", "details": details},
	}})
}

// cloudDialect writes as the Cloud API does.
type cloudDialect struct{ g *Gateway }

func (cloudDialect) accept(m Delivered) (int, any) {
	return http.StatusOK, map[string]any{
		"messaging_product": "whatsapp", "contacts": []any{map[string]any{"input": m.Number, "wa_id": m.Number}},
		"messages": []any{map[string]any{"id": m.ID, "message_status": "accepted"}},
	}
}

// cloudFault is the answer in a situation.
type cloudFault struct {
	status, code int
	message      string
}

func cloudFaultOf(fault Fault, a account) cloudFault {
	if a.State == stateBanned {
		return cloudFault{http.StatusForbidden, 131031, "(#131031) Business Account locked"}
	}
	switch fault.Mode {
	case GatewayBadRecipient:
		return cloudFault{http.StatusBadRequest, 131026, "(#131026) Message Undeliverable"}
	case GatewayContent:
		return cloudFault{
			http.StatusBadRequest, 132000,
			"(#132000) Number of parameters does not match the expected number of params",
		}
	case GatewayNeedsTemplate:
		return cloudFault{http.StatusBadRequest, 131047, "(#131047) Re-engagement message"}
	case GatewayRateLimited:
		return cloudFault{http.StatusBadRequest, 130429, "(#130429) Rate limit hit"}
	case GatewayRecipientLimit:
		return cloudFault{
			http.StatusBadRequest, 131056, "(#131056) (Business Account, Consumer Account) pair rate limit hit",
		}
	case GatewayRetryable, GatewayErrorIn200:
		return cloudFault{http.StatusInternalServerError, 131000, "(#131000) Something went wrong"}
	case GatewayAuth:
		return cloudFault{http.StatusUnauthorized, 190, "Error validating access token: Session has expired"}
	case GatewayCode:
		return cloudFault{http.StatusBadRequest, fault.Code, "(#" + strconv.Itoa(fault.Code) + ") simulated"}
	default:
		return cloudFault{
			http.StatusBadRequest, 131045, "(#131045) Message failed to send due to a phone number registration error",
		}
	}
}

func (cloudDialect) refuse(w http.ResponseWriter, fault Fault, a account, _ Delivered) {
	f := cloudFaultOf(fault, a)
	if fault.Mode == GatewayErrorIn200 {
		f.status = http.StatusOK
	}
	if fault.Mode == GatewayRateLimited {
		w.Header().Set("Retry-After", strconv.Itoa(gatewayRetryAfter))
	}
	cloudError(w, f.status, f.code, f.message, "simulated")
}

func (d cloudDialect) event(a account, value map[string]any) event {
	value["messaging_product"] = "whatsapp"
	value["metadata"] = map[string]any{"display_phone_number": simulatedPhone, "phone_number_id": a.Name}
	body := map[string]any{"object": "whatsapp_business_account", "entry": []any{map[string]any{
		"id": "102290129340398", "changes": []any{map[string]any{"field": "messages", "value": value}},
	}}}
	return event{body, func(raw []byte) map[string]string {
		return map[string]string{"X-Hub-Signature-256": "sha256=" + hexHMAC(sha256.New, d.g.secretOf(a), raw)}
	}}
}

func (d cloudDialect) status(a account, m Delivered, status string) event {
	s := map[string]any{
		"id": m.ID, "status": status, "timestamp": strconv.FormatInt(d.g.config.Clock.Now().Unix(), 10),
		"recipient_id":             m.Number,
		"biz_opaque_callback_data": m.Ref,
	}
	if status == "failed" {
		s["errors"] = []any{map[string]any{
			"code": 131026, "title": "Message undeliverable", "message": "Message undeliverable",
			"error_data": map[string]any{"details": "Message Undeliverable."},
		}}
	}
	return d.event(a, map[string]any{"statuses": []any{s}})
}

func (d cloudDialect) inbound(a account, from, text, id string) event {
	return d.event(a, map[string]any{
		"contacts": []any{map[string]any{"profile": map[string]any{"name": "Cliente"}, "wa_id": from}},
		"messages": []any{map[string]any{
			"from": from, "id": "wamid." + id, "timestamp": strconv.FormatInt(d.g.config.Clock.Now().Unix(), 10),
			"type": "text", "text": map[string]any{"body": text},
		}},
	})
}

// state implements dialect: Meta reports no state of a number.
func (cloudDialect) state(account) (event, bool) { return event{}, false }
