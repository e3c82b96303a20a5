package app

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/internal/platform/doctor"
	"banca/internal/setup/seed"
	"banca/storage"
)

// finds asserts one finding of a level that has a text, and that it says how it is mended.
func finds(t *testing.T, findings []doctor.Finding, level doctor.Level, check, text string) {
	t.Helper()
	for _, f := range findings {
		if f.Level == level && f.Check == check && strings.Contains(f.Text, text) {
			assert.Equal(t, level == doctor.OK, f.Mend == "", "%+v", f)
			return
		}
	}
	assert.Fail(t, "no such finding", "%s %s %q in %+v", level, check, text, findings)
}

// A machine that is prepared has no failure, and what is missing for its first day is weak.
func TestAPreparedMachineIsExamined(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	cfg := settings(env)
	cfg.HTTP.Addr, cfg.Telemetry.OpsAddr = testkit.FreeAddr(t), testkit.FreeAddr(t)
	cfg.Bank.WebhookToken, cfg.Bank.AllowedIPs = "t", nil
	_, err := env.PG.Pool.Exec(t.Context(), `INSERT INTO bank_access (addresses) VALUES ('{10.0.0.0/8}')`)
	require.NoError(t, err)
	cfg.ObjectsDir, cfg.Objects = t.TempDir(), config.Objects{Bucket: "shop", PrivateBucket: "shop-private"}
	file := filepath.Join(t.TempDir(), "banca.env")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	finds(t, examine(t.Context(), cfg, file), doctor.OK, "objects", "is new")
	left, err := os.ReadDir(cfg.ObjectsDir)
	require.NoError(t, err)
	assert.Empty(t, left, "a new folder is left to the user of the start")
	owner, err := pgx.ParseConfig(env.PostgresURL)
	require.NoError(t, err)
	for _, private := range []bool{false, true} {
		objects, err := storage.OpenObjects(t.Context(), BucketOptions(cfg, private, owner.Database, nil))
		require.NoError(t, err)
		objects.Close()
	}

	findings := examine(t.Context(), cfg, file)
	finds(t, findings, doctor.OK, "settings", file)
	finds(t, findings, doctor.OK, "postgres", "version")
	finds(t, findings, doctor.OK, "schema", "are there")
	finds(t, findings, doctor.OK, "clock", "agree")
	finds(t, findings, doctor.OK, "redis", "version")
	finds(t, findings, doctor.OK, "objects", "2 buckets")
	finds(t, findings, doctor.OK, "ports", cfg.HTTP.Addr+" is free")
	finds(t, findings, doctor.OK, "bank", "1 addresses")
	finds(t, findings, doctor.OK, "results", "0 sources")
	finds(t, findings, doctor.Weak, "setup", "no administrator")
	finds(t, findings, doctor.Fail, "postgres", "fsync = off") // of the servers of tests
	finds(t, findings, doctor.Weak, "roles", "superuser")
	found, err := filepath.Glob(cfg.ObjectsDir + "/*/doctor*/*")
	require.NoError(t, err)
	assert.Empty(t, found, "of the object that was tried")
	var text strings.Builder
	require.NoError(t, doctor.Write(&text, findings))
	assert.Contains(t, text.String(), "FAILED  postgres    fsync = off: a power failure destroys the database\n"+
		strings.Repeat(" ", 20)+"-> ALTER SYSTEM SET fsync = on, then restart Postgres\n")
	assert.NotContains(t, text.String(), cfg.Auth.JWTSecret.Reveal())
}

