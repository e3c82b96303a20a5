package kit

import (
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/platform/telemetry"
)

// Bounds of the parts of a request that a validation error repeats: names of fields, which a client may invent.
const (
	maxDetails  = 50
	MaxLocation = 120
)

// hookErrors makes huma's own errors problems. The hook and its settings are global variables of the library, so they
// are set once.
//
//nolint:gochecknoglobals // see above
var hookErrors = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true  // as the decoding is
	huma.DefaultArrayNullable = false // the encoding writes a nil slice as []
	huma.NewErrorWithContext = func(ctx huma.Context, status int, _ string, errs ...error) huma.StatusError {
		c := ctx.Context()
		p := problemOf(status, errs).At(middleware.Path(c), middleware.RequestID(c)).In(middleware.Language(c))
		telemetry.Problems.Add(1, p.Code)
		return p
	}
	huma.NewError = func(status int, _ string, errs ...error) huma.StatusError { return problemOf(status, errs) }
})

func problemType() reflect.Type { return reflect.TypeFor[problem.Problem]() }

// problemOf describes a request that huma refused. Its own texts are not used where they could hold a
// submitted value or a Go name.
func problemOf(status int, errs []error) *problem.Problem {
	switch status {
	case http.StatusUnprocessableEntity:
		p := problem.New(status, "VALIDATION_FAILED", "fields of the request are missing or invalid")
		p.Errors = detailsOf(errs)
		return p
	case http.StatusBadRequest:
		if p := refusedText(errs); p != nil {
			return p
		}
		return problem.New(status, "MALFORMED_BODY", malformed(errs))
	case http.StatusRequestEntityTooLarge:
		return problem.New(status, "BODY_TOO_LARGE", "the body is too large")
	case http.StatusUnsupportedMediaType:
		return problem.New(status, "UNSUPPORTED_MEDIA_TYPE", "send application/json")
	case http.StatusRequestTimeout:
		return problem.New(status, "BODY_TIMEOUT", "the body took too long to arrive")
	case http.StatusInternalServerError: // the only one of huma itself: the body was cut off
		return problem.New(http.StatusBadRequest, "MALFORMED_BODY", "the body could not be read")
	default:
		return problem.New(status, "REFUSED", "")
	}
}

// refusedText describes a body with a text that cannot be stored; nil for any other.
func refusedText(errs []error) *problem.Problem {
	for _, err := range errs {
		if d, ok := err.(*huma.ErrorDetail); ok { //nolint:errorlint // huma wraps nothing
			if p := nulProblem(d.Message); p != nil {
				return p
			}
		}
	}
	return nil
}

// malformed describes the error of a whole body.
func malformed(errs []error) string {
	for _, err := range errs {
		if d, ok := err.(*huma.ErrorDetail); ok && d.Message == ErrDuplicateKey.Error() { //nolint:errorlint // huma wraps nothing
			return d.Message
		}
	}
	return "the body is missing or is not JSON"
}

func detailsOf(errs []error) []problem.Detail {
	details := make([]problem.Detail, 0, min(len(errs), maxDetails))
	for _, err := range errs[:min(len(errs), maxDetails)] {
		location, message := "", "is not valid"
		if d, ok := err.(huma.ErrorDetailer); ok {
			location = d.ErrorDetail().Location
			message = safeMessage(d.ErrorDetail().Message)
		}
		location = strings.TrimPrefix(location, "body.")
		location = strings.ToValidUTF8(location[:min(len(location), MaxLocation)], "")
		details = append(details, problem.Detail{Location: location, Message: message})
	}
	return details
}

// safeMessage returns the messages that huma makes from the schema alone. Of those that end in the cause of a failed
// parse, which quotes the input, it returns the part before the cause.
func safeMessage(message string) string {
	for _, parsed := range []string{"expected string to be RFC 5322", "expected string to be RFC 3986", "expected string to be RFC 4122", "expected string to be regex", "expected duration"} {
		if strings.HasPrefix(message, parsed) {
			message, _, _ = strings.Cut(message, ":")
			return message
		}
	}
	for _, fixed := range []string{"expected ", "required ", "unexpected p", "invalid integer", "invalid float", "invalid boolean", "invalid date/time"} {
		if strings.HasPrefix(message, fixed) {
			return message
		}
	}
	return "is not valid"
}
