package httpcall

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"banca/internal/messaging/channel"
)

// maxRetryAfter bounds a wait that a provider asks for.
const maxRetryAfter = 24 * time.Hour

// OK reports a status of success.
func (a *Answer) OK() bool { return a.Status/100 == 2 }

// Read parses the body and reports whether it was JSON of target's form.
func (a *Answer) Read(target any) bool { return !a.Cut && json.Unmarshal(a.Body, target) == nil }

// RetryAfter reads the header's form in seconds; providers do not send the other, a date.
func (a *Answer) RetryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
}

// Text is the stored form of an answer, without the secrets of ch.
func (a *Answer) Text(ch channel.Channel) string {
	return ch.Clean("HTTP " + strconv.Itoa(a.Status) + ": " + strings.TrimSpace(string(a.Body)))
}

// KindOf is what a status means for a message where the provider's body says nothing more: 5xx may be an answer of something
// before the provider that gave up waiting for it, so its outcome is unknown.
func KindOf(status int) channel.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return channel.Unauthorised
	case status == http.StatusNotFound:
		return channel.ChannelDown // no such account
	case status == http.StatusTooManyRequests:
		return channel.RateLimited
	case status == http.StatusRequestTimeout, status == http.StatusServiceUnavailable:
		return channel.Retryable // the request did not arrive, or was not taken
	case status >= http.StatusInternalServerError:
		return channel.UnknownOutcome
	case status >= http.StatusBadRequest:
		return channel.BadContent
	default:
		return channel.ChannelDown // a redirect: the address is not the provider's
	}
}
