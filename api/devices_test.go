package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

func TestDevices(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const admin, taquilla, socio, put = models.RoleAdmin, models.RoleTaquilla, models.RoleSocio, http.MethodPut
	s := scenario{path: "/auth/devices", role: taquilla, body: `{"name":"Caja 1","fingerprint":"fingerprint-1","info":{"os":"Android"}}`}
	w := b.do(t, s.request())
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	made := decode[newDevice](t, w)
	at := "/auth/devices/" + made.ID.String()
	assert.Equal(t, at, w.Header().Get("Location"))
	assert.NotEmpty(t, made.DeviceKey)
	b.exec(t, `INSERT INTO devices (id, entity_id, name, fingerprint_hash, key_hash, status, created_by)
		SELECT $1, $2, 'Foreign', fingerprint_hash, key_hash, 'active', created_by FROM devices`, lotto, b.root.ID)
	s = scenario{path: "/auth/devices/validate", role: taquilla, body: `{"deviceId":"` + made.ID.String() + `","fingerprint":"fingerprint-1"}`}
	w = b.do(t, s.request())
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	session := decode[validatedSession](t, w)
	assert.True(t, session.Device.ConfigInfo.Online)
	assert.Equal(t, []any{b.agency.ID, b.root.ID}, []any{session.Entity.ID, session.Entity.Parent.ID})
	end := "/auth/device-sessions/" + session.ID.String() + "/status"
	validate := func(id, fingerprint string) string {
		return `{"deviceId":"` + id + `","fingerprint":"` + fingerprint + `"}`
	}
	b.run(t, []scenario{
		{name: "read", path: at, role: socio, status: 200, has: []string{`"status":"active"`, `"info":{"os":"Android"}`, `"config_info":{"online":true`}, lacks: []string{made.DeviceKey, "fingerprint", "device_key"}},
		{name: "list", path: "/auth/devices?q=caja&status=active&entityId=" + b.agency.ID.String(), role: taquilla, status: 200, has: []string{`"total":1`, `"Caja 1"`}},
		{name: "own subtree only", path: "/auth/devices", role: admin, status: 200, has: []string{`"total":1`}, lacks: []string{"Foreign"}},
		{name: "foreign", path: "/auth/devices/" + lotto, role: admin, status: 404, code: "DEVICE_NOT_FOUND"},
		{name: "foreign status", method: put, path: "/auth/devices/" + lotto + "/status", role: admin, body: `{"status":"blocked"}`, status: 404, code: "DEVICE_NOT_FOUND"},
		{name: "foreign name", method: put, path: "/auth/devices/" + lotto, role: admin, body: `{"name":"x"}`, status: 404, code: "DEVICE_NOT_FOUND"},
		{name: "foreign validation", path: "/auth/devices/validate", role: admin, body: validate(lotto, "fingerprint-1"), status: 404, code: "DEVICE_NOT_FOUND"},
		{name: "foreign entity", path: "/auth/devices", role: admin, body: `{"entityId":"` + b.root.ID.String() + `","name":"x","fingerprint":"fingerprint-2"}`, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "twice", path: "/auth/devices", role: admin, body: `{"name":"x","fingerprint":"fingerprint-1"}`, status: 409, code: "DEVICE_EXISTS"},
		{name: "a partner", path: "/auth/devices", role: socio, body: `{"name":"x","fingerprint":"fingerprint-2"}`, status: 403, code: "FORBIDDEN"},
		{name: "short", path: "/auth/devices", role: admin, body: `{"name":"x","fingerprint":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", lacks: []string{"hunter2"}},
		{name: "NUL", path: "/auth/devices", role: admin, body: `{"name":"x\u0000","fingerprint":"fingerprint-2"}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"name"`}},
		{name: "info", path: "/auth/devices", role: admin, body: `{"name":"x","fingerprint":"fingerprint-2","info":[]}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "mismatch", path: "/auth/devices/validate", role: taquilla, body: validate(made.ID.String(), "hunter2-hunter2"), status: 403, code: "FINGERPRINT_MISMATCH", lacks: []string{"hunter2"}},
		{name: "which changed nothing", path: "/auth/device-sessions?status=active&online=true&deviceId=" + made.ID.String(), role: socio, status: 200, has: []string{`"total":1`, session.ID.String()}},
		{name: "who may not", method: put, path: at + "/status", role: taquilla, body: `{"status":"blocked"}`, status: 403, code: "FORBIDDEN"},
		{name: "rename", method: put, path: at, role: admin, body: `{"name":"Caja 2"}`, status: 200, has: []string{`"name":"Caja 2"`}},
		{name: "suspend", method: put, path: at + "/status", role: admin, body: `{"status":"suspended"}`, status: 200, has: []string{`"status":"suspended"`, `"online":false`}},
		{name: "suspended", path: "/auth/devices/validate", role: taquilla, body: validate(made.ID.String(), "fingerprint-1"), status: 403, code: "DEVICE_SUSPENDED"},
		{name: "no such status", method: put, path: at + "/status", role: admin, body: `{"status":"gone"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "block", method: put, path: at + "/status", role: admin, body: `{"status":"blocked"}`, status: 200, has: []string{`"status":"blocked"`}},
		{name: "no such move", method: put, path: at + "/status", role: admin, body: `{"status":"suspended"}`, status: 409, code: "DEVICE_STATUS_MOVE"},
		{name: "blocked", path: "/auth/devices/validate", role: taquilla, body: validate(made.ID.String(), "fingerprint-1"), status: 403, code: "DEVICE_BLOCKED"},
		{name: "the session is over", path: "/auth/device-sessions?status=inactive", role: admin, status: 200, has: []string{`"end_reason":"device_blocked"`}},
		{name: "for good", method: put, path: end, role: admin, body: `{"status":"active"}`, status: 409, code: "DEVICE_SESSION_STATUS_MOVE"},
		{name: "unknown session", method: put, path: "/auth/device-sessions/" + lotto + "/status", role: admin, body: `{"status":"inactive"}`, status: 404, code: "DEVICE_SESSION_NOT_FOUND"},
		{name: "no WebSocket", path: "/ws?deviceId=" + made.ID.String() + "&sessionId=" + session.ID.String(), role: taquilla, status: 403, code: "DEVICE_BLOCKED"},
		{name: "WebSocket of nobody", path: "/ws", status: 401, code: "UNAUTHENTICATED"},
	})
	assert.NotContains(t, b.log.String(), "request failed")
}
