package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/kit"
	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

type echoInput struct {
	Number int       `query:"number"`
	At     time.Time `query:"at" format:"date" timeFormat:"2006-01-02"`
	Body   struct {
		Amount kit.DecimalInput `json:"amount"`
		ID     uuid.UUID        `json:"id,omitempty"`
		Word   string           `json:"word,omitempty" maxLength:"5" enum:"one,two"`
		Nested []struct {
			Flag bool `json:"flag"`
		} `json:"nested,omitempty" maxItems:"3"`
	}
}

// oddities are operations that fail in every way.
func oddities(r *kit.Registry) {
	op := func(id string) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodPost, Path: "/test/" + id}
	}
	kit.HandlePublic(r, op("echo"), kit.Public(), func(_ context.Context, in *echoInput) (*kit.Created[string], error) {
		return kit.CreatedOf(string(in.Body.Amount), "/test/echo/1"), nil
	})
	kit.Handle(r, op("limit"), kit.Can(auth.UsersWrite), func(context.Context, caller.Caller, *struct{}) (*struct{}, error) {
		return nil, apperr.New(apperr.RiskLimit, "RISK_LIMIT_EXCEEDED", "a limit does not allow this sale").
			WithDetails(apperr.Detail{Location: "items[0]", Level: "AGENCY", Limit: "10.00", Sold: "9.00", Available: "1.00"})
	})
	kit.HandlePublic(r, op("later"), kit.Public(), func(context.Context, *struct{}) (*struct{}, error) {
		return nil, apperr.New(apperr.Unavailable, "LATER", "not now").WithRetryAfter(3 * time.Second).WithCause(errors.New("redis is away"))
	})
	kit.HandlePublic(r, op("unknown"), kit.Public(), func(context.Context, *struct {
		Q string `query:"q"`
	}) (*struct{}, error) {
		return nil, errors.New("pq: hunter2")
	})
	kit.HandlePublic(r, op("panic"), kit.Public(), func(context.Context, *struct{}) (*struct{}, error) { panic("hunter2") })
}