// Every fault of a machine is found in one examination, with the file that is to be corrected.
func TestAMachineWithFaultsIsExamined(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	hash, err := bcrypt.GenerateFromPassword([]byte(seed.Password), bcrypt.MinCost)
	require.NoError(t, err)
	for _, statement := range []string{
		`INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1, 'OPERATOR', 'Operator', 'OPE', '/' || $1::uuid::text || '/')`,
		`INSERT INTO users (id, entity_id, email, name, role, password_hash) VALUES ($1, $1, 'admin@banca.test', 'Admin', 'ADMIN', '` +
			string(hash) + `')`,
	} {
		_, err = env.PG.Pool.Exec(t.Context(), statement, seed.UserIDs()[0]) // the entity has the same id
		require.NoError(t, err)
	}
	_, err = env.PG.Pool.Exec(t.Context(), `WITH category AS (INSERT INTO game_categories (id, code, name) VALUES (gen_random_uuid(), 'C', 'C') RETURNING id)
		INSERT INTO games (id, category_id, name, short_code, api_config) SELECT gen_random_uuid(), id, 'G', 'g', '{"sources": [{"name": "official"}]}' FROM category`)
	require.NoError(t, err)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	banca := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { assert.Equal(t, "/healthz", r.URL.Path) }))
	t.Cleanup(banca.Close)
	_, port, err := net.SplitHostPort(banca.Listener.Addr().String())
	require.NoError(t, err)

	cfg := settings(env)
	cfg.HTTP.Addr, cfg.Telemetry.OpsAddr = ":"+port, other.Listener.Addr().String()
	cfg.HTTP.PublicURL, cfg.HTTP.TrustedProxies = "http://banca.example.com", nil
	node := testkit.StartRedisNode(t, "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
	cfg.Redis.RedisURL = config.Secret("redis://:banca@" + node.Addr)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".owner"), []byte("another\n"), 0o600))
	cfg.ObjectsDir, cfg.Objects = dir, config.Objects{Bucket: "shop", PrivateBucket: "shop-private"}
	cfg.Secrets.Keys, cfg.Bank.WebhookToken, cfg.Bank.AllowedIPs = "", "", nil
	file := filepath.Join(t.TempDir(), "banca.env")
	require.NoError(t, os.WriteFile(file, nil, 0o644)) // the fault

	findings := examine(t.Context(), cfg, file)
	finds(t, findings, doctor.Weak, "settings", "mode 644")
	finds(t, findings, doctor.Weak, "secrets", "SECRET_KEYS")
	finds(t, findings, doctor.Fail, "passwords", "opens admin@banca.test")
	finds(t, findings, doctor.Weak, "passwords", "Redis")
	finds(t, findings, doctor.Fail, "redis", "allkeys-lru")
	finds(t, findings, doctor.Weak, "redis", "appendonly")
	finds(t, findings, doctor.Fail, "objects", `names "another"`)
	finds(t, findings, doctor.OK, "ports", "is banca")
	finds(t, findings, doctor.Fail, "ports", "another program")
	finds(t, findings, doctor.Weak, "tls", "unencrypted")
	finds(t, findings, doctor.Weak, "bank", "no token")
	finds(t, findings, doctor.Weak, "results", "official")
	assert.True(t, doctor.Failed(findings))
	for _, f := range findings {
		assert.NotContains(t, f.Text+f.Mend, "\n", "one line")
	}
}

// A server that is away, and a database without tables, are findings of their own, and do not end the examination.
func TestAMachineWithoutServersIsExamined(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	cfg := settings(env)
	away := testkit.FreeAddr(t)
	cfg.Postgres.DatabaseURL = config.Secret("postgres://banca:verysecret@" + away + "/banca")
	cfg.Redis.RedisURL = config.Secret("redis://:verysecret@" + away)
	cfg.Objects.Endpoint, cfg.Objects.ObjectPublicURL = "http://"+away, ""
	cfg.HTTP.Addr, cfg.Telemetry.OpsAddr, cfg.HTTP.TLSAddr = "127.0.0.1:0", "", ""
	findings := examine(t.Context(), cfg, "")
	finds(t, findings, doctor.OK, "settings", "environment")
	finds(t, findings, doctor.Fail, "postgres", "connect")
	finds(t, findings, doctor.Fail, "redis", "connect")
	finds(t, findings, doctor.Fail, "objects", "bucket")
	for _, f := range findings {
		assert.NotContains(t, f.Text+f.Mend, "verysecret")
	}
}
