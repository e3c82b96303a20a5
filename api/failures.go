package api

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/devices"
)

// codesField is the extension of a response that maps each code it may carry to what it means. The list is open: a
// client treats a code that it does not know by the status.
const codesField = "x-error-codes"

// codes maps a code of an error to what it means, by status.
type codes map[int]map[string]string

func (c codes) add(status int, code, meaning string) {
	if c[status] == nil {
		c[status] = map[string]string{}
	}
	c[status][code] = meaning
}

func (c codes) addErrors(errs ...*apperr.Error) {
	for _, err := range errs {
		p := problem.From(err)
		c.add(p.Status, p.Code, err.Message)
	}
}

// failures lists the errors of the operations by domain, beside those of every operation.
func failures() []map[string][]*apperr.Error {
	return []map[string][]*apperr.Error{
		usersFailures(), activityFailures(), orgFailures(), devicesFailures(), catalogFailures(), salesFailures(), drawsFailures(), riskFailures(), prizesFailures(), bankFailures(),
	}
}

// describeFailures writes the statuses and codes of an operation's errors into its responses.
func (a *API) describeFailures(op *huma.Operation, access Access) {
	c := codes{}
	c.add(http.StatusInternalServerError, "INTERNAL", "an error of the server, which is logged under request_id")
	if slices.Contains(healthPaths(), op.Path) {
		a.addProblems(op, c)
		return
	}
	c.addErrors(middleware.ErrRateLimited)
	c.add(http.StatusServiceUnavailable, "STORE_UNAVAILABLE", "a database does not answer; repeat the request")
	c.add(http.StatusServiceUnavailable, "BUSY", "too many changes at once; repeat the request")
	c.add(http.StatusUnprocessableEntity, "VALIDATION_FAILED", "parts of the request are missing or wrong; errors names them")
	if op.Method != http.MethodGet {
		c.add(http.StatusBadRequest, "MALFORMED_BODY", "the body is missing, is not JSON, or has a key twice")
		c.add(http.StatusRequestTimeout, "BODY_TIMEOUT", "the body took too long to arrive")
		c.add(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE", "the body is too large")
		c.add(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "the content type is not one of the operation's")
	}
	if !access.public {
		c.addErrors(auth.ErrUnauthenticated, auth.ErrTokenExpired)
	}
	if access.permission != "" || access.operator {
		c.addErrors(auth.ErrForbidden)
	}
	if access.sensitive {
		c.addErrors(auth.ErrConfirmationRequired)
	}
	if access.sensitive && !access.password {
		c.addErrors(devices.ErrDeviceKey)
	}
	for _, errs := range failures() {
		c.addErrors(errs[op.OperationID]...)
	}
	a.addProblems(op, c)
}

// addProblems adds a response for each status. Lists that operations have in common are components.
func (a *API) addProblems(op *huma.Operation, c codes) {
	for status, meanings := range c {
		key := strconv.Itoa(status)
		own := op.Responses[key]
		if own != nil && !onlyPage(own) { // described by the operation itself
			continue
		}
		names := slices.Sorted(maps.Keys(meanings))
		if status == http.StatusTooManyRequests && len(names) == 1 && own == nil {
			op.Responses[key] = a.limitedResponse()
			continue
		}
		response := a.problemResponse(describeCodes(names, meanings))
		response.Extensions = map[string]any{codesField: meanings}
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
		op.Responses[key] = a.shared(strings.Join(names, "."), response)
	}
}

// onlyPage reports whether a described answer is nothing but a page.
func onlyPage(r *huma.Response) bool { return len(r.Content) == 1 && r.Content[htmlType] != nil }

// maxShared bounds the name of a response among the components.
const maxShared = 64

// shared puts a response among the components and returns a reference to it.
func (a *API) shared(name string, response *huma.Response) *huma.Response {
	components := a.huma.OpenAPI().Components
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
