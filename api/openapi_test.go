package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/kit"
	"banca/internal/dev/testkit/constants"
	"banca/models"
)

var update = flag.Bool("update", false, "write openapi.yaml from the code") //nolint:gochecknoglobals // a flag of this test

func TestOpenAPIIsInStep(t *testing.T) {
	t.Parallel()
	plain, err := New(Deps{}) // as `banca openapi` makes it
	require.NoError(t, err)
	_, got, err := plain.OpenAPI()
	require.NoError(t, err)
	const file = "../openapi.yaml"
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run: go test ./api -run OpenAPI -update")
}

// description is the part of the document that the tests read.
type description struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]any }
}

type operation struct {
	OperationID string                `json:"operationId"`
	Security    []map[string][]string `json:"security"`
	Roles       *[]string             `json:"x-roles"`
	Sensitive   bool                  `json:"x-sensitive"`
	Responses   map[string]any        `json:"responses"`
}

func describe(t *testing.T, b *bundle) description {
	t.Helper()
	raw, err := b.OpenAPIJSON()
	require.NoError(t, err)
	var d description
	require.NoError(t, json.Unmarshal(raw, &d))
	return d
}

// Every operation declares its access and enforces it: an anonymous caller, and a user of a role without access, are
// refused before anything of the request is read.
func TestEveryOperationIsGuarded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	param := regexp.MustCompile(`\{[^}]+\}`)
	call := func(method, path, role string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(strings.ToUpper(method), param.ReplaceAllString(path, uuid.NewString()), strings.NewReader("{"))
		r.Header.Set("X-Test-Role", role)
		return b.do(t, r)
	}
	open := 0
	for path, operations := range describe(t, b).Paths {
		for method, op := range operations {
			require.NotNil(t, op.Roles, "%s %s", method, path)
			assert.Contains(t, op.Responses, "default", path)
			if len(*op.Roles) == 0 {
				assert.True(t, len(op.Security) == 0 || op.Security[0][kit.BankScheme] != nil, path)
				assert.NotEqual(t, http.StatusUnauthorized, call(method, path, "").Code, path)
				open++
				continue
			}
			assert.NotEmpty(t, op.Security, path)
			assertProblem(t, call(method, path, ""), 401, "UNAUTHENTICATED")
			for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
				if !strings.Contains(strings.Join(*op.Roles, " "), role) {
					assertProblem(t, call(method, path, role), 403, "FORBIDDEN")
				}
			}
		}
	}
	assert.Positive(t, open)
}

// Routes that are no described operations are listed here, so that none is hidden.
func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	param := regexp.MustCompile(`:(\w+)`)
	described := describe(t, b).Paths
	beside := map[string]bool{
		"/openapi.json": true, "/asyncapi.json": true, "/openapi-3.0.json": true, "/openapi.yaml": true, "/docs": true, "/docs/start.js": true,
		"/docs/docs.css": true, "/docs/openapi-explorer.min.js": true, "/docs/openapi-explorer.LICENSE.txt": true,
		"/T/:serial": true, // as /t/{serial}, for the capitals of a QR code
	}
	for _, r := range b.Engine().Routes() {
		if beside[r.Path] {
			continue
		}
		assert.Contains(t, described[param.ReplaceAllString(r.Path, "{$1}")], strings.ToLower(r.Method), r.Path)
	}
}

func TestNoSchemaHasAPassword(t *testing.T) {
	t.Parallel()
	raw, err := setup(t).OpenAPIJSON()
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "password_hash")
	assert.NotContains(t, string(raw), "token_hash")
}

func TestDocs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.run(t, []scenario{
		{name: "JSON", path: "/openapi.json", status: 200, has: []string{`"openapi":"3.1.0"`, `"/auth/login"`}},
		{name: "YAML", path: "/openapi.yaml", status: 200, has: []string{"openapi: 3.1.0"}},
		{name: "page", path: "/docs", status: 200, has: []string{`src="docs/start.js"`}, lacks: []string{"http:", "https:", "<style", "onload"}},
		{name: "start", path: "/docs/start.js", status: 200, has: []string{"auth/login"}},
		{name: "viewer", path: "/docs/openapi-explorer.min.js", status: 200, has: []string{"OpenAPI Explorer 2.4.820"}},
		{name: "its licence", path: "/docs/openapi-explorer.LICENSE.txt", status: 200, has: []string{"Apache License"}},
		{name: "nothing else", path: "/docs/index.html", status: 404, code: "NOT_FOUND"},
	})
	w := b.do(t, httptest.NewRequest(http.MethodGet, "/docs", http.NoBody))
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "script-src 'self';")
}

