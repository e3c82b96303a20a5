package simulators

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

func (g *Gateway) controlRoutes() {
	g.mux.HandleFunc("GET /outbox", g.showOutbox)
	g.mux.HandleFunc("GET /{$}", g.showChat)
	g.mux.HandleFunc("GET /_accounts", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, g.accounts.list()) })
	g.mux.HandleFunc("POST /_scan", g.control(func(c *controlRequest, a *account) {
		if a.State == stateQR && c.Passkey {
			a.State = statePasskey
		} else if a.State == stateQR {
			a.State = stateOpen
		}
	}))
	g.mux.HandleFunc("POST /_break", g.control(func(c *controlRequest, a *account) { a.State = c.State }))
	g.mux.HandleFunc("POST /_mend", g.control(func(_ *controlRequest, a *account) { a.State = stateOpen }))
	g.mux.HandleFunc("POST /_webhook", g.setControlWebhook)
	g.mux.HandleFunc("POST /_say", g.say)
	g.mux.HandleFunc("POST /_mode", g.setMode)
}

// controlRequest is what the page's buttons and tests send: JSON or a form.
type controlRequest struct {
	Protocol    string `json:"protocol"`
	Account     string `json:"account"`
	State       string `json:"state"`
	Passkey     bool   `json:"passkey"`
	URL         string `json:"url"`
	Secret      string `json:"secret"`
	VerifyToken string `json:"verify_token"`
	From        string `json:"from"`
	Text        string `json:"text"`

	form bool
}

func (c *controlRequest) key() accountKey { return accountKey{c.Protocol, c.Account} }

// readControl reads a request and answers 400 to one that it cannot use. What begins with a brace is JSON, whatever its type
// says, because curl calls everything a form.
func readControl(w http.ResponseWriter, r *http.Request) (c controlRequest, ok bool) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSmallBody))
	if err == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		err = json.Unmarshal(raw, &c)
	} else if err == nil {
		var form url.Values
		form, err = url.ParseQuery(string(raw))
		c = controlRequest{
			Protocol: form.Get("protocol"), Account: form.Get("account"), State: form.Get("state"), Passkey: form.Has("passkey"),
			URL: form.Get("url"), Secret: form.Get("secret"), VerifyToken: form.Get("verify_token"), From: form.Get("from"), Text: form.Get("text"), form: true,
		}
	}
	if err != nil || c.Protocol == "" {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "the body must be JSON or a form, with protocol and account"})
		return c, false
	}
	return c, true
}

// done answers a form with the page, so that buttons need no script.
func (c *controlRequest) done(w http.ResponseWriter, r *http.Request, answer any) {
	if c.form {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// control changes the state of an account that exists and tells its webhook.
func (g *Gateway) control(change func(*controlRequest, *account)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, ok := readControl(w, r)
		if !ok {
			return
		}
		if _, exists := g.accounts.find(c.key()); !exists {
			writeJSON(w, http.StatusNotFound, map[string]any{"error": "there is no such account", "accounts": g.accounts.list()})
			return
		}
		a := g.accounts.change(c.key(), func(a *account) { change(&c, a) })
		g.announce(r.Context(), a)
		c.done(w, r, a)
	}
}

// setControlWebhook sets the webhook of an account of the Cloud API or of the signed protocol, which Meta's page and the
// receiver's configuration do. For the Cloud API it asks the address first, as Meta does.
func (g *Gateway) setControlWebhook(w http.ResponseWriter, r *http.Request) {
	c, ok := readControl(w, r)
	if !ok {
		return
	}
	if c.Protocol == ProtocolCloud && !g.challenge(r, c.URL, c.VerifyToken) {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "the address did not answer the challenge"})
		return
	}
	g.accounts.open(c.key())
	c.done(w, r, g.accounts.change(c.key(), func(a *account) { a.Webhook, a.Secret = c.URL, c.Secret }))
}

// challenge verifies the address of a webhook as Meta does.
func (g *Gateway) challenge(r *http.Request, address, token string) bool {
	text := strconv.FormatInt(g.config.Clock.Now().UnixNano(), 10)
	query := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {text}, "hub.verify_token": {token}}
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, address+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return false
	}
	res, err := webhookClient().Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close() //nolint:errcheck // it is read as far as it matters
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxSmallBody))
	return err == nil && res.StatusCode == http.StatusOK && string(answer) == text
}

// say makes a customer write a text to an account.
func (g *Gateway) say(w http.ResponseWriter, r *http.Request) {
	c, ok := readControl(w, r)
	if !ok {
		return
	}
	a := g.accounts.get(c.key())
	from := strings.TrimPrefix(c.From, "+")
	g.call(r.Context(), a, 0, g.dialectOf(a.Protocol).inbound(a, from, c.Text, "IN"+strconv.FormatInt(g.serial.Add(1), 10)))
	c.done(w, r, a)
}

// setMode is POST /_faults for the page's form.
func (g *Gateway) setMode(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSmallBody)
	times, err := strconv.Atoi(r.PostFormValue("times"))
	if err != nil || !g.SetFault(Fault{Mode: r.PostFormValue("mode"), Times: times, Source: r.PostFormValue("source")}) {
		http.Error(w, "no such mode", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
