package evolution

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// State implements channel.Driver. While an instance is linked it fetches the current QR code, too: the gateway makes
// a new one every 20 to 60 seconds.
func (d *Driver) State(ctx context.Context, c channel.Channel) (channel.Link, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Link{}, err
	}
	link, err := d.ask(ctx, c, d.call(c, http.MethodGet, nil, "instance", "connectionState", c.Get(channel.ParamInstance)))
	if err != nil || link.State != channel.Connecting {
		return link, err
	}
	return d.ask(ctx, c, d.call(c, http.MethodGet, nil, "instance", "connect", c.Get(channel.ParamInstance)))
}

// ask makes a call that answers with the state of the instance.
func (d *Driver) ask(ctx context.Context, c channel.Channel, call httpcall.Call) (channel.Link, error) {
	answer, err := d.client.Do(ctx, c, call)
	if err != nil {
		return channel.Link{}, err
	}
	if !answer.OK() {
		return linkOf(failed(c, &answer, answer.Status))
	}
	var body linkBody
	if !answer.Read(&body) {
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	if present(body.Error) && string(body.Error) != "false" {
		return linkOf(failed(c, &answer, http.StatusBadRequest))
	}
	return body.link(answer.Body), nil
}

// linkBody holds what the calls instance/create, connect and connectionState answer, in one place or another.
type linkBody struct {
	qrBody

	QRCode   qrBody `json:"qrcode"`
	Instance struct {
		State  string `json:"state"`
		Status string `json:"status"`
	} `json:"instance"`
	Error json.RawMessage `json:"error"`
}

type qrBody struct {
	Base64      string `json:"base64"`
	PairingCode string `json:"pairingCode"`
}

// link returns the state. raw is the whole answer: gateways name the state of a passkey differently.
func (b *linkBody) link(raw []byte) channel.Link {
	if bytes.Contains(bytes.ToLower(raw), []byte(`"passkey`)) {
		return channel.Link{State: channel.PasskeyRequired}
	}
	for _, qr := range []qrBody{b.qrBody, b.QRCode} {
		if picture := channel.QRFromBase64(qr.Base64); picture != nil {
			return channel.Link{State: channel.ShowsQR, QR: picture, Code: channel.Clean(qr.PairingCode)}
		}
	}
	if state := b.Instance.State + b.Instance.Status; state != "" {
		return channel.Link{State: stateOf(state)}
	}
	return channel.Link{State: channel.Connecting} // {"count":0}: the code is not there yet
}

// linkOf returns the state that a failure tells of, or the failure.
func linkOf(failure *channel.Error) (channel.Link, error) {
	if failure.State == "" {
		return channel.Link{}, failure
	}
	return channel.Link{State: failure.State, Reason: failure.Text}, nil
}

// stateOf translates the library's states.
func stateOf(state string) channel.State {
	switch state {
	case "open":
		return channel.Open
	case "connecting":
		return channel.Connecting
	default: // close, refused
		return channel.Disconnected
	}
}

// Reasons of a closed connection, by the library: the account is locked or banned, for a time or for good.
func isBan(reason int) bool {
	const temporary, locked, banned = 402, 403, 406
	return reason == temporary || reason == locked || reason == banned
}
