package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

func TestUsersAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := func(name string) string {
		return fmt.Sprintf(`{"entity_id":%q,"name":"Ana","email":"%s@banca.test","role":"TAQUILLA","password":"correct horse"}`, b.agency.ID, name)
	}
	ana := decode[user](t, b.do(t, (&scenario{path: "/users", role: models.RoleAdmin, body: body("ana")}).request()))
	path := "/users/" + ana.ID.String()
	b.run(t, []scenario{
		{name: "created", path: "/users", role: models.RoleAdmin, body: body("eva"), status: 201, has: []string{`"email":"eva@banca.test"`, `"auth_method":"password"`}},
		{name: "taken", path: "/users", role: models.RoleAdmin, body: body("eva"), status: 409, code: "USER_NAME_TAKEN", has: []string{`"location":"email"`}},
		{name: "extra field", path: "/users", role: models.RoleAdmin, body: `{"path":"x"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "a seller makes none", path: "/users", role: models.RoleTaquilla, body: body("x"), status: 403, code: "FORBIDDEN"},
		{name: "above", path: "/users", role: models.RoleAdmin, body: fmt.Sprintf(`{"entity_id":%q,"name":"X","email":"x@y.z","role":"SOCIO","password":"correct horse"}`, b.root.ID), status: 422, code: "INVALID_USER", has: []string{`"location":"entity_id"`}},
		{name: "list", path: "/users?q=ana@&role=TAQUILLA", role: models.RoleSocio, status: 200, has: []string{`"total":1`, ana.ID.String()}},
		{name: "read", path: path, role: models.RoleSocio, status: 200, has: []string{`"name":"Ana"`}},
		{name: "none", path: "/users/" + uuid.NewString(), role: models.RoleSocio, status: 404, code: "USER_NOT_FOUND"},
		{name: "changed", method: "PUT", path: path, role: models.RoleAdmin, body: `{"phone":"0414 1112233"}`, status: 200, has: []string{`"phone":"+584141112233"`, `"name":"Ana"`}},
		{name: "permissions", method: "PUT", path: path + "/permissions", role: models.RoleAdmin, body: `{"granted":["sales:cancel_any"],"denied":["sales:sell"]}`, status: 200, has: []string{`"granted":["sales:cancel_any"]`}},
		{name: "not grantable", method: "PUT", path: path + "/permissions", role: models.RoleAdmin, body: `{"granted":["users:write"],"denied":[]}`, status: 422, code: "NOT_GRANTABLE", has: []string{`granted[0]`}},
		{name: "permissions read", path: path + "/permissions", role: models.RoleAdmin, status: 200, has: []string{`"denied":["sales:sell"]`}},
		{name: "password", method: "PUT", path: path + "/password", role: models.RoleAdmin, body: `{"password":"another horse"}`, status: 204},
		{name: "every permission", path: "/auth/permissions", role: models.RoleSocio, status: 200, has: []string{`"permission":"users:grant"`}},
		{name: "deleted", method: "DELETE", path: path, role: models.RoleAdmin, status: 200, has: []string{`"deleted":true`}},
		{name: "gone", path: path, role: models.RoleAdmin, status: 404, code: "USER_NOT_FOUND"},
	})
}

// A machine left logged in gives away little: sensitive writes ask for the password again after ten minutes.
func TestSensitiveWritesWantAConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const body = `{"name":"Agency two"}`
	path := "/users/" + uuid.NewString()
	b.exec(t, `UPDATE user_sessions SET confirmed_at = now() - interval '10 minutes'`)
	b.run(t, []scenario{
		{name: "late", method: "PUT", path: path, role: models.RoleAdmin, body: body, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "late, an unknown key", method: "PUT", path: path, role: models.RoleAdmin, header: map[string]string{"X-Device-Key": "x"}, body: body, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "wrong", path: "/auth/confirm", role: models.RoleAdmin, body: `{"password":"wrong horse"}`, status: 401, code: "INVALID_CREDENTIALS"},
		{name: "still late", method: "PUT", path: path, role: models.RoleAdmin, body: body, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "neither", path: "/auth/confirm", role: models.RoleAdmin, body: `{}`, status: 422, code: "PASSWORD_REQUIRED"},
		{name: "right", path: "/auth/confirm", role: models.RoleAdmin, body: `{"password":"correct horse"}`, status: 200, has: []string{`"confirmed_until":"`}},
		{name: "confirmed", method: "PUT", path: path, role: models.RoleAdmin, body: body, status: 404, code: "USER_NOT_FOUND"},
		{name: "another session is not", method: "PUT", path: path, role: models.RoleTaquilla, body: body, status: 403, code: "FORBIDDEN"},
	})
}

