package evolution

import (
	"bytes"
	"context"
	"net/http"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// SecretHeader carries the webhook's secret. The gateway sends the headers that it was given with the webhook.
const SecretHeader = "X-Webhook-Secret" //nolint:gosec // a name

type (
	webhookBody struct {
		Enabled  bool              `json:"enabled"`
		URL      string            `json:"url"`
		ByEvents bool              `json:"byEvents"`
		Base64   bool              `json:"base64"`
		Headers  map[string]string `json:"headers"`
		Events   []string          `json:"events"`
	}
	createBody struct {
		InstanceName string      `json:"instanceName"`
		Integration  string      `json:"integration"`
		QRCode       bool        `json:"qrcode"`
		Webhook      webhookBody `json:"webhook"`
	}
	setBody struct {
		Webhook webhookBody `json:"webhook"`
	}
)

func webhookOf(c channel.Channel, address string) webhookBody {
	return webhookBody{
		Enabled: true, URL: address, Headers: map[string]string{SecretHeader: c.Get(channel.ParamWebhookSecret)},
		Events: []string{"QRCODE_UPDATED", "CONNECTION_UPDATE", "MESSAGES_UPSERT", "MESSAGES_UPDATE", "SEND_MESSAGE"},
	}
}

// Connect implements channel.Linker. Creating an instance needs the gateway's global key.
func (d *Driver) Connect(ctx context.Context, c channel.Channel, webhookURL string) (channel.Link, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Link{}, err
	}
	instance := c.Get(channel.ParamInstance)
	state, err := d.client.Do(ctx, c, d.call(c, http.MethodGet, nil, "instance", "connectionState", instance))
	if err != nil {
		return channel.Link{}, err
	}
	if state.Status == http.StatusNotFound {
		return d.ask(ctx, c, d.call(c, http.MethodPost, createBody{
			InstanceName: instance, Integration: "WHATSAPP-BAILEYS", QRCode: true, Webhook: webhookOf(c, webhookURL),
		}, "instance", "create"))
	}
	if err := d.do(ctx, c, d.call(c, http.MethodPost, setBody{webhookOf(c, webhookURL)}, "webhook", "set", instance)); err != nil {
		return linkOf(channel.AsError(err))
	}
	return d.ask(ctx, c, d.call(c, http.MethodGet, nil, "instance", "connect", instance))
}

// Logout implements channel.Linker.
func (d *Driver) Logout(ctx context.Context, c channel.Channel) error {
	return d.remove(ctx, c, "logout")
}

// Delete implements channel.Linker.
func (d *Driver) Delete(ctx context.Context, c channel.Channel) error {
	return d.remove(ctx, c, "delete")
}

func (d *Driver) remove(ctx context.Context, c channel.Channel, verb string) error {
	if err := channel.Usable(d, c); err != nil {
		return err
	}
	err := d.do(ctx, c, d.call(c, http.MethodDelete, nil, "instance", verb, c.Get(channel.ParamInstance)))
	if err != nil && channel.AsError(err).State == channel.Disconnected { // missing, or not linked
		return nil
	}
	return err
}

// do makes a call whose answer has no meaning beyond success.
func (d *Driver) do(ctx context.Context, c channel.Channel, call httpcall.Call) error {
	answer, err := d.client.Do(ctx, c, call)
	switch {
	case err != nil:
		return err
	case !answer.OK():
		return failed(c, &answer, answer.Status)
	case bytes.Contains(answer.Body, []byte(`"error":true`)):
		return failed(c, &answer, http.StatusBadRequest)
	}
	return nil
}
