package test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/app"
	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/storage"
)

const rolesDatabase = "banca_roles"

// rolesOf makes a database with the roles of scripts/postgres-roles.sql, and returns its addresses for the owner's role and for
// the application's.
func rolesOf(t *testing.T, env *testkit.Env) (owner, application string) {
	t.Helper()
	_, err := env.PG.Pool.Exec(t.Context(), "CREATE DATABASE "+rolesDatabase)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, sql := range []string{"DROP DATABASE " + rolesDatabase + " WITH (FORCE)", "DROP ROLE banca_owner, banca_app"} {
			_, err := env.PG.Pool.Exec(context.WithoutCancel(t.Context()), sql)
			assert.NoError(t, err)
		}
	})
	address, err := url.Parse(databaseOf(t, env, rolesDatabase))
	require.NoError(t, err)
	as := func(user string) string {
		u := *address
		u.User = url.User(user)
		query := u.Query()
		query.Del("user")
		u.RawQuery = query.Encode()
		return u.String()
	}
	psql := exec.CommandContext(t.Context(), "psql", "-X", "-d", as(address.User.Username()), "-f", "../scripts/postgres-roles.sql")
	psql.Env = append(os.Environ(), "POSTGRES_OWNER_PASSWORD=owner's", "POSTGRES_APP_PASSWORD=application's")
	out, err := psql.CombinedOutput()
	require.NoError(t, err, string(out))
	return as("banca_owner"), as("banca_app")
}

// The platform runs as the application's role of Postgres, after the owner's role migrated, and that role cannot undo what
// the tables enforce.
func TestTheApplicationIsNoSuperuser(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	owner, application := rolesOf(t, env)
	_, err := storage.Migrate(t.Context(), owner)
	require.NoError(t, err)

	p := newPlatform(t)
	p.env = []string{"DATABASE_URL=" + application}
	p.start()
	cashier := p.login("taquilla@banca.test")
	sold := p.sell(cashier, p.openDraw(cashier), "roles-1")
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	require.Equal(t, 384, p.receiptPicture(cashier, sold.header.Get("Location")))
	cancelled := p.post(sold.header.Get("Location")+"/cancel", cashier, nil, "")
	require.Equal(t, http.StatusOK, cancelled.status, string(cancelled.raw))
	require.NoError(t, p.interrupt())
	requireSoundAs(t, env, application)

	conn, err := pgx.Connect(t.Context(), application)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	const denied, refused = "42501", "23000" // not allowed to the role; refused by a trigger
	for sql, code := range map[string]string{
		`DROP TABLE tickets`:                       denied,
		`ALTER TABLE postings DISABLE TRIGGER ALL`: denied,
		`SET session_replication_role = replica`:   denied,
		`TRUNCATE postings`:                        denied,
		`CREATE TABLE mine (n integer)`:            denied,
		`CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`: denied,
		`ALTER ROLE banca_app SUPERUSER`:           denied,
		`SET ROLE banca_owner`:                     denied,
		`COPY tickets TO PROGRAM 'true'`:           denied,
		`UPDATE postings SET amount = amount + 1`:  refused,
		`DELETE FROM transactions`:                 refused,
		`UPDATE wallets SET balance = balance + 1`: refused,
	} {
		_, err := conn.Exec(t.Context(), sql)
		var pg *pgconn.PgError
		require.ErrorAs(t, err, &pg, sql)
		assert.Equal(t, code, pg.Code, sql)
	}
}

// requireSoundAs is `banca verify` with a role of Postgres.
func requireSoundAs(t *testing.T, env *testkit.Env, address string) {
	t.Helper()
	requireSoundOn(t, address, env.RedisURL)
}

// requireSoundOn is `banca verify` on a Postgres and a Redis.
func requireSoundOn(t *testing.T, postgres, redis string) {
	t.Helper()
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.Postgres.DatabaseURL, cfg.Redis.RedisURL = config.Secret(postgres), config.Secret(redis)
	cfg.Objects.Endpoint, cfg.Objects.AccessKey, cfg.Objects.SecretKey = "http://127.0.0.1:1", "unused", "unused" // verifying reads no object
	cfg.Auth.JWTSecret = config.Secret(strings.Repeat("s", 32))
	a, err := app.Open(t.Context(), &cfg, config.Mode("verify"), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	report := &strings.Builder{}
	require.NoError(t, a.Verify(t.Context(), report), report)
	require.NoError(t, a.Close())
}
