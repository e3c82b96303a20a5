package test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
	"banca/models"
)

// The key of an active device of the caller's own entity replaces a confirmed password, except to create further
// keys.
func TestADeviceKeyConfirms(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	s.fill()
	const ours, theirs = "ours " + models.RoleAdmin, "theirs " + models.RoleAdmin
	a := s.as(ours, http.MethodPost, "/auth/devices", map[string]any{"name": "Office", "fingerprint": "fingerprint-of-the-office"})
	require.Equal(t, http.StatusCreated, a.status, string(a.raw))
	key, _ := a.data()["device_key"].(string)
	id, _ := a.data()["id"].(string)
	require.NotEmpty(t, key)
	s.exec(`UPDATE user_sessions SET confirmed_at = now() - interval '1 hour'`)

	sensitive := leakCall{method: http.MethodDelete, path: "/users/" + uuid.NewString()}
	refused := func(name, who, deviceKey string) {
		c := sensitive
		c.token, c.deviceKey = s.tokens[who], deviceKey
		a := s.send(c)
		assert.Equal(t, http.StatusForbidden, a.status, name)
		assert.Equal(t, "CONFIRMATION_REQUIRED", a.body["code"], name)
	}
	refused("without", ours, "")
	refused("made up", ours, key[:len(key)-1]+"x")
	refused("of another entity", theirs, key)
	c := sensitive
	c.token, c.deviceKey = s.tokens[ours], key
	assert.Equal(t, "USER_NOT_FOUND", s.send(c).body["code"], "it was let through")

	another := leakCall{
		method: http.MethodPost, path: "/auth/devices", token: s.tokens[ours], deviceKey: key, contentType: "application/json",
		body: strings.NewReader(`{"name":"Another","fingerprint":"fingerprint-of-another"}`),
	}
	assert.Equal(t, "CONFIRMATION_REQUIRED", s.send(another).body["code"], "a key makes no key")
	s.exec(`UPDATE devices SET status = 'suspended' WHERE id = '` + id + `'`)
	refused("of a suspended device", ours, key)
}

// Making a device or its session active again, and changing banks and network codes, need a fresh confirmation; a device key
// confirms the latter only. Taking a device away needs none.
func TestActivatingAndBanksNeedAConfirmation(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	s.fill()
	const house = "house " + models.RoleAdmin
	a := s.as(house, http.MethodPost, "/auth/devices", map[string]any{"name": "Office", "fingerprint": "fingerprint-of-the-office"})
	require.Equal(t, http.StatusCreated, a.status, string(a.raw))
	key, _ := a.data()["device_key"].(string)
	id, _ := a.data()["id"].(string)
	a = s.as(house, http.MethodPost, "/auth/devices/validate", map[string]any{"deviceId": id, "fingerprint": "fingerprint-of-the-office"})
	require.Equal(t, http.StatusOK, a.status, string(a.raw))
	session, _ := a.data()["id"].(string)
	a = s.as(house, http.MethodPost, "/auth/devices", map[string]any{"name": "Spare", "fingerprint": "fingerprint-of-the-spare"})
	require.Equal(t, http.StatusCreated, a.status, string(a.raw))
	spareKey, _ := a.data()["device_key"].(string)

	write := func(method, path, body, deviceKey string) answer {
		return s.send(leakCall{method: method, path: path, token: s.tokens[house], deviceKey: deviceKey, contentType: "application/json", body: strings.NewReader(body)})
	}
	const active, suspended = `{"status":"active"}`, `{"status":"suspended"}`
	for _, c := range []struct {
		method, path, body string
		status             int
		free, keyed        bool // needs nothing; is confirmed by a device key
	}{
		{http.MethodPut, "/auth/device-sessions/" + session + "/status", suspended, 200, true, false},
		{http.MethodPut, "/auth/device-sessions/" + session + "/status", active, 200, false, false},
		{http.MethodPut, "/auth/devices/" + id + "/status", suspended, 200, true, false},
		{http.MethodPut, "/auth/devices/" + id + "/status", active, 200, false, false},
		{http.MethodPut, "/auth/devices/" + id + "/status", `{"status":"blocked"}`, 200, true, false},
		{http.MethodPut, "/auth/devices/" + id + "/status", active, 200, false, false},
		{http.MethodPost, "/bank/banks", `{"code":"0999","name":"Banco Nuevo"}`, 201, false, true},
		{http.MethodPut, "/bank/banks/0999", `{"name":"Banco","status":"retired"}`, 200, false, true},
		{http.MethodDelete, "/bank/banks/0999", "", 200, false, true},
		{http.MethodPost, "/bank/network-codes", `{"code":"77","meaning":"Otro"}`, 201, false, true},
		{http.MethodPut, "/bank/network-codes/77", `{"meaning":"Uno"}`, 200, false, true},
		{http.MethodDelete, "/bank/network-codes/77", "", 200, false, true},
	} {
		name := c.method + " " + c.path + " " + c.body
		s.exec(`UPDATE user_sessions SET confirmed_at = now() - interval '1 hour'`)
		if c.free {
			require.Equal(t, c.status, write(c.method, c.path, c.body, "").status, name)
			continue
		}
		a := write(c.method, c.path, c.body, "")
		require.Equal(t, http.StatusForbidden, a.status, name)
		assert.Equal(t, "CONFIRMATION_REQUIRED", a.body["code"], name)
		if c.keyed {
			require.Equal(t, c.status, write(c.method, c.path, c.body, spareKey).status, name)
			continue
		}
		for _, k := range []string{key, spareKey} {
			assert.Equal(t, "CONFIRMATION_REQUIRED", write(c.method, c.path, c.body, k).body["code"], name)
		}
		s.exec(`UPDATE user_sessions SET confirmed_at = now()`)
		require.Equal(t, c.status, write(c.method, c.path, c.body, "").status, name)
	}
}
