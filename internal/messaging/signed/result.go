package signed

import (
	"time"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// maxWait bounds a wait that the receiver asks for.
const maxWait = 24 * time.Hour

// errorBody is an error in an answer or in an event.
type errorBody struct {
	Kind       channel.Kind `json:"kind"`
	Message    string       `json:"message"`
	Code       string       `json:"code"`        // the receiver's own
	RetryAfter int          `json:"retry_after"` // seconds
}

// errorOf returns the error; a kind that is not known becomes fallback.
func (e *errorBody) errorOf(c channel.Channel, fallback channel.Kind) *channel.Error {
	failure := &channel.Error{
		Kind: fallback, Text: c.Clean(e.Message), ProviderCode: c.Clean(e.Code),
		RetryAfter: min(time.Duration(min(max(e.RetryAfter, 0), int(maxWait/time.Second)))*time.Second, maxWait),
	}
	switch e.Kind {
	case channel.Retryable, channel.RateLimited, channel.ChannelDown, channel.BadRecipient, channel.BadContent,
		channel.NeedsTemplate, channel.Unauthorised, channel.UnknownOutcome:
		failure.Kind = e.Kind
	}
	return failure
}

// failureOf returns the error of an answer; nil for a success.
func failureOf(c channel.Channel, answer *httpcall.Answer) *channel.Error {
	var body struct {
		Error *errorBody `json:"error"`
	}
	kind := channel.BadContent // of an error inside a 200
	if !answer.OK() {
		kind = httpcall.KindOf(answer.Status)
	}
	if answer.Read(&body) && body.Error != nil {
		failure := body.Error.errorOf(c, kind)
		failure.RetryAfter = max(failure.RetryAfter, answer.RetryAfter())
		return failure
	}
	if answer.OK() {
		return nil
	}
	return &channel.Error{Kind: kind, Text: answer.Text(c), RetryAfter: answer.RetryAfter()}
}

// stateBody is the state of the receiver's account.
type stateBody struct {
	State  channel.State `json:"state"`
	Reason string        `json:"reason"`
	Phone  string        `json:"phone"`
}

// link returns the state; ok is false for one that is not known.
func (s *stateBody) link(c channel.Channel) (link channel.Link, ok bool) {
	link = channel.Link{State: s.State, Reason: c.Clean(s.Reason), Phone: channel.Phone(s.Phone)}
	switch s.State {
	case channel.Open, channel.Disconnected, channel.Connecting, channel.Banned, channel.LicenseRequired, channel.PasskeyRequired:
		return link, true
	default: // a QR code cannot be shown here
		return channel.Link{}, false
	}
}