// unheard lists the codes that no client of the API meets, with the reason.
func unheard() map[string]string {
	const worker, inner = "of tasks, which no client calls", "the cause of another error, for the log"
	return map[string]string{
		"BOOKS_BROKEN": worker, "LOTTERY_NOT_YET": worker, "LOTTERY_UNAVAILABLE": worker, "LOTTERY_MALFORMED": worker, "LOTTERY_REFUSED": worker,
		"RATES_UNAVAILABLE": worker, "RATES_MALFORMED": worker, "RATES_REFUSED": worker,
		"EXPORT_FAILED":     "the code of an export that failed",
		"INVALID_RECIPIENT": worker, "INVALID_MESSAGE": worker, "MESSAGE_NOT_FOUND": worker, "MESSAGE_NOT_RESENDABLE": worker, "MESSAGE_UNDER_WAY": worker,
		"INVALID_BANK_SIMULATION": "of the panel's event simulator", "COUNTERS_RECOUNTED": inner, "COUNTERS_LOST": inner, "NOT_ANSWERED": inner, "COUNTERS_NOT_REBUILT": inner,
		"MESSAGE_UNDECIDED": worker, "MESSAGE_NO_CHANNEL": worker,
		"ANSWER_INTERRUPTED": "the code of an answer that failed",
		"CODE_GONE":          worker,
		"PICTURE_NOT_FOUND":  "of the panel's pages", "GAME_CHANGED": "of the panel's forms",
		"INVALID_SETUP":      "of the page of the setup, and of banca init",
		"REFUSED":            "of statuses that huma does not make",
		"INVALID_API_CONFIG": inner, "INVALID_ID_DOCUMENT": inner, "NOT_FOUND": "of the router, for paths that the document does not have", "METHOD_NOT_ALLOWED": "of the router, as above",
	}
}

// Every code that the program makes is in the document, at an operation.
func TestEveryCodeIsDescribed(t *testing.T) {
	t.Parallel()
	_, document, err := setup(t).OpenAPI()
	require.NoError(t, err)
	described := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^\s+([A-Z][A-Z0-9_]+): `).FindAllSubmatch(document, -1) {
		described[string(found[1])] = true
	}
	const code = "banca/internal/platform/apperr.Code"
	found, err := constants.Of("..", []string{"api", "internal"}, code)
	require.NoError(t, err)
	require.Greater(t, len(found.Values[code]), 150)
	for name, at := range found.Values[code] {
		if unheard()[name] == "" {
			assert.True(t, described[name], "%s: %s: add it to the errors of its operations in api/<domain>", at, name)
		}
	}
	for name := range unheard() {
		assert.NotEmpty(t, found.Values[code][name], "%s is no code", name)
	}
}

// docs/errors.md lists the codes of the document.
func TestErrorTableIsInStep(t *testing.T) {
	t.Parallel()
	raw, err := setup(t).OpenAPIJSON()
	require.NoError(t, err)
	var document struct {
		Paths      map[string]map[string]operation
		Components struct{ Responses map[string]any }
	}
	require.NoError(t, json.Unmarshal(raw, &document))
	rows := map[string]map[string]bool{} // by status
	for _, operations := range document.Paths {
		for _, op := range operations {
			for status, value := range op.Responses {
				response, _ := value.(map[string]any)
				if ref, ok := response["$ref"].(string); ok {
					response, _ = document.Components.Responses[strings.TrimPrefix(ref, "#/components/responses/")].(map[string]any)
				}
				listed, _ := response[kit.CodesField].(map[string]any)
				for code, meaning := range listed {
					if rows[status] == nil {
						rows[status] = map[string]bool{}
					}
					rows[status][fmt.Sprintf("- `%s`: %s\n", code, meaning)] = true
				}
			}
		}
	}
	var text strings.Builder
	text.WriteString("# Codes of errors\n\n" +
		"The `code` of a problem, by status. The list is open: treat an unknown code by its status. " +
		"The OpenAPI document has the codes of each operation\n" +
		"(`x-error-codes`). Written by `go test ./api -run ErrorTable -update`.\n")
	for _, status := range slices.Sorted(maps.Keys(rows)) {
		text.WriteString("\n## " + status + "\n\n" + strings.Join(slices.Sorted(maps.Keys(rows[status])), ""))
	}
	table := text.String()
	const file = "../docs/errors.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(table), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), table, "run: go test ./api -run ErrorTable -update")
}