// A device's key replaces a confirmation, so registering a device requires one: the finder of a token could otherwise
// register a device, and would need no password any more.
func TestNoDeviceKeyWithoutAConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const body = `{"name":"Caja","fingerprint":"fingerprint-1"}`
	b.exec(t, `UPDATE user_sessions SET confirmed_at = now() - interval '10 minutes'`)
	b.run(t, []scenario{
		{name: "late", path: "/auth/devices", role: models.RoleAdmin, body: body, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "a seller", path: "/auth/devices", role: models.RoleTaquilla, body: body, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "the password", path: "/auth/confirm", role: models.RoleAdmin, body: `{"password":"correct horse"}`, status: 200},
		{name: "confirmed", path: "/auth/devices", role: models.RoleAdmin, body: body, status: 201, has: []string{`"device_key":"`}},
	})
}

func TestSessionsAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := decode[[]userSession](t, b.do(t, (&scenario{path: "/auth/sessions?isActive=true", role: models.RoleAdmin}).request()))
	require.Len(t, list, 3)
	var seller userSession
	current := 0
	for _, s := range list {
		if s.UserName == "TAQUILLA user" {
			seller = s
		}
		if s.Current {
			current++
		}
	}
	assert.Equal(t, 1, current)
	path := "/auth/sessions/" + seller.ID.String()
	b.run(t, []scenario{
		{name: "of a user", path: "/auth/sessions?userId=" + seller.UserID.String(), role: models.RoleAdmin, status: 200, has: []string{`"total":1`}},
		{name: "own only", path: "/auth/sessions", role: models.RoleSocio, status: 200, has: []string{`"total":1`, `"user_name":"SOCIO user"`}},
		{name: "not a bool", path: "/auth/sessions?isActive=yes", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED"},
		{name: "detail", path: path, role: models.RoleAdmin, status: 200, has: []string{`"device_info":{`}},
		{name: "of another", path: path, role: models.RoleSocio, status: 404, code: "SESSION_NOT_FOUND"},
		{name: "too far", method: "PUT", path: path, role: models.RoleAdmin, body: `{"expires_at":"2999-01-01T00:00:00Z"}`, status: 422, code: "SESSION_TIME"},
		{name: "a seller extends none", method: "PUT", path: path, role: models.RoleTaquilla, body: `{"expires_at":"2999-01-01T00:00:00Z"}`, status: 403, code: "FORBIDDEN"},
		{name: "terminate another's", method: "POST", path: path + "/terminate", role: models.RoleSocio, status: 404, code: "SESSION_NOT_FOUND"},
		{name: "terminate", method: "POST", path: path + "/terminate", role: models.RoleAdmin, status: 200, has: []string{`"end_reason":"terminated"`, `"isActive":false`}},
		{name: "the token is void", path: "/auth/me", role: models.RoleTaquilla, status: 401, code: "UNAUTHENTICATED"},
		{name: "twice", method: "POST", path: path + "/terminate", role: models.RoleAdmin, status: 409, code: "SESSION_ENDED"},
	})
}

func TestLogsAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.do(t, (&scenario{path: "/auth/logs", role: models.RoleAdmin, body: `{"module":"visits","action":"inspected","note":"all in order"}`}).request())
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	entry := decode[logEntry](t, w)
	path := "/auth/logs/" + entry.ID.String()
	assert.Equal(t, path, w.Header().Get("Location"))
	assert.Equal(t, "ADMIN user", entry.UserName)
	b.run(t, []scenario{
		{name: "elsewhere", path: "/auth/logs", role: models.RoleAdmin, body: fmt.Sprintf(`{"entityId":%q,"module":"visits","action":"a","note":"n"}`, b.root.ID), status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "bad module", path: "/auth/logs", role: models.RoleAdmin, body: `{"module":"A b","action":"a","note":"n"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "list", path: "/auth/logs?module=visits&action=inspected&userId=" + entry.UserID.String(), role: models.RoleAdmin, status: 200, has: []string{`"total":1`, `"note":"all in order"`}},
		{name: "earlier", path: "/auth/logs?to=2020-01-01T00:00:00Z", role: models.RoleAdmin, status: 200, has: []string{`"total":0`}},
		{name: "not for sellers", path: "/auth/logs", role: models.RoleTaquilla, status: 403, code: "FORBIDDEN"},
		{name: "logins are there", path: "/auth/logs?module=auth&action=login&page_size=1", role: models.RoleAdmin, status: 200, has: []string{`"total":3`}},
		{name: "correct", method: "PUT", path: path, role: models.RoleAdmin, body: `{"note":"one printer is missing"}`, status: 200, has: []string{`"note":"one printer is missing"`, `"edited":true`}},
		{name: "remove", method: "DELETE", path: path + "?reason=twice", role: models.RoleAdmin, status: 200, has: []string{`"removed":true`}},
		{name: "again", method: "DELETE", path: path, role: models.RoleAdmin, status: 409, code: "LOG_REMOVED"},
		{name: "story", path: path, role: models.RoleAdmin, status: 200, has: []string{`"details":{"note":"all in order"}`, `"action":"correct"`, `"note":"twice"`}},
		{name: "hidden", path: "/auth/logs?module=visits", role: models.RoleAdmin, status: 200, has: []string{`"total":0`}},
		{name: "none", path: "/auth/logs/" + uuid.NewString(), role: models.RoleAdmin, status: 404, code: "LOG_NOT_FOUND"},
	})
}
