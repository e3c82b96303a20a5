package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/kit"
	"banca/models"
)

// bankCall sends a call as the bank does; change edits it.
func (b *bundle) bankCall(t *testing.T, path, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "https://banca.example.com"+path, strings.NewReader(body))
	r.RemoteAddr = "203.0.113.7:4711"
	r.Header.Set("Authorization", bankToken0)
	for _, c := range change {
		c(r)
	}
	return b.do(t, r)
}

// Every answer of the bank's paths has the bank's body, whichever layer refuses.
func TestTheBanksCallsOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES (gen_random_uuid(), 'VES', 'Bolívar', 2)`)
	good := `{"Referencia":"1234","BancoEmisor":"134","Monto":1.5,"CodigoRed":"00"}`
	for _, c := range []struct {
		name, body string
		status     int
		change     func(*http.Request)
	}{
		{"unmatched", good, 200, func(*http.Request) {}},
		{"method", good, 405, func(r *http.Request) { r.Method = http.MethodGet }},
		{"other method", good, 405, func(r *http.Request) { r.Method = http.MethodDelete }},
		{"address", good, 403, func(r *http.Request) { r.RemoteAddr = "198.51.100.1:1" }},
		{"token", good, 401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+bankToken0) }},
		{"two tokens", good, 401, func(r *http.Request) { r.Header.Add("Authorization", bankToken0) }},
		{"too large", strings.Repeat(" ", 20<<10), 413, func(*http.Request) {}},
		{"no JSON", "Monto=1", 400, func(*http.Request) {}},
	} {
		w := b.bankCall(t, "/BancoNotifica", c.body, c.change)
		assert.Equal(t, c.status, w.Code, c.name)
		assert.JSONEq(t, `{"abono":false}`, w.Body.String(), c.name)
		assert.Equal(t, "application/json", w.Header().Get("Content-Type"), c.name)
	}
	w := b.bankCall(t, "/BancoConsulta", "{}")
	assert.Equal(t, http.StatusBadRequest, w.Code)
	assert.JSONEq(t, `{"status":false}`, w.Body.String())
}

// The bank's calls concern the operator alone: an administrator of an agency does not see them.
func TestTheBanksSideIsTheOperators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/bank/identity", "/bank/events", "/bank/alerts", "/bank/payments", "/bank/statements"} {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Header.Set("X-Test-Role", models.RoleAdmin)
		assertProblem(t, b.do(t, r), http.StatusForbidden, "OPERATOR_ONLY")
	}
	b.exec(t, `UPDATE users SET entity_id = $1 WHERE role = 'ADMIN'`, b.root.ID)
	login := httptest.NewRequest(http.MethodPost, "/auth/login", strings.NewReader(`{"email":"admin@banca.test","password":"`+password+`"}`))
	login.Header.Set("Content-Type", "application/json")
	b.tokens[models.RoleAdmin] = decode[session](t, b.do(t, login)).AccessToken
	b.run(t, []scenario{
		{name: "identity", path: "/bank/identity", role: models.RoleAdmin, status: 200, has: []string{`"masked":"••••b3c4"`}, lacks: []string{bankToken0}},
		{name: "events", path: "/bank/events", role: models.RoleAdmin, status: 200, has: []string{`"total":0`}},
		{name: "alerts", path: "/bank/alerts?open=true", role: models.RoleAdmin, status: 200, has: []string{`"total":0`}},
		{name: "payments", path: "/bank/payments?list=unreconciled", role: models.RoleAdmin, status: 200, has: []string{`"total":0`}},
		{name: "bank", path: "/bank/banks", role: models.RoleAdmin, body: `{"code":"0999","name":"Banco Nuevo"}`, status: 201, has: []string{`"status":"active"`}},
		{name: "twice", path: "/bank/banks", role: models.RoleAdmin, body: `{"code":"0999","name":"Banco Nuevo"}`, status: 409, code: "BANK_EXISTS"},
		{name: "retire", method: http.MethodPut, path: "/bank/banks/0999", role: models.RoleAdmin, body: `{"name":"Banco Viejo","status":"retired"}`, status: 200},
		{name: "delete", method: http.MethodDelete, path: "/bank/banks/0999", role: models.RoleAdmin, status: 200, has: []string{`{"id":"0999","deleted":true}`}},
		{name: "code", path: "/bank/network-codes", role: models.RoleAdmin, body: `{"code":"77","meaning":"new"}`, status: 201, has: []string{`"approved":false`}},
		{name: "a large statement", path: "/bank/statements", role: models.RoleAdmin, header: map[string]string{"Content-Type": "text/csv"}, body: "date,reference,amount\n2026-01-01,1234,1" + strings.Repeat(" ", 2*kit.MaxBody) + "\n", status: 201},
		{name: "a statement too large", path: "/bank/statements", role: models.RoleAdmin, header: map[string]string{"Content-Type": "text/csv"}, body: strings.Repeat(" ", kit.MaxUpload+1), status: 413, code: "BODY_TOO_LARGE"},
		{name: "a code that is no text", method: http.MethodDelete, path: "/bank/banks/%00", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED"},
		{name: "no event", path: "/bank/events/0190aaaa-0000-7000-8000-000000000001", role: models.RoleAdmin, status: 404, code: "EVENT_NOT_FOUND"},
	})
	require.NotContains(t, b.log.String(), bankToken0)
}
