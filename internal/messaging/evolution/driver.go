package evolution

import (
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// Bounds of parameters, in characters.
const (
	maxURL      = 500
	maxInstance = 100
	maxKey      = 500
)

// Driver implements channel.Driver.
type Driver struct{ client *httpcall.Client }

// New returns a driver that calls through client.
func New(client *httpcall.Client) *Driver { return &Driver{client} }

// Name implements channel.Driver.
func (*Driver) Name() string { return "evolution" }

// Parameters implements channel.Driver.
func (*Driver) Parameters() []channel.Parameter {
	return []channel.Parameter{
		{Name: channel.ParamBaseURL, Kind: channel.KindURL, Required: true, Max: maxURL},
		{Name: channel.ParamInstance, Kind: channel.KindName, Required: true, Max: maxInstance},
		{Name: channel.ParamAPIKey, Kind: channel.KindText, Secret: true, Required: true, Max: maxKey},
		{Name: channel.ParamWebhookSecret, Kind: channel.KindText, Secret: true, Generated: true, Min: channel.MinWebhookSecret, Max: maxKey},
	}
}

// call is a request to the gateway. verb is such as message/sendText; the instance follows it unless it is about none.
func (d *Driver) call(c channel.Channel, method string, body any, path ...string) httpcall.Call {
	return httpcall.Call{
		Method: method, Base: c.Get(channel.ParamBaseURL), Path: path,
		Header: map[string]string{"Apikey": c.Get(channel.ParamAPIKey)}, Body: body,
	}
}
