package completion

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/platform/clock"
)

// maxRetryAfter bounds what a provider may ask for: quotas of a day are tried again each hour.
const maxRetryAfter = time.Hour

// wireError is the error of a provider. Gemini's is an array with one such object.
type wireError struct {
	Error jsontext.Value `json:"error"`
}

// wireErrorBody is what an error is read for. Its message is not: it may repeat the key.
type wireErrorBody struct {
	Code   jsontext.Value `json:"code"`
	Status jsontext.Value `json:"status"`
	Type   jsontext.Value `json:"type"`
}

// errorIn returns the error object of a body, nil if there is none.
func errorIn(body []byte) jsontext.Value {
	var one wireError
	if json.Unmarshal(body, &one) != nil {
		var several []wireError
		if json.Unmarshal(body, &several) != nil || len(several) == 0 {
			return nil
		}
		one = several[0]
	}
	if k := one.Error.Kind(); len(one.Error) == 0 || k == 'n' || k == 'f' || k == 't' {
		return nil
	}
	return one.Error
}

// refusal is the error of a status with its body.
func refusal(status int, header http.Header, body []byte) *Error {
	e := &Error{Kind: kindOfStatus(status), Status: status, RetryAfter: retryAfter(header)}
	if inside := errorIn(body); inside != nil && e.RetryAfter == 0 {
		e.RetryAfter = retryDelay(inside)
	}
	return e
}

// inner is the error inside a status 200, or nil. Its kind follows from the status that it names; without a status it
// is a server error.
func inner(header http.Header, body []byte) *Error {
	inside := errorIn(body)
	if inside == nil {
		return nil
	}
	e := &Error{Kind: Server, RetryAfter: retryAfter(header)}
	if e.RetryAfter == 0 {
		e.RetryAfter = retryDelay(inside)
	}
	var b wireErrorBody
	if json.Unmarshal(inside, &b) != nil {
		return e
	}
	if status := statusOf(b.Code); status != 0 {
		e.Status, e.Kind = status, kindOfStatus(status)
		return e
	}
	word := strings.ToLower(textOf(b.Code) + " " + textOf(b.Status) + " " + textOf(b.Type))
	switch {
	case strings.Contains(word, "rate_limit"), strings.Contains(word, "quota"), strings.Contains(word, "resource_exhausted"):
		e.Kind = RateLimited
	case strings.Contains(word, "api_key"), strings.Contains(word, "auth"), strings.Contains(word, "permission"):
		e.Kind = Access
	case strings.Contains(word, "invalid_request"), strings.Contains(word, "invalid_argument"):
		e.Kind = Rejected
	}
	return e
}

// statusOf reads a status, a number or a text of one; 0 for anything else.
func statusOf(v jsontext.Value) int {
	n, err := strconv.Atoi(strings.Trim(string(v), `" `))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(v)
}

// retryAfter reads the header: seconds or an instant; 0 without.
func retryAfter(header http.Header) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return bounded(seconds)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now := clock.System{}.Now()
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date // the provider's clock
	}
	return bounded(at.Sub(now).Seconds())
}

var delayForm = regexp.MustCompile(`"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"`)

// retryDelay finds the delay in the details of Gemini's errors.
func retryDelay(v jsontext.Value) time.Duration {
	found := delayForm.FindSubmatch(v)
	if found == nil {
		return 0
	}
	seconds, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return 0
	}
	return bounded(seconds)
}

func bounded(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN, too
		return 0
	}
	return time.Duration(math.Min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
}
