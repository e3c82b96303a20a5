package test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/app"
	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
)

// documentedRequest is an operation of a served document with its examples.
type documentedRequest struct {
	Parameters []struct {
		Name    string `json:"name"`
		In      string `json:"in"`
		Example any    `json:"example"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"requestBody"`
}

// The examples of the served documents work on a fresh `banca-dev dev`, sent as they stand.
func TestExamplesWorkUnedited(t *testing.T) {
	t.Parallel()
	p, env := newPlatform(t), testkit.New(t)
	p.env = []string{"DATABASE_URL=" + env.PostgresURL, "REDIS_URL=" + env.RedisURL}
	p.start()
	requireSound(t, env)
	older := p.documented("/openapi-3.0.json")
	paths := p.documented("/openapi.json")

	token := ""
	sent := func(path string, status int) answer {
		t.Helper()
		request := paths[path]["post"]
		body := request.RequestBody.Content["application/json"].Example
		require.NotEmpty(t, body, path)
		assert.JSONEq(t, string(body), string(older[path]["post"].RequestBody.Content["application/json"].Example), path)
		assert.Equal(t, request.Parameters, older[path]["post"].Parameters, path)
		a := p.send(p.exampleOf(path, &request, token))
		require.Equal(t, status, a.status, "%s: %s", path, a.raw)
		return a
	}
	token, _ = sent("/auth/login", http.StatusOK).data()["access_token"].(string)
	request := sent("/bank/payment-requests", http.StatusCreated)
	assert.JSONEq(t, `{"status":true}`, string(sent("/BancoConsulta", http.StatusOK).raw))
	assert.JSONEq(t, `{"abono":true}`, string(sent("/BancoNotifica", http.StatusOK).raw))
	at := request.header.Get("Location")
	assert.Equal(t, "paid", p.get(at, token).data()["status"], "the notification pays the request of the example")

	sold := sent("/sales/tickets", http.StatusCreated)
	assert.Empty(t, sold.header.Get("Idempotent-Replayed"))
	again := sent("/sales/tickets", http.StatusCreated)
	assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	assert.Equal(t, sold.data(), again.data())
	customer := sent("/sales/customers", http.StatusCreated)
	assert.Equal(t, "+584247654321", customer.data()["phone"])
	assert.Equal(t, "CUSTOMER_EXISTS", sent("/sales/customers", http.StatusConflict).body["code"])
	at = customer.header.Get("Location")
	assert.Equal(t, customer.data(), p.get(at, token).data())
	assert.Len(t, p.get("/sales/customers?search=nunez", token).body["data"], 1)
	buyer, _ := sold.data()["customer_id"].(string)
	merged := p.post(at+"/merge", token, map[string]any{"customer_id": buyer}, "")
	assert.Equal(t, http.StatusOK, merged.status, string(merged.raw))
	assert.Len(t, p.get(at+"/tickets", token).body["data"], 1, "the ticket of the example is the customer's")
	assert.Equal(t, "300.00", sent("/prizes/{ticket_id}/pay", http.StatusOK).data()["amount"])
	entered := sent("/results", http.StatusCreated)
	assert.Equal(t, "proposed", entered.data()["status"])

	// The repeats that docs/pos.md describes.
	assert.Equal(t, request.data()["id"], sent("/bank/payment-requests", http.StatusCreated).data()["id"])
	assert.JSONEq(t, `{"status":false}`, string(sent("/BancoConsulta", http.StatusOK).raw))
	assert.JSONEq(t, `{"abono":true}`, string(sent("/BancoNotifica", http.StatusOK).raw))
	assert.Equal(t, "true", sent("/prizes/{ticket_id}/pay", http.StatusOK).header.Get("Idempotent-Replayed"))
	assert.Equal(t, "RESULT_PENDING", sent("/results", http.StatusConflict).body["code"])

	verifier := p.login("verificador@banca.test")
	id, _ := entered.data()["id"].(string)
	verified := p.post("/results/"+id+"/verify", verifier, nil, "")
	assert.Equal(t, http.StatusOK, verified.status, string(verified.raw))
	assert.Equal(t, "RESULT_EXISTS", sent("/results", http.StatusConflict).body["code"])
	require.NoError(t, p.interrupt())
	requireSound(t, env)
}

// requireSound requires that `banca verify` finds every invariant kept.
func requireSound(t *testing.T, env *testkit.Env) {
	t.Helper()
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.Postgres.DatabaseURL, cfg.Redis.RedisURL = config.Secret(env.PostgresURL), config.Secret(env.RedisURL)
	cfg.Auth.JWTSecret = config.Secret(strings.Repeat("verify-", 5))
	cfg.Objects.Endpoint, cfg.Objects.AccessKey, cfg.Objects.SecretKey = "http://127.0.0.1:1", "verify", "verify"
	a, err := app.Open(t.Context(), &cfg, config.Mode(app.RoleAPI), env.Log)
	require.NoError(t, err)
	var report bytes.Buffer
	assert.NoError(t, a.Verify(t.Context(), &report), &report)
	assert.Contains(t, report.String(), "ok ")
	require.NoError(t, a.Close())
}

// documented reads the operations of a served document.
func (p *platform) documented(path string) map[string]map[string]documentedRequest {
	p.t.Helper()
	var document struct {
		Paths map[string]map[string]documentedRequest `json:"paths"`
	}
	require.NoError(p.t, json.Unmarshal(p.get(path, "").raw, &document))
	return document.Paths
}

// exampleOf builds the request of the examples of an operation. The two calls of the bank are authorised by the bank's
// token, the others by an access token.
func (p *platform) exampleOf(path string, request *documentedRequest, token string) *http.Request {
	p.t.Helper()
	headers := http.Header{"Content-Type": {"application/json"}}
	for _, parameter := range request.Parameters {
		value, ok := parameter.Example.(string)
		switch {
		case parameter.In == "path":
			require.True(p.t, ok, "%s: %s", path, parameter.Name)
			path = strings.ReplaceAll(path, "{"+parameter.Name+"}", url.PathEscape(value))
		case ok && parameter.In == "header":
			headers.Set(parameter.Name, value)
		}
	}
	if strings.HasPrefix(path, "/Banco") {
		headers.Set("Authorization", p.bankToken())
	} else if token != "" {
		headers.Set("Authorization", "Bearer "+token)
	}
	body := bytes.NewReader(request.RequestBody.Content["application/json"].Example)
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, "http://"+p.addr+path, body)
	require.NoError(p.t, err)
	req.Header = headers
	return req
}
