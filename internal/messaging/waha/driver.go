package waha

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// ParamSession is WAHA's name of the linked account. Its free tier has one, called default.
const ParamSession = "session"

// Bounds of parameters, in characters.
const (
	maxURL     = 500
	maxSession = 54 // WAHA's own
	maxKey     = 500
)

// Driver implements channel.Driver.
type Driver struct{ client *httpcall.Client }

// New returns a driver that calls through client.
func New(client *httpcall.Client) *Driver { return &Driver{client} }

// Name implements channel.Driver.
func (*Driver) Name() string { return "waha" }

func sessionParameter() channel.Parameter {
	return channel.Parameter{Name: ParamSession, Kind: channel.KindName, Default: "default", Min: 1, Max: maxSession}
}

func session(c channel.Channel) string { return sessionParameter().Value(c) }

// Parameters implements channel.Driver.
func (*Driver) Parameters() []channel.Parameter {
	return []channel.Parameter{
		{Name: channel.ParamBaseURL, Kind: channel.KindURL, Required: true, Max: maxURL},
		{Name: channel.ParamAPIKey, Kind: channel.KindText, Secret: true, Required: true, Max: maxKey},
		sessionParameter(),
		{Name: channel.ParamWebhookSecret, Kind: channel.KindText, Secret: true, Generated: true, Min: channel.MinWebhookSecret, Max: maxKey},
	}
}

// The bodies of the two calls.
type (
	textBody struct {
		Session     string `json:"session"`
		ChatID      string `json:"chatId"`
		Text        string `json:"text"`
		LinkPreview bool   `json:"linkPreview"`
	}
	imageBody struct {
		Session string   `json:"session"`
		ChatID  string   `json:"chatId"`
		File    fileBody `json:"file"`
		Caption string   `json:"caption"`
	}
	fileBody struct {
		MimeType string `json:"mimetype"`
		FileName string `json:"filename"`
		URL      string `json:"url"` // WAHA fetches it
	}
)

// Send implements channel.Driver. It asks first whether the number has WhatsApp: engines accept messages to any number.
func (d *Driver) Send(ctx context.Context, c channel.Channel, m channel.Message) (channel.Receipt, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Receipt{}, err
	}
	chat, err := d.chatOf(ctx, c, strings.TrimPrefix(m.Recipient, "+"))
	if err != nil {
		return channel.Receipt{}, err
	}
	text := d.call(c, http.MethodPost, textBody{Session: session(c), ChatID: chat, Text: m.Body}, "sendText")
	call := text
	if m.ImageURL != "" {
		file := fileBody{MimeType: "image/png", FileName: m.ID.String() + ".png", URL: m.ImageURL}
		call = d.call(c, http.MethodPost, imageBody{Session: session(c), ChatID: chat, File: file, Caption: m.Body}, "sendImage")
	}
	answer, err := d.do(ctx, c, call)
	if m.TextAlone && m.ImageURL != "" && err != nil && channel.AsError(err).ProviderCode == codeNoPictures {
		answer, err = d.do(ctx, c, text) // the picture was refused for certain
	}
	if err != nil {
		return channel.Receipt{}, err
	}
	id := receiptID(&answer)
	if !channel.ValidID(id) {
		return channel.Receipt{}, &channel.Error{Kind: channel.UnknownOutcome, Text: string(channel.NoID)}
	}
	return channel.Receipt{ProviderID: id}, nil
}

// chatOf returns the chat of a number. Nothing is sent yet, so no outcome is unknown here.
func (d *Driver) chatOf(ctx context.Context, c channel.Channel, number string) (string, error) {
	call := d.call(c, http.MethodGet, nil, "contacts", "check-exists")
	call.Query = url.Values{"phone": {number}, "session": {session(c)}}
	answer, err := d.do(ctx, c, call)
	if err != nil {
		failure := channel.AsError(err)
		if failure.Kind == channel.UnknownOutcome || failure.Kind == channel.BadContent {
			failure.Kind = channel.Retryable
		}
		return "", failure
	}
	var contact struct {
		Exists *bool  `json:"numberExists"`
		ChatID string `json:"chatId"`
	}
	switch {
	case !answer.Read(&contact) || contact.Exists == nil:
		return "", &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	case !*contact.Exists:
		return "", &channel.Error{Kind: channel.BadRecipient, Text: string(channel.NoWhatsApp)}
	case channel.Phone(contact.ChatID) != "": // it may differ from the number, as in Brazil
		return contact.ChatID, nil
	default:
		return number + "@c.us", nil
	}
}

// call is a request below /api.
func (*Driver) call(c channel.Channel, method string, body any, path ...string) httpcall.Call {
	return httpcall.Call{
		Method: method, Base: c.Get(channel.ParamBaseURL), Path: append([]string{"api"}, path...), Body: body,
		Header: map[string]string{"X-Api-Key": c.Get(channel.ParamAPIKey), "Accept": "application/json"},
	}
}

// do makes a call; an answer that is no success is an *Error.
func (d *Driver) do(ctx context.Context, c channel.Channel, call httpcall.Call) (httpcall.Answer, error) {
	answer, err := d.client.Do(ctx, c, call)
	if err != nil {
		return answer, err
	}
	if failure := failureOf(c, &answer); failure != nil {
		return answer, failure
	}
	return answer, nil
}

// receiptID finds the id in the answers of the engines: a text, an object or in a key.
func receiptID(answer *httpcall.Answer) string {
	var body struct {
		ID  json.RawMessage `json:"id"`
		Key struct {
			ID string `json:"id"`
		} `json:"key"`
	}
	if !answer.Read(&body) {
		return ""
	}
	var text string
	var object struct {
		Serialized string `json:"_serialized"`
	}
	switch {
	case json.Unmarshal(body.ID, &text) == nil && text != "":
		return messageID(text)
	case json.Unmarshal(body.ID, &object) == nil && object.Serialized != "":
		return messageID(object.Serialized)
	default:
		return messageID(body.Key.ID)
	}
}

// messageID returns the part of an id that all engines share: 3EB0 of true_584141234567@c.us_3EB0.
func messageID(id string) string {
	const parts, last = 4, 2
	if split := strings.SplitN(id, "_", parts); len(split) > last {
		return split[last]
	}
	return id
}
