package messaging

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// evolutionReply holds the parts of an answer that distinguish success from failure. A success has a key; a failure
// has an error, a number as its status or a nested response, whatever the HTTP status is.
type evolutionReply struct {
	Key struct {
		ID string `json:"id"`
	} `json:"key"`
	Status   json.RawMessage `json:"status"`
	Error    json.RawMessage `json:"error"`
	Response struct {
		Message json.RawMessage `json:"message"`
	} `json:"response"`
}

// evolutionResult turns an answer into a receipt or an *Error.
func evolutionResult(status int, wait time.Duration, body []byte) (Receipt, error) {
	var reply evolutionReply
	readable := json.Unmarshal(body, &reply) == nil
	if status/100 != 2 {
		return Receipt{}, &Error{Kind: evolutionKind(status, body), Text: evolutionAnswer(status, body), RetryAfter: wait}
	}
	if readable && reply.Key.ID != "" {
		return Receipt{ProviderID: reply.Key.ID}, nil
	}
	if code := reply.failure(); readable && code != 0 {
		return Receipt{}, &Error{Kind: evolutionKind(code, body), Text: evolutionAnswer(status, body), RetryAfter: wait}
	}
	return Receipt{}, &Error{Kind: UnknownOutcome, Text: "accepted without an id"}
}

// failure returns the status that an answer claims in its body: 0 when it claims no failure, 400 when it
// names none.
func (r *evolutionReply) failure() int {
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

// evolutionKind classifies a failure. The gateway answers nearly all failures with 400 and no code, so a 400 is
// classified by its text; an unknown text needs a person, because repeating a refused request is useless.
func evolutionKind(status int, body []byte) ErrorKind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Unauthorised
	case http.StatusNotFound: // no such instance
		return ChannelDown
	case http.StatusTooManyRequests:
		return RateLimited
	case http.StatusRequestTimeout:
		return Retryable // the request did not arrive in full
	case http.StatusServiceUnavailable:
		if strings.Contains(string(body), "LICENSE_REQUIRED") {
			return ChannelDown
		}
		return Retryable
	case http.StatusBadRequest:
		return evolutionKindByText(body)
	}
	switch {
	case status >= http.StatusInternalServerError:
		return UnknownOutcome // it failed somewhere, perhaps after the message was sent
	case status >= http.StatusBadRequest:
		return BadContent
	default:
		return ChannelDown // a redirect: the address is not the gateway's
	}
}

// evolutionKindByText looks for the words of Evolution and of the WhatsApp library below it.
func evolutionKindByText(body []byte) ErrorKind {
	text := strings.ToLower(strings.ReplaceAll(string(body), " ", ""))
	for _, rule := range []struct {
		words string
		kind  ErrorKind
	}{
		{`"exists":false`, BadRecipient},
		{"timedout", UnknownOutcome}, // WhatsApp did not confirm in time
		{"license_required", ChannelDown},
		{"connectionclosed", ChannelDown},
		{"notconnected", ChannelDown},
		{"doesnotexist", ChannelDown}, // the instance
		{"rate-overlimit", RateLimited},
		{"unauthorized", Unauthorised},
	} {
		if strings.Contains(text, rule.words) {
			return rule.kind
		}
	}
	return BadContent
}

// evolutionAnswer returns the stored form of an answer.
func evolutionAnswer(status int, body []byte) string {
	return clean("HTTP " + strconv.Itoa(status) + ": " + strings.TrimSpace(string(body)))
}
