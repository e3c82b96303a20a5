package kit

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/platform/apperr"
)

// CodesField is the extension of a response that maps each of its error codes to a description. The list is open: a
// client treats an unknown code by the status.
const CodesField = "x-error-codes"

// Codes maps an error code to its description, by status.
type Codes map[int]map[string]string

// Add adds a code.
func (c Codes) Add(status int, code, meaning string) {
	if c[status] == nil {
		c[status] = map[string]string{}
	}
	c[status][code] = meaning
}

// AddErrors adds the codes of errors.
func (c Codes) AddErrors(errs ...*apperr.Error) {
	for _, err := range errs {
		p := problem.From(err)
		c.Add(p.Status, p.Code, err.Message)
	}
}

// describeFailures writes the statuses and codes of an operation's errors into its responses.
func (r *Registry) describeFailures(op *huma.Operation, access Access, errs []*apperr.Error) {
	c := Codes{}
	c.Add(http.StatusInternalServerError, "INTERNAL", "an error of the server, which is logged under request_id")
	if access.health {
		c.Add(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this path does not take this method")
		r.AddProblems(op, c)
		return
	}
	c.AddErrors(middleware.ErrRateLimited)
	c.Add(http.StatusServiceUnavailable, "STORE_UNAVAILABLE", "a database does not answer; repeat the request")
	c.Add(http.StatusServiceUnavailable, "BUSY", "too many changes at once; repeat the request")
	c.Add(http.StatusUnprocessableEntity, "VALIDATION_FAILED", "fields of the request are missing or invalid; see errors")
	if op.Method != http.MethodGet {
		c.Add(http.StatusBadRequest, "MALFORMED_BODY", "the body is missing, is not JSON, or has a key twice")
		c.Add(http.StatusRequestTimeout, "BODY_TIMEOUT", "the body took too long to arrive")
		c.Add(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE", "the body is too large")
		c.Add(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "the content type is not one of the operation's")
	}
	if !access.public {
		c.AddErrors(auth.ErrUnauthenticated, auth.ErrTokenExpired)
	}
	if access.permission != "" || access.operator {
		c.AddErrors(auth.ErrForbidden)
	}
	if access.sensitive {
		c.AddErrors(auth.ErrConfirmationRequired)
	}
	if access.sensitive && !access.password {
		c.AddErrors(devices.ErrDeviceKey)
	}
	c.AddErrors(errs...)
	r.AddProblems(op, c)
}

// AddProblems adds a response for each status. Lists that operations have in common are components.
func (r *Registry) AddProblems(op *huma.Operation, c Codes) {
	for status, meanings := range c {
		key := strconv.Itoa(status)
		own := op.Responses[key]
		if own != nil && !onlyPage(own) { // described by the operation itself
			continue
		}
		names := slices.Sorted(maps.Keys(meanings))
		if status == http.StatusTooManyRequests && len(names) == 1 && own == nil {
			op.Responses[key] = r.limitedResponse()
			continue
		}
		response := r.ProblemResponse(describeCodes(names, meanings))
		response.Extensions = map[string]any{CodesField: meanings}
		if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			response.Headers = map[string]*huma.Param{"Retry-After": {
				Description: "seconds after which the request may be repeated", Schema: &huma.Schema{Type: huma.TypeInteger},
			}}
		}
		if own != nil { // a page for a browser, a problem otherwise
			maps.Copy(response.Content, own.Content)
			op.Responses[key] = response
			continue
		}
		op.Responses[key] = r.shared(strings.Join(names, "."), response)
	}
}

// onlyPage reports whether a described answer is nothing but a page.
func onlyPage(r *huma.Response) bool { return len(r.Content) == 1 && r.Content[HTMLType] != nil }

// maxShared bounds the name of a response among the components.
const maxShared = 64

// shared puts a response among the components and returns a reference to it.
func (r *Registry) shared(name string, response *huma.Response) *huma.Response {
	components := r.Huma.OpenAPI().Components
	known := components.Responses[name]
	if len(name) > maxShared || known != nil && known.Description != response.Description {
		return response
	}
	if components.Responses == nil {
		components.Responses = map[string]*huma.Response{}
	}
	components.Responses[name] = response
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// describeCodes is the list of codes as text.
func describeCodes(names []string, meanings map[string]string) string {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = "- `" + name + "`: " + meanings[name]
	}
	return strings.Join(lines, "\n")
}

// limitedName is the name of the answer to a client that has used up its limit, among the document's components.
const limitedName = "RateLimited"

// limitedResponse refers to the description of the answer to a client that has used up its limit, and makes it once.
func (r *Registry) limitedResponse() *huma.Response {
	components := r.Huma.OpenAPI().Components
	if components.Responses == nil {
		components.Responses = map[string]*huma.Response{}
	}
	if components.Responses[limitedName] == nil {
		response := r.ProblemResponse("The client has used up its limit of requests: RATE_LIMITED")
		number := func(description string) *huma.Param {
			return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}}
		}
		response.Extensions = map[string]any{CodesField: map[string]string{middleware.ErrRateLimited.Code: middleware.ErrRateLimited.Message}}
		names := middleware.RateHeaders()
		response.Headers = map[string]*huma.Param{
			names[0]: number("requests a client may make at once; in every answer"), names[1]: number("requests left; in every answer"),
			names[2]:      number("seconds until all are left again; in every answer"),
			"Retry-After": number("seconds until the next request is answered"),
		}
		components.Responses[limitedName] = response
	}
	return &huma.Response{Ref: "#/components/responses/" + limitedName}
}
