package evolution

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// reply holds the parts of an answer that distinguish success from failure. A success has a key; a failure
// has an error, a number as its status or a nested response, whatever the HTTP status is.
type reply struct {
	Key struct {
		ID string `json:"id"`
	} `json:"key"`
	Status   json.RawMessage `json:"status"`
	Error    json.RawMessage `json:"error"`
	Response struct {
		Message json.RawMessage `json:"message"`
	} `json:"response"`
}

// receipt turns an answer into a receipt or an *Error.
func receipt(c channel.Channel, answer *httpcall.Answer) (channel.Receipt, error) {
	var r reply
	readable := answer.Read(&r)
	if !answer.OK() {
		return channel.Receipt{}, failed(c, answer, answer.Status)
	}
	if readable && channel.ValidID(r.Key.ID) {
		return channel.Receipt{ProviderID: r.Key.ID}, nil
	}
	if code := r.failure(); readable && code != 0 {
		return channel.Receipt{}, failed(c, answer, code)
	}
	return channel.Receipt{}, &channel.Error{Kind: channel.UnknownOutcome, Text: string(channel.NoID)}
}

// failed is the error of an answer that says, in its status or in its body, that it is of the given status.
func failed(c channel.Channel, answer *httpcall.Answer, status int) *channel.Error {
	kind, state := classify(status, answer.Body)
	return &channel.Error{Kind: kind, State: state, Text: answer.Text(c), RetryAfter: answer.RetryAfter()}
}

// failure returns the status that an answer claims in its body: 0 when it claims no failure, 400 when it
// names none.
func (r *reply) failure() int {
	if code, err := strconv.Atoi(string(r.Status)); err == nil && code >= http.StatusBadRequest {
		return code
	}
	if present(r.Error) || present(r.Response.Message) {
		return http.StatusBadRequest
	}
	return 0
}

// present reports whether a field was given and not null.
func present(field json.RawMessage) bool { return len(field) > 0 && string(field) != "null" }

// classify returns what a failure means, and what it says of the account. The gateway answers nearly all failures
// with 400 and no code, so a 400 is classified by its text; an unknown text needs a person, because repeating a
// refused request is useless.
func classify(status int, body []byte) (channel.Kind, channel.State) {
	switch {
	case status == http.StatusBadRequest:
		return classifyText(body)
	case status == http.StatusNotFound: // no such instance
		return channel.ChannelDown, channel.Disconnected
	case status == http.StatusServiceUnavailable && strings.Contains(string(body), "LICENSE_REQUIRED"):
		return channel.ChannelDown, channel.LicenseRequired
	default:
		return httpcall.KindOf(status), ""
	}
}

// classifyText looks for the words of Evolution and of the WhatsApp library below it.
func classifyText(body []byte) (channel.Kind, channel.State) {
	text := strings.ToLower(strings.ReplaceAll(string(body), " ", ""))
	for _, rule := range []struct {
		words string
		kind  channel.Kind
		state channel.State
	}{
		{`"exists":false`, channel.BadRecipient, ""},
		{"timedout", channel.UnknownOutcome, ""}, // WhatsApp did not confirm in time
		{"license_required", channel.ChannelDown, channel.LicenseRequired},
		{"connectionclosed", channel.ChannelDown, channel.Disconnected},
		{"notconnected", channel.ChannelDown, channel.Disconnected},
		{"doesnotexist", channel.ChannelDown, channel.Disconnected}, // the instance
		{"rate-overlimit", channel.RateLimited, ""},
		{"unauthorized", channel.Unauthorised, ""},
	} {
		if strings.Contains(text, rule.words) {
			return rule.kind, rule.state
		}
	}
	return channel.BadContent, ""
}
