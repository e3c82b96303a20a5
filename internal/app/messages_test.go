package app

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/platform/secrets"
)

// The command seals with the first key, so that the second one can be removed; a second run has nothing to do.
func TestTheKeysOfCredentialsAreRotated(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	entity, id := uuid.New(), uuid.New()
	exec(t, env, `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'x', 'X', '/' || $1::text || '/')`, entity)
	key := func(name string) string {
		return name + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name, 16)))
	}
	old, err := secrets.Parse(key("aa"))
	require.NoError(t, err)
	sealed, err := old.Seal([]byte(`{"api_key":"k"}`), "messaging_connections "+id.String())
	require.NoError(t, err)
	exec(t, env, `INSERT INTO messaging_connections (id, entity_id, name, driver, parameters, secrets, per_minute, checked_at, state, created_at, updated_at)
		VALUES ($1, $2, 'x', 'log', '{}', $3, 60, now(), 'open', now(), now())`, id, entity, sealed)
	cfg := settings(env)
	cfg.Secrets.Keys = config.Secret(key("bb") + "," + key("aa"))
	a, err := Open(t.Context(), cfg, config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	for _, want := range []string{"1 connections", "0 connections"} {
		var out bytes.Buffer
		require.NoError(t, a.RotateSecrets(t.Context(), &out))
		require.Contains(t, out.String(), want)
	}
	var stored string
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT secrets FROM messaging_connections`).Scan(&stored))
	fresh, err := secrets.Parse(key("bb"))
	require.NoError(t, err)
	value, err := fresh.Open(stored, "messaging_connections "+id.String())
	require.NoError(t, err)
	require.JSONEq(t, `{"api_key":"k"}`, string(value))
}

func exec(t *testing.T, env *testkit.Env, sql string, args ...any) {
	t.Helper()
	_, err := env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// A parameter that the driver refuses is told at the start, by the name of its variable and without its value.
func TestTheConfiguredChannelIsCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	drivers := newDrivers(&config.Messaging{}, clock.System{}, slog.New(slog.DiscardHandler))
	for name, m := range map[string]config.Messaging{
		"MESSAGING_API_KEY":  {GatewayURL: "https://gateway.example", Instance: "banca", APIKey: "a secret with blanks"},
		"MESSAGING_INSTANCE": {GatewayURL: "https://gateway.example", Instance: "../other", APIKey: "k3y"},
		"MESSAGING_URL":      {GatewayURL: "https://gateway.example/?key=1", Instance: "banca", APIKey: "k3y"},
		"":                   {GatewayURL: "https://gateway.example", Instance: "banca", APIKey: "k3y"},
	} {
		m.Driver = config.DriverEvolution
		err := checkConfigured(drivers, configuredChannel(&m, config.Mode(RoleAPI)))
		if name == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, name+": the driver evolution refuses it: ")
		require.NotContains(t, err.Error(), "a secret")
	}
}
