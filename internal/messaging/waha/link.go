package waha

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"banca/internal/messaging/channel"
)

// webhook is WAHA's form of one.
type webhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
	HMAC   *hmacKey `json:"hmac"`
	Retry  *retries `json:"retries,omitempty"`
}

type hmacKey struct {
	Key string `json:"key"`
}

type retries struct {
	Policy   string `json:"policy"`
	Delay    int    `json:"delaySeconds"`
	Attempts int    `json:"attempts"`
}

type config struct {
	Webhooks []webhook `json:"webhooks"`
}

// info is what WAHA answers about a session.
type info struct {
	Status string `json:"status"`
	Me     *struct {
		ID string `json:"id"`
	} `json:"me"`
	Config *config `json:"config"`
}

func configOf(c channel.Channel, address string) config {
	const delay, attempts = 5, 15
	return config{[]webhook{{
		URL: address, Events: []string{"session.status", "message", "message.ack"}, HMAC: &hmacKey{c.Get(channel.ParamWebhookSecret)},
		Retry: &retries{Policy: "exponential", Delay: delay, Attempts: attempts},
	}}}
}

// has reports whether the session has the webhook already: setting it restarts the session.
func (i *info) has(want config) bool {
	return i.Config != nil && slices.ContainsFunc(i.Config.Webhooks, func(w webhook) bool {
		return w.URL == want.Webhooks[0].URL && w.HMAC != nil && w.HMAC.Key == want.Webhooks[0].HMAC.Key && len(w.Events) == len(want.Webhooks[0].Events)
	})
}

// Connect implements channel.Linker.
func (d *Driver) Connect(ctx context.Context, c channel.Channel, webhookURL string) (channel.Link, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Link{}, err
	}
	want := configOf(c, webhookURL)
	var now info
	answer, err := d.do(ctx, c, d.call(c, http.MethodGet, nil, "sessions", session(c)))
	switch {
	case answer.Status == http.StatusNotFound:
		err = d.run(ctx, c, http.MethodPost, map[string]any{"name": session(c), "start": true, "config": want}, "sessions")
		if err != nil {
			return channel.Link{}, err
		}
		return d.State(ctx, c)
	case err != nil:
		return channel.Link{}, err
	case !answer.Read(&now):
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	if !now.has(want) {
		if err := d.run(ctx, c, http.MethodPut, map[string]any{"config": want}, "sessions", session(c)); err != nil {
			return channel.Link{}, err
		}
	}
	if verb := startVerb(now.Status); verb != "" {
		if err := d.run(ctx, c, http.MethodPost, struct{}{}, "sessions", session(c), verb); err != nil {
			return channel.Link{}, err
		}
	}
	return d.State(ctx, c)
}

// startVerb is the call that makes a session show a QR code; none for one that runs.
func startVerb(status string) string {
	switch status {
	case "STOPPED":
		return "start"
	case "FAILED":
		return "restart"
	default:
		return ""
	}
}

// State implements channel.Driver. In the state qr it fetches the code, too.
func (d *Driver) State(ctx context.Context, c channel.Channel) (channel.Link, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Link{}, err
	}
	answer, err := d.do(ctx, c, d.call(c, http.MethodGet, nil, "sessions", session(c)))
	if err != nil {
		if failure := channel.AsError(err); failure.State != "" {
			return channel.Link{State: failure.State, Reason: failure.Text}, nil
		}
		return channel.Link{}, err
	}
	var now info
	if !answer.Read(&now) || now.Status == "" {
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	link := linkOf(now.Status)
	if now.Me != nil {
		link.Phone = channel.Phone(now.Me.ID)
	}
	if link.State == channel.ShowsQR {
		return d.withQR(ctx, c, link)
	}
	return link, nil
}

func linkOf(status string) channel.Link {
	link := channel.Link{State: stateOf(status)}
	if link.State == channel.Disconnected {
		link.Reason = channel.Clean(string(channel.Reasonf(channel.SessionIs, status)))
	}
	return link
}

// withQR adds the code, or returns connecting when it is not there yet.
func (d *Driver) withQR(ctx context.Context, c channel.Channel, link channel.Link) (channel.Link, error) {
	call := d.call(c, http.MethodGet, nil, session(c), "auth", "qr")
	call.Query = url.Values{"format": {"image"}}
	answer, err := d.do(ctx, c, call)
	if err != nil {
		return channel.Link{}, err
	}
	var file struct {
		Data string `json:"data"`
	}
	if answer.Read(&file) {
		link.QR = channel.QRFromBase64(file.Data)
	} else if channel.IsQR(answer.Body) { // versions that ignore Accept
		link.QR = answer.Body
	}
	if link.QR == nil {
		link.State = channel.Connecting
	}
	return link, nil
}

// Logout implements channel.Linker.
func (d *Driver) Logout(ctx context.Context, c channel.Channel) error {
	return d.remove(ctx, c, http.MethodPost, struct{}{}, "sessions", session(c), "logout")
}

// Delete implements channel.Linker.
func (d *Driver) Delete(ctx context.Context, c channel.Channel) error {
	return d.remove(ctx, c, http.MethodDelete, nil, "sessions", session(c))
}

func (d *Driver) remove(ctx context.Context, c channel.Channel, method string, body any, path ...string) error {
	if err := channel.Usable(d, c); err != nil {
		return err
	}
	err := d.run(ctx, c, method, body, path...)
	if err != nil && channel.AsError(err).State == channel.Disconnected {
		return nil
	}
	return err
}

func (d *Driver) run(ctx context.Context, c channel.Channel, method string, body any, path ...string) error {
	_, err := d.do(ctx, c, d.call(c, method, body, path...))
	return err
}
