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
	name, id, summary, fields := "status", "banco-consulta", "Phase A: the bank asks whether a client may pay", queryFields()
	if phase == bank.PhaseNotification {
		name, id, summary, fields = "abono", "banco-notifica", "Phase B: the bank reports a payment", notificationFields()
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
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: fields}}},
	}
}

// text describes a string field.
func text(description, pattern string, example any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description, Pattern: pattern, Examples: []any{example}}
}

// digits describes a field of digits, which may be a string or a JSON integer.
func digits(description, pattern string, example any) *huma.Schema {
	return &huma.Schema{Description: description, Examples: []any{example}, OneOf: []*huma.Schema{
		{Type: huma.TypeString, Pattern: pattern}, {Type: huma.TypeInteger},
	}}
}

// optionalField describes a field of any type that is used if it can be read.
func optionalField(description string, example any) *huma.Schema {
	return &huma.Schema{Description: description + " Optional: kept, and ignored if it cannot be read.", Examples: []any{example}}
}

func amountField() *huma.Schema {
	return &huma.Schema{
		Description: "A string or a number, above zero.", Examples: []any{"150.00"},
		OneOf: []*huma.Schema{{Type: huma.TypeString, Pattern: `^\d{1,12}(\.\d{1,2})?$`}, {Type: huma.TypeNumber}},
	}
}

func queryFields() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"IdCliente", "Monto", "TelefonoComercio"}, Properties: map[string]*huma.Schema{
		"IdCliente": digits("Identity document of the client, with or without its letter and separators.", `^[VEJGPvejgp]?[-. 0-9]{5,20}$`, "V12345678"), "Monto": amountField(),
		"TelefonoComercio": digits("Our telephone.", "", "04141112233"),
	}}
}

func notificationFields() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"Referencia", "BancoEmisor", "Monto", "CodigoRed"}, Properties: map[string]*huma.Schema{
		"Referencia":  digits("1 to 36 digits; leading zeros of a string count.", `^\d{1,36}$`, "012345678901"),
		"BancoEmisor": digits("Code of the issuing bank.", `^\d{3,4}$`, "0134"),
		"Monto":       amountField(), "CodigoRed": text("00 means approved.", `^[0-9A-Za-z]{1,8}$`, "00"),
		"TelefonoEmisor":   optionalField("Telephone of the payer.", "04141234567"),
		"TelefonoComercio": optionalField("Our telephone.", "04141112233"),
		"IdComercio":       optionalField("Our identity document.", "J401234567"),
		"Concepto":         optionalField("Free text.", "pago"),
		"FechaHora":        optionalField("When it was paid.", "2026-11-20T14:05:09"),
	}}
}
