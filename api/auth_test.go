package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const wrong = "the name or the password is wrong"
	b.run(t, []scenario{
		{name: "email", path: "/auth/login", body: `{"email":"admin@banca.test","password":"correct horse"}`, status: 200, has: []string{
			`"access_token":"ey`, `"token_type":"Bearer"`, `"expires_in":60`, `"refresh_token":"`, `"role":"ADMIN"`,
		}, lacks: []string{"$schema"}},
		{name: "identifier", path: "/auth/login", body: `{"identifier":"admin@banca.test","password":"correct horse"}`, status: 200},
		{name: "wrong password", path: "/auth/login", body: `{"email":"admin@banca.test","password":"hunter2"}`, status: 401, code: "INVALID_CREDENTIALS", has: []string{wrong}, lacks: []string{"hunter2"}},
		{name: "unknown", path: "/auth/login", body: `{"email":"nobody@banca.test","password":"hunter2"}`, status: 401, code: "INVALID_CREDENTIALS", has: []string{wrong}},
		{name: "no name", path: "/auth/login", body: `{"password":"hunter2"}`, status: 422, code: "LOGIN_NAME_REQUIRED"},
		{name: "no password", path: "/auth/login", body: `{"email":"admin@banca.test"}`, status: 422, code: "PASSWORD_REQUIRED"},
		{name: "password is a number", path: "/auth/login", body: `{"email":"admin@banca.test","password":987654}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"password"`}, lacks: []string{"987654"}},
		{name: "refresh, made up", path: "/auth/refresh", body: `{"refresh_token":"abc"}`, status: 401, code: "INVALID_REFRESH_TOKEN"},
		{name: "me, anonymous", method: "GET", path: "/auth/me", status: 401, code: "UNAUTHENTICATED"},
		{name: "me, other scheme", method: "GET", path: "/auth/me", header: map[string]string{"Authorization": "Basic YTpi"}, status: 401, code: "UNAUTHENTICATED"},
		{name: "me", method: "GET", path: "/auth/me", role: models.RoleSocio, status: 200, has: []string{`"email":"socio@banca.test"`, `"role":"SOCIO"`}},
		{name: "scheme in capitals", method: "GET", path: "/auth/me", header: map[string]string{"Authorization": "BEARER " + b.tokens[models.RoleSocio]}, status: 200},
	})
}

func TestLoginRefreshAndLogout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	post := func(path string, body any, token string) *httptest.ResponseRecorder {
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(raw)))
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return b.do(t, r)
	}
	first := decode[session](t, post("/auth/login", map[string]string{"email": "admin@banca.test", "password": password}, ""))
	second := decode[session](t, post("/auth/refresh", map[string]string{"refresh_token": first.RefreshToken}, ""))
	assert.NotEqual(t, first.RefreshToken, second.RefreshToken)

	w := post("/auth/logout", nil, second.AccessToken)
	assert.Equal(t, http.StatusNoContent, w.Code)
	assert.Empty(t, w.Body.String())
	assertProblem(t, post("/auth/logout", nil, second.AccessToken), 401, "UNAUTHENTICATED")
	assertProblem(t, post("/auth/refresh", map[string]string{"refresh_token": second.RefreshToken}, ""), 401, "INVALID_REFRESH_TOKEN")

	var info string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT device_info->>'ip' FROM user_sessions WHERE end_reason = 'logout'`).Scan(&info))
	assert.Equal(t, "192.0.2.1", info, "the peer's address, as httptest gives it")
}
