package waha

import (
	"encoding/json"
	"net/http"
	"strings"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// failureOf returns the error of an answer; nil for a success.
func failureOf(c channel.Channel, answer *httpcall.Answer) *channel.Error {
	failure := &channel.Error{Text: answer.Text(c), RetryAfter: answer.RetryAfter()}
	var body struct {
		Error  json.RawMessage `json:"error"`
		Status json.RawMessage `json:"status"` // of the session, where that is the reason
	}
	readable := answer.Read(&body)
	var state string
	if readable && json.Unmarshal(body.Status, &state) == nil && answer.Status == http.StatusUnprocessableEntity {
		failure.Kind, failure.State = channel.ChannelDown, stateOf(state)
		return failure
	}
	if answer.OK() {
		if !readable || len(body.Error) == 0 || string(body.Error) == "null" {
			return nil
		}
		failure.Kind, failure.State = classify(http.StatusBadRequest, answer.Body)
		return failure
	}
	failure.Kind, failure.State = classify(answer.Status, answer.Body)
	if noPictures(answer.Body) {
		failure.ProviderCode = codeNoPictures
	}
	return failure
}

// codeNoPictures is the code of a refusal of the free tier.
const codeNoPictures = "PLUS"

func noPictures(body []byte) bool {
	return strings.Contains(strings.ToLower(string(body)), "available only in plus")
}

// classify returns what a failure means. 422 has many reasons: the text tells them apart.
func classify(status int, body []byte) (channel.Kind, channel.State) {
	text := strings.ToLower(string(body))
	switch {
	case status == http.StatusNotFound, strings.Contains(text, "does not exist") && strings.Contains(text, "session"):
		return channel.ChannelDown, channel.Disconnected
	case noPictures(body):
		return channel.BadContent, "" // pictures in the free tier; the text says so
	case strings.Contains(text, "session status is not as expected"):
		return channel.ChannelDown, channel.Disconnected
	case strings.Contains(text, "no lid for user"):
		return channel.BadRecipient, ""
	case strings.Contains(text, "rate-overlimit"):
		return channel.RateLimited, ""
	default:
		return httpcall.KindOf(status), ""
	}
}

// stateOf translates the states of a session.
func stateOf(status string) channel.State {
	switch status {
	case "WORKING":
		return channel.Open
	case "STARTING":
		return channel.Connecting
	case "SCAN_QR_CODE":
		return channel.ShowsQR
	case "PASSKEY_REQUIRED", "PASSKEY_CONFIRMATION_REQUIRED":
		return channel.PasskeyRequired
	default: // STOPPED, FAILED
		return channel.Disconnected
	}
}
