package simulators

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"banca/internal/clock"
)

// Modes of a gateway, see the package's documentation.
const (
	GatewayBadRecipient   = "400"
	GatewayErrorIn200     = "error_in_200"
	GatewayRateLimited    = "429"
	GatewayNoLicence      = "503_license"
	GatewayTimeout        = "timeout"
	GatewayDropAfterWrite = "drop_after_write"
)

// gatewayRetryAfter is the wait a rate limited gateway asks for, in seconds.
const gatewayRetryAfter = 7

// GatewayConfig configures NewGateway.
type GatewayConfig struct {
	APIKey   string
	Instance string // the only account; any name is accepted when it is empty
	Clock    clock.Clock
}

// Gateway is a messaging gateway that delivers to its own memory.
type Gateway struct {
	config GatewayConfig
	outbox delivered
	faults *faults
	serial atomic.Int64
	mux    *http.ServeMux
}

// NewGateway returns a gateway that works.
func NewGateway(config GatewayConfig) *Gateway {
	g := &Gateway{
		config: config,
		mux:    http.NewServeMux(),
		faults: newFaults(GatewayBadRecipient, GatewayErrorIn200, GatewayRateLimited, GatewayNoLicence, GatewayTimeout, GatewayDropAfterWrite),
	}
	g.mux.Handle("POST /message/sendText/{instance}", g.guarded(g.sendText))
	g.mux.Handle("POST /message/sendMedia/{instance}", g.guarded(g.sendMedia))
	g.mux.Handle("GET /instance/connectionState/{instance}", g.guarded(g.connectionState))
	g.mux.HandleFunc("GET /outbox", g.showOutbox)
	g.mux.HandleFunc("GET /{$}", g.showChat)
	g.faults.routes(g.mux)
	return g
}

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

// SetFault does what POST /_faults does and reports whether there is such a mode.
func (g *Gateway) SetFault(fault Fault) bool { return g.faults.set(fault) }

// Outbox returns the messages delivered to a number, or to all if it is empty, newest first.
func (g *Gateway) Outbox(number string) []Delivered { return g.outbox.to(number) }

// guarded checks key and instance, as the real gateway does before anything else.
func (g *Gateway) guarded(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Apikey")), []byte(g.config.APIKey)) != 1 {
			refuse(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
			return
		}
		if name := r.PathValue("instance"); g.config.Instance != "" && name != g.config.Instance {
			refuse(w, http.StatusNotFound, "Not Found", `The "`+name+`" instance does not exist`)
			return
		}
		next(w, r)
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
	g.deliver(w, r, Delivered{Number: body.Number, Type: "text", Caption: body.Text})
}

func (g *Gateway) sendMedia(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Number    string `json:"number"`
		MediaType string `json:"mediatype"`
		MimeType  string `json:"mimetype"`
		Media     string `json:"media"`
		Caption   string `json:"caption"`
	}
	if err := readJSON(w, r, &body); err != nil || body.Number == "" || body.MediaType != "image" || body.Media == "" {
		refuse(w, http.StatusBadRequest, "Bad Request", `instance requires property "number", "mediatype", "media"`)
		return
	}
	g.deliver(w, r, Delivered{Number: body.Number, Type: "image", Caption: body.Caption, MediaURL: mediaURL(body.Media, body.MimeType)})
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

// deliver delivers a message, or fails as the fault says.
func (g *Gateway) deliver(w http.ResponseWriter, r *http.Request, m Delivered) {
	fault := g.faults.take()
	if fault.Mode != modeOK && fault.Mode != GatewayDropAfterWrite {
		fail(w, r, fault, m.Number)
		return
	}
	n := g.serial.Add(1)
	m.ReceivedAt = g.config.Clock.Now()
	// Like WhatsApp's: 3EB0 and hexadecimal digits; the time keeps them apart over restarts.
	m.ID = "3EB0" + strings.ToUpper(strconv.FormatInt(m.ReceivedAt.UnixMilli(), 16)+strconv.FormatInt(n+0x100000, 16))
	g.outbox.add(m)
	if fault.Mode == GatewayDropAfterWrite {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	writeJSON(w, http.StatusCreated, map[string]any{
		"key":              map[string]any{"remoteJid": m.Number + "@s.whatsapp.net", "fromMe": true, "id": m.ID},
		"message":          map[string]any{m.Type + "Message": map[string]any{"caption": m.Caption}},
		"messageTimestamp": strconv.FormatInt(m.ReceivedAt.Unix(), 10),
		"status":           "PENDING",
	})
}

// fail answers as the real gateway does in the fault's situation.
func fail(w http.ResponseWriter, r *http.Request, fault Fault, number string) {
	switch fault.Mode {
	case GatewayBadRecipient:
		refuse(w, http.StatusBadRequest, "Bad Request", map[string]any{"exists": false, "jid": number + "@s.whatsapp.net", "number": number})
	case GatewayErrorIn200:
		writeJSON(w, http.StatusOK, refusal(http.StatusBadRequest, "Bad Request", "Error: Connection Closed"))
	case GatewayRateLimited:
		w.Header().Set("Retry-After", strconv.Itoa(gatewayRetryAfter))
		refuse(w, http.StatusTooManyRequests, "Too Many Requests", "rate-overlimit")
	case GatewayNoLicence:
		writeJSON(w, http.StatusServiceUnavailable, map[string]any{"error": "service not activated", "code": "LICENSE_REQUIRED"})
	case GatewayTimeout:
		wait(r.Context(), maxFaultDelay)
		panic(http.ErrAbortHandler)
	}
}

// refuse answers with an error in the gateway's shape.
func refuse(w http.ResponseWriter, status int, name string, message any) {
	writeJSON(w, status, refusal(status, name, message))
}

func refusal(status int, name string, message any) map[string]any {
	return map[string]any{"status": status, "error": name, "response": map[string]any{"message": []any{message}}}
}

func (g *Gateway) connectionState(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"instance": map[string]any{"instanceName": r.PathValue("instance"), "state": "open"},
	})
}

func (g *Gateway) showOutbox(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, g.outbox.to(r.URL.Query().Get("number")))
}
