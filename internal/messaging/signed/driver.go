package signed

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// Names of the parameters.
const (
	ParamURL    = "url"    // public: requests are posted to it
	ParamSecret = "secret" // secret: signs in both directions
)

// Bounds of parameters, in characters.
const (
	maxURL    = 500
	minSecret = 32
	maxSecret = 500
)

// Driver implements channel.Driver.
type Driver struct {
	client *httpcall.Client
	now    func() time.Time
}

// New returns a driver that calls through client and dates its requests by now.
func New(client *httpcall.Client, now func() time.Time) *Driver { return &Driver{client, now} }

// Name implements channel.Driver.
func (*Driver) Name() string { return "http" }

// Parameters implements channel.Driver.
func (*Driver) Parameters() []channel.Parameter {
	return []channel.Parameter{
		{Name: ParamURL, Kind: channel.KindURL, Required: true, Max: maxURL},
		{Name: ParamSecret, Kind: channel.KindText, Secret: true, Required: true, Min: minSecret, Max: maxSecret},
	}
}

// The bodies of requests.
type (
	messageBody struct {
		Type     string        `json:"type"` // message
		ID       string        `json:"id"`   // the same when the message is sent again after an unknown outcome
		To       string        `json:"to"`   // E.164
		Text     string        `json:"text"`
		ImageURL string        `json:"image_url,omitempty"`
		Template *templateBody `json:"template,omitempty"`
	}
	templateBody struct {
		Name     string   `json:"name"`
		Language string   `json:"language"`
		Body     []string `json:"body,omitempty"`
		Button   string   `json:"button,omitempty"`
	}
	pingBody struct {
		Type string `json:"type"` // ping
	}
)

// Send implements channel.Driver.
func (d *Driver) Send(ctx context.Context, c channel.Channel, m channel.Message) (channel.Receipt, error) {
	body := messageBody{Type: "message", ID: m.Key(), To: m.Recipient, Text: m.Body, ImageURL: m.ImageURL}
	if m.Template != nil {
		t := templateBody(*m.Template)
		body.Template = &t
	}
	answer, err := d.post(ctx, c, m.Key(), body)
	if err != nil {
		return channel.Receipt{}, err
	}
	var accepted struct {
		ID string `json:"id"`
	}
	if !answer.Read(&accepted) || !channel.ValidID(accepted.ID) {
		return channel.Receipt{}, &channel.Error{Kind: channel.UnknownOutcome, Text: string(channel.NoID)}
	}
	return channel.Receipt{ProviderID: accepted.ID}, nil
}

// State implements channel.Driver: a ping, which the receiver answers with its state.
func (d *Driver) State(ctx context.Context, c channel.Channel) (channel.Link, error) {
	answer, err := d.post(ctx, c, "ping-"+uuid.NewString(), pingBody{Type: "ping"})
	if err != nil {
		return channel.Link{}, err
	}
	var body stateBody
	if !answer.Read(&body) {
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	link, ok := body.link(c)
	if !ok {
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	return link, nil
}

// post makes a signed request; an answer with an error, or without success, is an *Error.
func (d *Driver) post(ctx context.Context, c channel.Channel, id string, body any) (httpcall.Answer, error) {
	if err := channel.Usable(d, c); err != nil {
		return httpcall.Answer{}, err
	}
	payload, err := json.Marshal(body)
	if err != nil {
		return httpcall.Answer{}, &channel.Error{Kind: channel.BadContent, Text: c.Clean(fmt.Sprint(err))}
	}
	answer, err := d.client.Do(ctx, c, httpcall.Call{
		Method: http.MethodPost, Base: c.Get(ParamURL), Body: payload, Header: headers(c.Get(ParamSecret), id, payload, d.now()),
	})
	if err != nil {
		return answer, err
	}
	if failure := failureOf(c, &answer); failure != nil {
		return answer, failure
	}
	return answer, nil
}
