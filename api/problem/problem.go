// Package problem writes errors the way RFC 9457 describes, in one shape for every route. Nothing of an
// error's cause and no submitted value gets into it.
package problem

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"banca/internal/platform/apperr"
	"banca/internal/platform/telemetry"
)

const (
	// ContentType of every error.
	ContentType = "application/problem+json"

	// RequestIDHeader carries the id of a request, in and out.
	RequestIDHeader = "X-Request-Id"

	// StatusRiskLimit is the specification's own status for a sale that a limit refuses.
	StatusRiskLimit = 433

	// retryUnavailable is the Retry-After of a 503 whose error names none.
	retryUnavailable = time.Second
)

// Problem is the body of every error.
type Problem struct { //nolint:errname // RFC 9457 calls it so
	Type      string   `json:"type" doc:"always about:blank; code tells what happened" example:"about:blank"`
	Title     string   `json:"title" doc:"the status in words" example:"Unprocessable Entity"`
	Status    int      `json:"status" example:"422"`
	Detail    string   `json:"detail,omitempty" doc:"what happened and what to do, for people, in the language of Accept-Language"`
	Instance  string   `json:"instance,omitempty" doc:"path of the request" example:"/sales/tickets"`
	Code      string   `json:"code" doc:"stable name of the error, for programs" example:"VALIDATION_FAILED"`
	RequestID string   `json:"request_id,omitempty" doc:"names the request in the logs"`
	Errors    []Detail `json:"errors,omitempty" nullable:"false" doc:"the parts of the request that were refused"`

	retryAfter time.Duration
	language   string // of Detail and the messages; "" until In
}

// Detail names one refused part. The four fields of limits are present for RISK_LIMIT_EXCEEDED; Available also for
// PAYMENTS_DIFFER.
type Detail struct {
	Location  string `json:"location" doc:"path in the body such as items[0].amount; query., path. or header. before the name of a parameter; the line of a file such as line 3" example:"items[0].amount"`
	Code      string `json:"code,omitempty" doc:"stable name of the error for programs; in the lines of a ticket" example:"UNKNOWN_SELECTION"`
	Message   string `json:"message,omitempty" doc:"cause and remedy for people"`
	Level     string `json:"level,omitempty" doc:"type of the entity whose limit it is" example:"AGENCY"`
	Limit     string `json:"limit,omitempty" example:"1000.00"`
	Sold      string `json:"sold,omitempty" example:"990.00"`
	Available string `json:"available,omitempty" doc:"what is left; of PAYMENTS_DIFFER, the total of the part that accept_partial would sell" example:"10.00"`

	args map[string]string // of the text of Code
}

// From describes an error; a *Problem is its own description, and an error that is not an *apperr.Error is internal
// and reveals nothing.
func From(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	e := apperr.From(err)
	p := New(StatusOf(e.Kind), apperr.Code(e.Code), e.Message)
	p.retryAfter = e.RetryAfter
	if p.Status == http.StatusServiceUnavailable && p.retryAfter == 0 {
		p.retryAfter = retryUnavailable
	}
	if p.Status == http.StatusInternalServerError {
		p.Detail = ""
	}
	for _, d := range e.Details {
		d.Location = strings.TrimPrefix(d.Location, "body.") // a path without query., path. or header. is of the body
		p.Errors = append(p.Errors, Detail{
			Location: d.Location, Code: d.Code, Message: string(d.Message), args: d.Args,
			Level: d.Level, Limit: d.Limit, Sold: d.Sold, Available: d.Available,
		})
	}
	return p
}

// New returns a problem that did not begin as an error.
func New(status int, code apperr.Code, detail string) *Problem {
	return &Problem{Type: "about:blank", Title: titleOf(status), Status: status, Code: string(code), Detail: detail}
}

// At adds the path and id of the request.
func (p *Problem) At(path, requestID string) *Problem {
	p.Instance, p.RequestID = path, requestID
	return p
}

// Write sends the problem. The request's id is taken from the answer's header.
func (p *Problem) Write(w http.ResponseWriter, r *http.Request) {
	_ = p.In(Language(r.Header.Get("Accept-Language")))
	p.Instance, p.RequestID = r.URL.Path, w.Header().Get(RequestIDHeader)
	telemetry.Problems.Add(1, p.Code)
	body, err := json.Marshal(p)
	if err != nil {
		body = nil // cannot be: strings and numbers
	}
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", ContentType)
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // an error means that the client is gone
	}
}

// Error implements error.
func (p *Problem) Error() string { return p.Code }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return ContentType }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.language != "" {
		h.Set("Content-Language", p.language)
		h.Set("Vary", "Accept-Language")
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.retryAfter > 0 {
		seconds := int64((p.retryAfter + time.Second - 1) / time.Second)
		h.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	return h
}

func titleOf(status int) string {
	if status == StatusRiskLimit {
		return "Risk Limit Exceeded"
	}
	return http.StatusText(status)
}

// StatusOf returns the status of an answer with an error of a kind.
func StatusOf(kind apperr.Kind) int {
	switch kind {
	case apperr.Malformed:
		return http.StatusBadRequest
	case apperr.Unauthenticated:
		return http.StatusUnauthorized
	case apperr.Forbidden:
		return http.StatusForbidden
	case apperr.NotFound:
		return http.StatusNotFound
	case apperr.Conflict:
		return http.StatusConflict
	case apperr.TooLarge:
		return http.StatusRequestEntityTooLarge
	case apperr.Invalid:
		return http.StatusUnprocessableEntity
	case apperr.RateLimited:
		return http.StatusTooManyRequests
	case apperr.RiskLimit:
		return StatusRiskLimit
	case apperr.Unavailable:
		return http.StatusServiceUnavailable
	case apperr.Internal:
		return http.StatusInternalServerError
	default:
		return http.StatusInternalServerError
	}
}
