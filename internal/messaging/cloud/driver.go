package cloud

import (
	"context"
	"net/http"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// Names of the parameters.
const (
	ParamPhoneNumberID = "phone_number_id" // public: Meta's id of the sending number
	ParamAccessToken   = "access_token"    // secret: of a system user, with whatsapp_business_messaging
	ParamAppSecret     = "app_secret"      // secret: signs webhooks
	ParamVerifyToken   = "verify_token"    // secret: typed here and at the app's webhook
	ParamAPIVersion    = "api_version"     // public
)

// Defaults and bounds of parameters.
const (
	defaultBase    = "https://graph.facebook.com"
	defaultVersion = "v23.0"
	maxURL         = 500
	maxID          = 32
	maxVersion     = 10
	minToken       = 16
	minVerify      = 8
	maxSecret      = 1_000
)

// Driver implements channel.Driver.
type Driver struct{ client *httpcall.Client }

// New returns a driver that calls through client.
func New(client *httpcall.Client) *Driver { return &Driver{client} }

// Name implements channel.Driver.
func (*Driver) Name() string { return "cloud" }

func base() channel.Parameter {
	return channel.Parameter{Name: channel.ParamBaseURL, Kind: channel.KindURL, Default: defaultBase, Max: maxURL}
}

func version() channel.Parameter {
	return channel.Parameter{Name: ParamAPIVersion, Kind: channel.KindName, Default: defaultVersion, Min: len("v1.0"), Max: maxVersion}
}

// Parameters implements channel.Driver.
func (*Driver) Parameters() []channel.Parameter {
	return []channel.Parameter{
		{Name: ParamPhoneNumberID, Kind: channel.KindDigits, Required: true, Min: 1, Max: maxID},
		{Name: ParamAccessToken, Kind: channel.KindText, Secret: true, Required: true, Min: minToken, Max: maxSecret},
		{Name: ParamAppSecret, Kind: channel.KindText, Secret: true, Required: true, Min: minToken, Max: maxSecret},
		{Name: ParamVerifyToken, Kind: channel.KindText, Secret: true, Required: true, Min: minVerify, Max: maxSecret},
		version(), base(),
	}
}

// Send implements channel.Driver.
func (d *Driver) Send(ctx context.Context, c channel.Channel, m channel.Message) (channel.Receipt, error) {
	answer, err := d.do(ctx, c, httpcall.Call{Method: http.MethodPost, Body: bodyOf(m)}, "messages")
	if err != nil {
		return channel.Receipt{}, err
	}
	var reply struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if !answer.Read(&reply) || len(reply.Messages) == 0 || !channel.ValidID(reply.Messages[0].ID) {
		return channel.Receipt{}, &channel.Error{Kind: channel.UnknownOutcome, Text: string(channel.NoID)}
	}
	return channel.Receipt{ProviderID: reply.Messages[0].ID}, nil
}

// do makes a call about the number; path follows its id. An answer with an error, whatever its status, is an *Error.
func (d *Driver) do(ctx context.Context, c channel.Channel, call httpcall.Call, path ...string) (httpcall.Answer, error) {
	if err := channel.Usable(d, c); err != nil {
		return httpcall.Answer{}, err
	}
	call.Base = base().Value(c)
	call.Path = append([]string{version().Value(c), c.Get(ParamPhoneNumberID)}, path...)
	call.Header = map[string]string{"Authorization": "Bearer " + c.Get(ParamAccessToken)}
	answer, err := d.client.Do(ctx, c, call)
	if err != nil {
		return httpcall.Answer{}, err
	}
	if failure := failureOf(c, &answer); failure != nil {
		return httpcall.Answer{}, failure
	}
	return answer, nil
}
