package evolution

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"banca/internal/messaging/channel"
)

// envelope is what every event is wrapped in. Its date_time is the gateway's local time with a Z, so it is not used.
type envelope struct {
	Event    string          `json:"event"`
	Instance string          `json:"instance"`
	Data     json.RawMessage `json:"data"`
}

// Challenge implements channel.WebhookReceiver: the gateway asks none.
func (*Driver) Challenge(channel.Channel, url.Values) (string, bool) { return "", false }

// Receive implements channel.WebhookReceiver. The gateway signs nothing: the secret header proves the sender.
func (*Driver) Receive(c channel.Channel, header http.Header, body []byte, _ time.Time) (channel.Report, error) {
	if !channel.SameSecret(header.Get(SecretHeader), c.Get(channel.ParamWebhookSecret)) {
		return channel.Report{}, channel.ErrSignature
	}
	var e envelope
	if len(body) > channel.MaxWebhook || json.Unmarshal(body, &e) != nil || e.Instance != c.Get(channel.ParamInstance) {
		return channel.Report{}, channel.ErrWebhook
	}
	switch strings.ReplaceAll(strings.ToLower(e.Event), "_", ".") {
	case "messages.update":
		return statuses(e.Data)
	case "messages.upsert":
		return inbound(e.Data)
	case "connection.update":
		return connection(c, e.Data)
	case "qrcode.updated":
		return qrUpdated(e.Data)
	default:
		return channel.Report{}, nil
	}
}

// each parses data, which is one object or a list of them, by version.
func each[T any](data json.RawMessage) ([]T, error) {
	var many []T
	if json.Unmarshal(data, &many) == nil {
		return many[:min(len(many), channel.MaxStatuses)], nil
	}
	var single T
	if json.Unmarshal(data, &single) != nil {
		return nil, channel.ErrWebhook
	}
	return []T{single}, nil
}

func statuses(data json.RawMessage) (r channel.Report, err error) {
	updates, err := each[struct {
		KeyID  string `json:"keyId"`
		FromMe bool   `json:"fromMe"`
		Status string `json:"status"`
	}](data)
	for _, u := range updates {
		s := channel.Status{ProviderID: u.KeyID}
		switch u.Status {
		case "SERVER_ACK":
			s.Status = channel.StatusSent
		case "DELIVERY_ACK":
			s.Status = channel.StatusDelivered
		case "READ", "PLAYED":
			s.Status = channel.StatusRead
		case "ERROR":
			s.Status = channel.StatusFailed
			s.Error = &channel.Error{Kind: channel.BadRecipient, Text: string(channel.RefusedSilently), ProviderCode: u.Status}
		}
		if u.FromMe && channel.ValidID(u.KeyID) && s.Status != "" {
			r.Statuses = append(r.Statuses, s)
		}
	}
	return r, err
}

func inbound(data json.RawMessage) (r channel.Report, err error) {
	messages, err := each[struct {
		Key struct {
			ID           string `json:"id"`
			RemoteJID    string `json:"remoteJid"`
			RemoteJIDAlt string `json:"remoteJidAlt"` // the number, where remoteJid hides it
			SenderPN     string `json:"senderPn"`     // the same in older versions
			FromMe       bool   `json:"fromMe"`
		} `json:"key"`
		Message struct {
			Conversation string `json:"conversation"`
			Extended     struct {
				Text string `json:"text"`
			} `json:"extendedTextMessage"`
		} `json:"message"`
		Timestamp json.Number `json:"messageTimestamp"`
	}](data)
	for i := range messages {
		m := &messages[i]
		text := m.Message.Conversation + m.Message.Extended.Text
		from := channel.FirstPhone(m.Key.RemoteJID, m.Key.RemoteJIDAlt, m.Key.SenderPN)
		if m.Key.FromMe || text == "" || from == "" && !channel.Hidden(m.Key.RemoteJID) || !channel.ValidID(m.Key.ID) {
			continue
		}
		in := channel.Inbound{ID: m.Key.ID, From: from, Text: channel.InboundText(text)}
		if seconds, err := m.Timestamp.Int64(); err == nil && seconds > 0 {
			in.At = time.Unix(seconds, 0).UTC()
		}
		r.Inbound = append(r.Inbound, in)
	}
	return r, err
}

func connection(c channel.Channel, data json.RawMessage) (channel.Report, error) {
	var update struct {
		State  string `json:"state"`
		Reason int    `json:"statusReason"`
		WUID   string `json:"wuid"`
	}
	if json.Unmarshal(data, &update) != nil || update.State == "" {
		return channel.Report{}, channel.ErrWebhook
	}
	var body linkBody
	body.Instance.State = update.State
	link := body.link(data)
	link.Phone = channel.Phone(update.WUID)
	if link.State == channel.Disconnected {
		link.Reason = c.Clean(string(channel.Closed) + ": " + http.StatusText(update.Reason))
		if isBan(update.Reason) {
			link.State = channel.Banned
		}
	}
	return channel.Report{Link: &link}, nil
}

func qrUpdated(data json.RawMessage) (channel.Report, error) {
	var body linkBody
	if json.Unmarshal(data, &body) != nil {
		return channel.Report{}, channel.ErrWebhook
	}
	link := body.link(data)
	if link.State != channel.ShowsQR && link.State != channel.PasskeyRequired { // too many codes were not scanned
		link = channel.Link{State: channel.Disconnected, Reason: string(channel.NotScanned)}
	}
	return channel.Report{Link: &link}, nil
}
