package waha

import (
	"crypto/sha512"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"time"

	"banca/internal/messaging/channel"
)

// envelope is what every event is wrapped in.
type envelope struct {
	Timestamp int64  `json:"timestamp"` // milliseconds
	Event     string `json:"event"`
	Session   string `json:"session"`
	Me        *struct {
		ID string `json:"id"`
	} `json:"me"`
	Payload json.RawMessage `json:"payload"`
}

// Challenge implements channel.WebhookReceiver: WAHA asks none.
func (*Driver) Challenge(channel.Channel, url.Values) (string, bool) { return "", false }

// Receive implements channel.WebhookReceiver.
func (*Driver) Receive(c channel.Channel, header http.Header, body []byte, _ time.Time) (channel.Report, error) {
	algorithm := header.Get("X-Webhook-Hmac-Algorithm")
	if algorithm != "" && algorithm != "sha512" || !channel.SignedHex(sha512.New, c.Get(channel.ParamWebhookSecret), header.Get("X-Webhook-Hmac"), body) {
		return channel.Report{}, channel.ErrSignature
	}
	var e envelope
	if len(body) > channel.MaxWebhook || json.Unmarshal(body, &e) != nil || e.Session != session(c) {
		return channel.Report{}, channel.ErrWebhook
	}
	switch e.Event {
	case "message.ack":
		return e.ack()
	case "message":
		return e.inbound()
	case "session.status":
		return e.status()
	default:
		return channel.Report{}, nil
	}
}

func (e *envelope) at() time.Time {
	if e.Timestamp <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.Timestamp).UTC()
}

func (e *envelope) ack() (channel.Report, error) {
	var ack struct {
		ID     string `json:"id"`
		FromMe bool   `json:"fromMe"`
		Ack    int    `json:"ack"`
	}
	if json.Unmarshal(e.Payload, &ack) != nil {
		return channel.Report{}, channel.ErrWebhook
	}
	s := channel.Status{ProviderID: messageID(ack.ID), At: e.at()}
	const failed, server, device, read, played = -1, 1, 2, 3, 4
	switch ack.Ack {
	case failed:
		s.Status = channel.StatusFailed
		s.Error = &channel.Error{Kind: channel.BadRecipient, Text: string(channel.RefusedSilently), ProviderCode: "ERROR"}
	case server:
		s.Status = channel.StatusSent
	case device:
		s.Status = channel.StatusDelivered
	case read, played:
		s.Status = channel.StatusRead
	}
	if s.Status == "" || !channel.ValidID(s.ProviderID) || !ack.FromMe {
		return channel.Report{}, nil
	}
	return channel.Report{Statuses: []channel.Status{s}}, nil
}

func (e *envelope) inbound() (channel.Report, error) {
	var m struct {
		ID        string  `json:"id"`
		Timestamp float64 `json:"timestamp"` // seconds, with a fraction in some engines
		From      string  `json:"from"`
		FromMe    bool    `json:"fromMe"`
		Body      string  `json:"body"`
		// Data is of the engine: where From hides the telephone, NOWEB and GOWS have it here.
		Data struct {
			Key struct {
				RemoteJIDAlt string `json:"remoteJidAlt"`
				SenderPN     string `json:"senderPn"`
			} `json:"key"`
			Info struct {
				SenderAlt string `json:"SenderAlt"`
			} `json:"Info"`
		} `json:"_data"`
	}
	if json.Unmarshal(e.Payload, &m) != nil {
		return channel.Report{}, channel.ErrWebhook
	}
	from := channel.Phone(m.From)
	if channel.Hidden(m.From) {
		from = channel.FirstPhone(m.Data.Key.RemoteJIDAlt, m.Data.Key.SenderPN, m.Data.Info.SenderAlt)
	}
	if m.FromMe || from == "" && !channel.Hidden(m.From) || m.Body == "" || !channel.ValidID(m.ID) {
		return channel.Report{}, nil
	}
	in := channel.Inbound{ID: m.ID, From: from, Text: channel.InboundText(m.Body), At: e.at()}
	if m.Timestamp > 0 && m.Timestamp < math.MaxInt32*2 {
		in.At = time.Unix(int64(m.Timestamp), 0).UTC()
	}
	return channel.Report{Inbound: []channel.Inbound{in}}, nil
}

func (e *envelope) status() (channel.Report, error) {
	var s struct {
		Status string          `json:"status"`
		Data   json.RawMessage `json:"data"`
	}
	if json.Unmarshal(e.Payload, &s) != nil || s.Status == "" {
		return channel.Report{}, channel.ErrWebhook
	}
	link := linkOf(s.Status)
	if e.Me != nil {
		link.Phone = channel.Phone(e.Me.ID)
	}
	var confirmation struct {
		Code string `json:"code"`
	}
	if s.Status == "PASSKEY_CONFIRMATION_REQUIRED" && json.Unmarshal(s.Data, &confirmation) == nil {
		link.Code = channel.Clean(confirmation.Code)
	}
	return channel.Report{Link: &link}, nil
}
