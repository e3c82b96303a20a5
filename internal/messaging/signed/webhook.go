package signed

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// event is one event of a webhook; its type says which fields count.
type event struct {
	Type string    `json:"type"` // status, inbound or state
	At   time.Time `json:"at"`

	MessageID string     `json:"message_id"` // of a status: the id of the message's request
	Status    string     `json:"status"`
	Error     *errorBody `json:"error"`

	ID   string `json:"id"` // of a status: the receiver's; of an inbound text: its own
	From string `json:"from"`
	Text string `json:"text"`

	stateBody
}

// Challenge implements channel.WebhookReceiver: there is none.
func (*Driver) Challenge(channel.Channel, url.Values) (string, bool) { return "", false }

// Receive implements channel.WebhookReceiver.
func (*Driver) Receive(c channel.Channel, header http.Header, body []byte, now time.Time) (channel.Report, error) {
	if err := verify(c.Get(ParamSecret), header, body, now); err != nil {
		return channel.Report{}, err
	}
	var b struct {
		Events []event `json:"events"`
	}
	if len(body) > channel.MaxWebhook || json.Unmarshal(body, &b) != nil || len(b.Events) > channel.MaxStatuses {
		return channel.Report{}, channel.ErrWebhook
	}
	var r channel.Report
	for i := range b.Events {
		if b.Events[i].At.IsZero() {
			b.Events[i].At = now // the signature is recent
		}
		if err := b.Events[i].addTo(&r, c); err != nil {
			return channel.Report{}, err
		}
	}
	return r, nil
}

func (e *event) addTo(r *channel.Report, c channel.Channel) error {
	switch e.Type {
	case "status":
		s, err := e.status(c)
		if err != nil {
			return err
		}
		r.Statuses = append(r.Statuses, s)
	case "inbound":
		from := channel.Phone(e.From)
		if from == "" || !channel.ValidID(e.ID) {
			return channel.ErrWebhook
		}
		r.Inbound = append(
			r.Inbound, channel.Inbound{ID: e.ID, From: from, Text: channel.InboundText(e.Text), At: e.At},
		)
	case "state":
		link, ok := e.link(c)
		if !ok {
			return channel.ErrWebhook
		}
		r.Link = &link
	default: // of a later version
	}
	return nil
}

func (e *event) status(c channel.Channel) (channel.Status, error) {
	s := channel.Status{ProviderID: e.ID, Status: e.Status, At: e.At}
	if e.MessageID != "" {
		id, delivery, ok := channel.ParseKey(e.MessageID)
		if !ok {
			return channel.Status{}, channel.ErrWebhook
		}
		s.MessageID, s.Delivery = id, delivery
	}
	switch e.Status {
	case channel.StatusSent, channel.StatusDelivered, channel.StatusRead:
	case channel.StatusFailed:
		s.Error = &channel.Error{Kind: channel.BadContent, Text: string(channel.NoReason)}
		if e.Error != nil {
			s.Error = e.Error.errorOf(c, channel.BadContent)
		}
	default:
		return channel.Status{}, channel.ErrWebhook
	}
	if s.ProviderID != "" && !channel.ValidID(s.ProviderID) || s.ProviderID == "" && s.MessageID == uuid.Nil {
		return channel.Status{}, channel.ErrWebhook
	}
	return s, nil
}