func TestErrors(t *testing.T) {
	t.Parallel()
	b := setup(t, oddities)
	value := []string{"hunter2"}
	b.run(t, []scenario{
		{name: "no route", path: "/nothing/here", status: 404, code: "NOT_FOUND"},
		{name: "trailing slash", path: "/games/", role: models.RoleAdmin, status: 404, code: "NOT_FOUND"},
		{name: "method", method: "DELETE", path: "/games", status: 405, code: "METHOD_NOT_ALLOWED"},
		{name: "role", method: "POST", path: "/test/limit", role: models.RoleSocio, status: 403, code: "FORBIDDEN"},
		{name: "risk limit", method: "POST", path: "/test/limit", role: models.RoleAdmin, status: 433, code: "RISK_LIMIT_EXCEEDED", has: []string{
			`"errors":[{"location":"items[0]","level":"AGENCY","limit":"10.00","sold":"9.00","available":"1.00"}]`,
		}},
		{name: "unknown", method: "POST", path: "/test/unknown", status: 500, code: "INTERNAL", lacks: append(value, "detail")},
		{name: "panic", method: "POST", path: "/test/panic", status: 500, code: "INTERNAL", lacks: append(value, "detail")},
		{name: "not JSON", path: "/test/echo", body: `{"amount":hunter2}`, status: 400, code: "MALFORMED_BODY", lacks: value},
		{name: "cut off", path: "/test/echo", body: `{"amount":"hunter2`, status: 400, code: "MALFORMED_BODY", lacks: value},
		{name: "trailing data", path: "/test/echo", body: `{"amount":"1"} {"amount":"2"}`, status: 400, code: "MALFORMED_BODY"},
		{name: "no body", method: "POST", path: "/test/echo", status: 400, code: "MALFORMED_BODY"},
		{name: "same key twice", path: "/test/echo", body: `{"amount":"1","amount":"2"}`, status: 400, code: "MALFORMED_BODY", has: []string{"same key twice"}},
		{name: "not an object", path: "/test/echo", body: `["hunter2"]`, status: 422, code: "VALIDATION_FAILED", lacks: value},
		{name: "null", path: "/test/echo", body: `null`, status: 422, code: "VALIDATION_FAILED"},
		{name: "missing", path: "/test/echo", body: `{}`, status: 422, code: "VALIDATION_FAILED", has: []string{"amount"}},
		{name: "unknown field", path: "/test/echo", body: `{"amount":"1","extra":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"extra"`}, lacks: value},
		{name: "amount of another type", path: "/test/echo", body: `{"amount":{"a":"hunter2"}}`, status: 422, code: "VALIDATION_FAILED", lacks: value},
		{name: "amount true", path: "/test/echo", body: `{"amount":true}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "amount null", path: "/test/echo", body: `{"amount":null}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "long amount", path: "/test/echo", body: `{"amount":"` + strings.Repeat("9", 100) + `"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "long number", path: "/test/echo", body: `{"amount":` + strings.Repeat("9", 100) + `}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "UUID", path: "/test/echo", body: `{"amount":"1","id":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"id"`}, lacks: value},
		{name: "enumeration", path: "/test/echo", body: `{"amount":"1","word":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", lacks: value},
		{name: "nested", path: "/test/echo", body: `{"amount":"1","nested":[{"flag":true},{"flag":"hunter2"}]}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"nested[1].flag"`}, lacks: value},
		{name: "query", path: "/test/echo?number=hunter2&at=hunter2", body: `{"amount":"1"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.number"`, `"query.at"`}, lacks: value},
		{name: "path that is no text", path: "/sales/tickets/%ff", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED"},
		{name: "query that is no text", path: "/test/echo?word=%ff&at=2026-01-01&no=a%00b", body: `{"amount":"1"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.no"`, `"query.word"`}, lacks: []string{`"query.at"`}},
		{name: "unknown parameter", path: "/test/echo?at=2026-01-01&sort=hunter2", body: `{"amount":"1"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"query.sort","message":"unexpected parameter"`}, lacks: value},
		{name: "parameter twice", path: "/test/echo?number=1&number=2", body: `{"amount":"1"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.number"`, "once"}},
		{name: "two spellings at once", path: "/sales/tickets?entityId=a&entity_id=b", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.entity_id"`, "once"}},
		{name: "the other spelling is checked alike", path: "/sales/tickets?entity_id=hunter2", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.entityId"`}, lacks: value},
		{name: "and in camel case", path: "/currencies?pageSize=hunter2", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.page_size"`}, lacks: value},
		{name: "a third spelling", path: "/sales/tickets?entityid=a", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.entityid"`, "unexpected parameter"}},
		{name: "query that is none", path: "/sales/tickets?status=%zz", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"query"`}},
		{name: "NUL in a body", path: "/test/echo", body: `{"amount":"1","nested":[{"flag":true}],"word":"hunter2\u0000"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"word"`, "U+0000"}, lacks: value},
		{name: "NUL in a key", path: "/test/echo", body: `{"amount":"1","hunter2\u0000":1}`, status: 422, code: "VALIDATION_FAILED", has: []string{"U+0000"}},
		{name: "an escaped backslash before u0000", path: "/test/echo", body: `{"amount":"12\\u0000"}`, status: 201},
		{name: "NUL in the path", path: "/sales/tickets/a%00b", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED"},
		{name: "form", path: "/test/echo", body: "amount=1", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, status: 415, code: "UNSUPPORTED_MEDIA_TYPE"},
		{name: "largest body", path: "/test/echo", body: `{"amount":"1"` + strings.Repeat(" ", kit.MaxBody-14) + `}`, status: 201},
		{name: "too large", path: "/test/echo", body: `{"amount":"1"` + strings.Repeat(" ", kit.MaxBody) + `}`, status: 413, code: "BODY_TOO_LARGE"},
		{name: "amount as text", path: "/test/echo", body: `{"amount":"12.50"}`, status: 201, has: []string{`"data":"12.50"`}},
		{name: "amount as number", path: "/test/echo", body: `{"amount":12.50}`, status: 201, has: []string{`"data":"12.50"`}},
		{name: "number beyond a float", path: "/test/echo", body: `{"amount":90071992547409.93}`, status: 201, has: []string{`"data":"90071992547409.93"`}},
	})
}

func TestHiddenErrorsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, oddities)
	r := httptest.NewRequest(http.MethodPost, "/test/unknown?q=secret", http.NoBody)
	r.Header.Set("X-Request-Id", "trace-0001")
	w := b.do(t, r)
	assert.Equal(t, "trace-0001", w.Header().Get("X-Request-Id"))
	assert.Equal(t, 1, strings.Count(b.log.String(), "pq: hunter2"), b.log)
	assert.Contains(t, b.log.String(), "trace-0001")
	assert.NotContains(t, b.log.String(), "secret")
}

func TestRetryAfterAndLocation(t *testing.T) {
	t.Parallel()
	b := setup(t, oddities)
	w := b.do(t, httptest.NewRequest(http.MethodPost, "/test/later", http.NoBody))
	assertProblem(t, w, 503, "LATER")
	assert.Equal(t, []string{"3"}, w.Header().Values("Retry-After"))
	assert.Contains(t, b.log.String(), "redis is away")
	s := scenario{path: "/test/echo", body: `{"amount":1}`, method: http.MethodPost}
	w = b.do(t, s.request())
	assert.Equal(t, "/test/echo/1", w.Header().Get("Location"))
}

// A body that breaks off is the sender's doing: neither a 500 nor an alarm.
func TestATruncatedBodyIsAClientError(t *testing.T) {
	t.Parallel()
	b := setup(t, oddities)
	r := httptest.NewRequest(http.MethodPost, "/test/echo", brokenReader{})
	assertProblem(t, b.do(t, r), 400, "MALFORMED_BODY")
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestAnOperationWithoutAccessIsRefused(t *testing.T) {
	t.Parallel()
	_, err := assemble(Deps{}, func(r *kit.Registry) {
		kit.Handle(r, huma.Operation{OperationID: "open", Method: http.MethodGet, Path: "/open"}, kit.Access{},
			func(context.Context, caller.Caller, *struct{}) (*struct{}, error) { return nil, nil }) //nolint:nilnil // never called
	})
	require.ErrorContains(t, err, "/open")
}

// The messages of refused fields are in the caller's language, Spanish by default.
func TestFieldMessagesInTheLanguageOfTheCaller(t *testing.T) {
	t.Parallel()
	b := setup(t, oddities)
	for _, c := range []struct{ name, path, body, location, english, spanish string }{
		{"body of an operation", "/test/echo", `{}`, "body", "expected required property amount to be present", "falta la propiedad obligatoria amount"},
		{"unknown property", "/test/echo", `{"amount":"1","extra":1}`, "extra", "unexpected property", "propiedad desconocida"},
		{"body of a sale", "/sales/tickets", `{"currency":"VES"}`, "body", "expected required property items to be present", "falta la propiedad obligatoria items"},
		{"parameter", "/test/echo?sort=a", `{"amount":"1"}`, "query.sort", "unexpected parameter", "parámetro desconocido"},
		{"type of a parameter", "/test/echo?number=a", `{"amount":"1"}`, "query.number", "invalid integer", "número entero no válido"},
		{"NUL", "/test/echo", `{"amount":"1","word":"\u0000"}`, "word", kit.NULMessage, "el texto no debe contener el carácter U+0000"},
	} {
		for language, want := range map[string]string{"": c.spanish, "es-VE": c.spanish, "en": c.english} {
			r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept-Language", language)
			r.Header.Set("Authorization", "Bearer "+b.tokens[models.RoleTaquilla])
			w := httptest.NewRecorder()
			b.Engine().ServeHTTP(w, r)
			require.Equal(t, http.StatusUnprocessableEntity, w.Code, c.name)
			var got problem.Problem
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
			require.Equal(t, "VALIDATION_FAILED", got.Code, c.name)
			assert.Contains(t, got.Errors, problem.Detail{Location: c.location, Message: want}, "%s in %q", c.name, language)
		}
	}
}
