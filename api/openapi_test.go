package api

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

var update = flag.Bool("update", false, "write openapi.yaml from the code") //nolint:gochecknoglobals // a flag of this test

func TestOpenAPIIsInStep(t *testing.T) {
	t.Parallel()
	_, got := setup(t).OpenAPI()
	const file = "../openapi.yaml"
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run: go test ./api -run OpenAPI -update")
}

// description is what the tests read of the document.
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
	raw, _ := b.OpenAPI()
	var d description
	require.NoError(t, json.Unmarshal(raw, &d))
	return d
}

// Every operation says who may call it and keeps its word: an anonymous caller, and a user of a role
// that is not named, are refused before anything of the request is looked at.
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
				assert.Empty(t, op.Security, path)
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

// What the router serves beside the described operations is listed here, so that nothing hides.
func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	param := regexp.MustCompile(`:(\w+)`)
	described := describe(t, b).Paths
	beside := map[string]bool{
		"/openapi.json": true, "/openapi.yaml": true, "/docs": true, "/docs/start.js": true,
		"/docs/swagger-ui.css": true, "/docs/swagger-ui-bundle.js": true, "/docs/favicon-32x32.png": true,
		"/T/:serial": true, // as /t/{serial}, for the capitals of a QR code
	}
	for _, r := range b.Engine().Routes() {
		if beside[r.Path] {
			continue
		}
		assert.Contains(t, described[param.ReplaceAllString(r.Path, "{$1}")], strings.ToLower(r.Method), r.Path)
	}
}

func TestNoSchemaKnowsAPassword(t *testing.T) {
	t.Parallel()
	raw, _ := setup(t).OpenAPI()
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
		{name: "start", path: "/docs/start.js", status: 200, has: []string{"validatorUrl: null"}},
		{name: "bundle", path: "/docs/swagger-ui-bundle.js", status: 200, has: []string{"SwaggerUIBundle"}},
		{name: "nothing else", path: "/docs/index.html", status: 404, code: "NOT_FOUND"},
	})
	w := b.do(t, httptest.NewRequest(http.MethodGet, "/docs", http.NoBody))
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "script-src 'self';")
}
