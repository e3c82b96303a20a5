package test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/config"
	"banca/models"
)

// The key of a device stands for a confirmed password: of an active device of the caller's own entity, and not to make
// further keys.
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
