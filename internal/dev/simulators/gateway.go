package simulators

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"banca/internal/platform/clock"
)

// Protocols of a gateway.
const (
	ProtocolEvolution = "evolution"
	ProtocolCloud     = "cloud"
	ProtocolWAHA      = "waha"
	ProtocolHTTP      = "http"
)

// defaultStatusDelay is the wait before the first status of a message, so that its answer usually arrives earlier.
const defaultStatusDelay = 300 * time.Millisecond

// GatewayConfig configures NewGateway.
type GatewayConfig struct {
	// APIKey is the key of Evolution and WAHA, and the token of the Cloud API, its app's secret and the secret of the
	// signed protocol until POST /_webhook sets others.
	APIKey   string
	Instance string // an open account of Evolution; others are created first. Any name is open when it is empty
	Clock    clock.Clock
	// StatusDelay is the wait before the first status; default 300 ms.
	StatusDelay time.Duration
	// Delivered is called with each message that reaches its recipient; it may be nil.
	Delivered func(Delivered)
}

// Gateway is a messaging gateway of four protocols that delivers to its own memory.
type Gateway struct {
	config   GatewayConfig
	accounts accounts
	outbox   delivered
	faults   *faults
	serial   atomic.Int64
	mux      *http.ServeMux
	graph    *http.ServeMux // of paths that begin with a version, as the Cloud API's do
}

// NewGateway returns a gateway that works.
func NewGateway(config GatewayConfig) *Gateway {
	if config.StatusDelay == 0 {
		config.StatusDelay = defaultStatusDelay
	}
	g := &Gateway{config: config, mux: http.NewServeMux(), graph: http.NewServeMux(), faults: newFaults(gatewayModes()...)}
	g.faults.sources = []string{ProtocolEvolution, ProtocolCloud, ProtocolWAHA, ProtocolHTTP}
	g.accounts.known = map[accountKey]*account{}
	if config.Instance != "" {
		g.accounts.create(accountKey{ProtocolEvolution, config.Instance}).State = stateOpen
	}
	g.evolutionRoutes()
	g.cloudRoutes()
	g.wahaRoutes()
	g.mux.HandleFunc("POST /signed", g.signed)
	g.controlRoutes()
	g.faults.routes(g.mux)
	return g
}

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if regexp.MustCompile(`^/v[0-9]+\.[0-9]+/`).MatchString(r.URL.Path) {
		g.graph.ServeHTTP(w, r)
		return
	}
	g.mux.ServeHTTP(w, r)
}

// SetFault does what POST /_faults does and reports whether there is such a mode.
func (g *Gateway) SetFault(fault Fault) bool { return g.faults.set(fault) }

// Outbox returns the messages delivered to a number, or to all if it is empty, newest first.
func (g *Gateway) Outbox(number string) []Delivered { return g.outbox.to(number) }

// dialect is how a protocol writes what happens.
type dialect interface {
	// accept is the answer to a message that was delivered.
	accept(m Delivered) (status int, body any)
	// refuse answers as the real gateway does in the situation of a fault or of an account that is not open.
	refuse(w http.ResponseWriter, fault Fault, a account, m Delivered)
	// status, inbound and state are calls of the webhook.
	status(a account, m Delivered, status string) event
	inbound(a account, from, text, id string) event
	state(a account) (event, bool)
}

func (g *Gateway) dialectOf(protocol string) dialect {
	switch protocol {
	case ProtocolCloud:
		return cloudDialect{g}
	case ProtocolWAHA:
		return wahaDialect{g}
	case ProtocolHTTP:
		return signedDialect{g}
	default:
		return evolutionDialect{g}
	}
}

// deliver delivers a message, or fails as the state of its account or the fault says.
func (g *Gateway) deliver(w http.ResponseWriter, r *http.Request, key accountKey, m Delivered) {
	d, a := g.dialectOf(key.Protocol), g.accounts.get(key)
	m.Protocol, m.Account = key.Protocol, key.Name
	fault := g.faults.takeFor(key.Protocol)
	switch {
	case a.State != stateOpen:
		d.refuse(w, Fault{Mode: GatewayDown}, a, m)
		return
	case !fault.delivers():
		if !cut(w, r, fault) {
			d.refuse(w, fault, a, m)
		}
		return
	}
	g.add(&m)
	g.report(r.Context(), a, m, fault)
	if !cut(w, r, fault) {
		status, body := d.accept(m)
		writeJSON(w, status, body)
	}
}

// add delivers a message. Its id is like WhatsApp's: 3EB0 and hexadecimal digits; the time keeps them apart over
// restarts.
func (g *Gateway) add(m *Delivered) {
	const from = 0x100000
	m.ReceivedAt = g.config.Clock.Now()
	m.ID = "3EB0" + strings.ToUpper(strconv.FormatInt(m.ReceivedAt.UnixMilli(), 16)+strconv.FormatInt(g.serial.Add(1)+from, 16))
	if m.Protocol == ProtocolCloud {
		m.ID = "wamid.HBgM" + m.ID + "AA=="
	}
	g.outbox.add(*m)
	if g.config.Delivered != nil {
		g.config.Delivered(*m)
	}
}

func (g *Gateway) showOutbox(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, g.outbox.to(r.URL.Query().Get("number")))
}
