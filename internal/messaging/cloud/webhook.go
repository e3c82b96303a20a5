package cloud

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"banca/internal/messaging/channel"
)

// maxChallenge bounds the text that is sent back.
const maxChallenge = 100

// Challenge implements channel.WebhookReceiver. Meta's challenge is a number; nothing else is reflected.
func (*Driver) Challenge(c channel.Channel, query url.Values) (string, bool) {
	challenge := query.Get("hub.challenge")
	ok := query.Get("hub.mode") == "subscribe" && channel.SameSecret(query.Get("hub.verify_token"), c.Get(ParamVerifyToken)) &&
		challenge != "" && len(challenge) <= maxChallenge && digits(challenge) == challenge
	if !ok {
		return "", false
	}
	return challenge, true
}

type (
	notification struct {
		Entry []struct {
			Changes []struct {
				Field string `json:"field"`
				Value change `json:"value"`
			} `json:"changes"`
		} `json:"entry"`
	}
	change struct {
		Metadata struct {
			PhoneNumberID string `json:"phone_number_id"`
		} `json:"metadata"`
		Statuses []status  `json:"statuses"`
		Messages []message `json:"messages"`
	}
	status struct {
		ID           string       `json:"id"`
		Status       string       `json:"status"`
		Timestamp    string       `json:"timestamp"`
		CallbackData string       `json:"biz_opaque_callback_data"`
		Errors       []graphError `json:"errors"`
	}
	message struct {
		From      string `json:"from"`
		ID        string `json:"id"`
		Timestamp string `json:"timestamp"`
		Text      struct {
			Body string `json:"body"`
		} `json:"text"`
		Button struct {
			Text string `json:"text"`
		} `json:"button"`
	}
)

// Receive implements channel.WebhookReceiver. An app has one webhook for all its numbers and accounts: events of other
// numbers, and of accounts, are left out. State and the codes of failures tell of a ban.
func (*Driver) Receive(c channel.Channel, header http.Header, body []byte, _ time.Time) (channel.Report, error) {
	signature, ok := strings.CutPrefix(header.Get("X-Hub-Signature-256"), "sha256=")
	if !ok || !channel.SignedHex(sha256.New, c.Get(ParamAppSecret), signature, body) {
		return channel.Report{}, channel.ErrSignature
	}
	var n notification
	if len(body) > channel.MaxWebhook || json.Unmarshal(body, &n) != nil {
		return channel.Report{}, channel.ErrWebhook
	}
	var r channel.Report
	for _, entry := range n.Entry {
		for i := range entry.Changes {
			v := &entry.Changes[i].Value
			if entry.Changes[i].Field == "messages" && v.Metadata.PhoneNumberID == c.Get(ParamPhoneNumberID) {
				addChange(c, &r, v)
			}
		}
	}
	return r, nil
}

func addChange(c channel.Channel, r *channel.Report, v *change) {
	for i := range v.Statuses {
		if s, ok := v.Statuses[i].report(c); ok && len(r.Statuses) < channel.MaxStatuses {
			r.Statuses = append(r.Statuses, s)
		}
	}
	for _, m := range v.Messages {
		text, from := m.Text.Body+m.Button.Text, channel.Phone(m.From)
		if text != "" && from != "" && channel.ValidID(m.ID) && len(r.Inbound) < channel.MaxStatuses {
			r.Inbound = append(r.Inbound, channel.Inbound{ID: m.ID, From: from, Text: channel.InboundText(text), At: instant(m.Timestamp)})
		}
	}
}

func (s *status) report(c channel.Channel) (channel.Status, bool) {
	out := channel.Status{ProviderID: s.ID, At: instant(s.Timestamp)}
	if id, delivery, ok := channel.ParseKey(s.CallbackData); ok {
		out.MessageID, out.Delivery = id, delivery
	}
	switch s.Status {
	case "sent":
		out.Status = channel.StatusSent
	case "delivered":
		out.Status = channel.StatusDelivered
	case "read", "played":
		out.Status = channel.StatusRead
	case "failed":
		out.Status = channel.StatusFailed
		out.Error = &channel.Error{Kind: channel.BadContent, Text: string(channel.NoReason)}
		if len(s.Errors) > 0 && s.Errors[0].Code != nil {
			out.Error = s.Errors[0].errorOf(c, 0)
		}
	default:
		return channel.Status{}, false
	}
	return out, channel.ValidID(s.ID)
}

// instant reads seconds since 1970; zero for anything else.
func instant(text string) time.Time {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
