package evolution

import (
	"context"
	"net/http"
	"strings"

	"banca/internal/messaging/channel"
)

// The bodies of the two calls. Numbers are written without the plus sign.
type (
	textBody struct {
		Number string `json:"number"`
		Text   string `json:"text"`
	}
	mediaBody struct {
		Number    string `json:"number"`
		MediaType string `json:"mediatype"`
		MimeType  string `json:"mimetype"`
		Media     string `json:"media"` // an address the gateway fetches
		Caption   string `json:"caption"`
		FileName  string `json:"fileName"`
	}
)

// Send implements channel.Driver.
func (d *Driver) Send(ctx context.Context, c channel.Channel, m channel.Message) (channel.Receipt, error) {
	number := strings.TrimPrefix(m.Recipient, "+")
	if m.ImageURL == "" {
		return d.send(ctx, c, "sendText", textBody{Number: number, Text: m.Body})
	}
	return d.send(ctx, c, "sendMedia", mediaBody{
		Number: number, MediaType: "image", MimeType: "image/png",
		Media: m.ImageURL, Caption: m.Body, FileName: m.ID.String() + ".png",
	})
}

func (d *Driver) send(ctx context.Context, c channel.Channel, verb string, body any) (channel.Receipt, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Receipt{}, err
	}
	answer, err := d.client.Do(ctx, c, d.call(c, http.MethodPost, body, "message", verb, c.Get(channel.ParamInstance)))
	if err != nil {
		return channel.Receipt{}, err
	}
	return receipt(c, &answer)
}
