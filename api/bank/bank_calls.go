package bank

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/bank"
	"banca/internal/bank/bankfield"
)

// Paths of the bank's calls, below the base path.
const (
	queryPath        = "/BancoConsulta"
	notificationPath = "/BancoNotifica"
)

// registerCalls adds the bank's two calls. They are plain handlers: their order of checks, their answers and their
// refusals are the bank's contract and not the rest of the API's.
func (o *operations) registerCalls() {
	for path, phase := range phases() {
		o.Router.POST(path, func(c *gin.Context) { o.answer(c, phase) })
		o.Huma.OpenAPI().AddOperation(callOperation(path, phase))
	}
}

func phases() map[string]bank.Phase {
	return map[string]bank.Phase{queryPath: bank.PhaseQuery, notificationPath: bank.PhaseNotification}
}

// Calls lists the paths of the bank's calls, below the base path, which have checks and bounds of their own.
func Calls() []string { return slices.Sorted(maps.Keys(phases())) }

// refuseMethod answers a call of the bank's paths with another method than POST, which is the first of their checks.
func (o *operations) refuseMethod(c *gin.Context) bool {
	path, below := strings.CutPrefix(c.Request.URL.Path, o.BasePath)
	phase, known := phases()[path]
	if below && known {
		o.answer(c, phase)
	}
	return below && known
}

func (o *operations) answer(c *gin.Context, phase bank.Phase) {
	r := c.Request
	reply := o.bank.Answer(r.Context(), &bank.Call{
		Phase: phase, Method: r.Method, Encrypted: r.TLS != nil, Peer: r.RemoteAddr,
		ForwardedFor: r.Header.Values("X-Forwarded-For"), ForwardedProto: r.Header.Values("X-Forwarded-Proto"),
		Authorization: r.Header.Values("Authorization"), Body: r.Body, HTTPID: middleware.RequestID(r.Context()),
	})
	if reply.RetryAfter > 0 {
		c.Header("Retry-After", strconv.Itoa(int((reply.RetryAfter+time.Second-1)/time.Second)))
	}
	c.Data(reply.Status, "application/json", reply.Body)
}

// callOperation describes a call of the bank for the document.
func callOperation(path string, phase bank.Phase) *huma.Operation {
	name, id, summary := "status", "banco-consulta", "Phase A: the bank asks whether a client may pay"
	if phase == bank.PhaseNotification {
		name, id, summary = "abono", "banco-notifica", "Phase B: the bank reports a payment"
	}
	answer := func(description string) *huma.Response {
		return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{name}, Properties: map[string]*huma.Schema{name: {Type: huma.TypeBoolean}},
		}}}}
	}
	responses := map[string]*huma.Response{
		"200": answer("The answer of the business, true or false"), "default": answer("Refused; the body says false"),
	}
	for status, why := range map[int]string{
		http.StatusBadRequest: "Not a JSON object, or a field is missing or wrong", http.StatusUnauthorized: "No token, another one, or two",
		http.StatusForbidden: "Not encrypted, or not an address of the bank", http.StatusMethodNotAllowed: "Not POST",
		http.StatusRequestEntityTooLarge: "More than 16 KiB", http.StatusTooManyRequests: "Too many refused calls of this address",
		http.StatusServiceUnavailable: "The database does not answer; nothing was changed, send it again",
	} {
		responses[strconv.Itoa(status)] = answer(why)
	}
	return &huma.Operation{
		OperationID: id, Method: http.MethodPost, Path: path, Tags: []string{"Bank's calls"}, Summary: summary,
		Description: "Only for the bank: its addresses, TLS, and its bare token in Authorization (docs/bank.md).",
		Extensions:  map[string]any{kit.RolesField: []string{}}, Responses: responses, Security: []map[string][]string{{kit.BankScheme: {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: callFields(phase)}}},
	}
}

// callFields describes the fields of a call.
func callFields(phase bank.Phase) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}}
	for _, f := range bankfield.All() {
		switch phase.Use(&f) {
		case bankfield.Absent:
		case bankfield.Required:
			schema.Required = append(schema.Required, f.Name)
			schema.Properties[f.Name] = requiredField(&f)
		case bankfield.Optional:
			schema.Properties[f.Name] = &huma.Schema{
				Description: f.Description + " Optional: kept, and ignored if it cannot be read.", Examples: []any{f.Example},
			}
		}
	}
	return schema
}

func requiredField(f *bankfield.Field) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString, Pattern: f.Pattern}
	schema := &huma.Schema{}
	switch f.Kind {
	case bankfield.Text:
		schema = text
	case bankfield.Digits:
		schema.OneOf = []*huma.Schema{text, {Type: huma.TypeInteger}}
	case bankfield.Number:
		schema.OneOf = []*huma.Schema{text, {Type: huma.TypeNumber}}
	}
	schema.Description, schema.Examples = f.Description, []any{f.Example}
	return schema
}
