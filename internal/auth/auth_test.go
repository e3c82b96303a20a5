package auth_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	password = "correct horse"
	secret   = "0123456789abcdef0123456789abcdef"
)

// bundle is a service over a database with one root entity and one cashier.
type bundle struct {
	*auth.Service
	env   *testkit.Env
	clock *clock.Fake
	root  models.Entity
	user  auth.User
}

// Refresh is the refresh of one client.
func (b *bundle) Refresh(ctx context.Context, token string) (auth.Tokens, auth.User, error) {
	return b.refreshFrom(ctx, "till", token)
}

// refreshFrom is the refresh of a client with a User-Agent.
func (b *bundle) refreshFrom(ctx context.Context, agent, token string) (auth.Tokens, auth.User, error) {
	return b.Service.Refresh(ctx, token, auth.Client{Address: "192.0.2.1", UserAgent: agent})
}

func setup(t testing.TB) *bundle {
	t.Helper()
	env := testkit.New(t)
	id := uuid.Must(uuid.NewV7())
	b := &bundle{env: env, clock: clock.NewFake(time.Now()), root: models.Entity{
		ID: id, EntityType: models.EntityOperator, Name: "Root", Code: "ROOT", Path: "/" + id.String() + "/", Status: models.StatusActive,
	}}
	require.NoError(t, env.PG.Gorm.Create(&b.root).Error)
	b.Service = b.service(t, env.Redis)
	b.user = b.create(t, auth.NewUser{
		Email: "Cashier@Banca.test", Phone: "0414-1234567", Identifier: "Caja-01", Name: "Cashier", Role: models.RoleTaquilla,
	})
	return b
}

// service returns a service over the bundle's database.
func (b *bundle) service(t testing.TB, attempts redis.UniversalClient) *auth.Service {
	t.Helper()
	return b.serviceAt(t, attempts, time.Millisecond, testkit.RedisTimeout)
}

func (b *bundle) serviceAt(t testing.TB, attempts redis.UniversalClient, step, wait time.Duration) *auth.Service {
	t.Helper()
	entities := org.New(b.env.PG.Gorm, org.Options{})
	s, err := auth.New(b.env.PG, b.clock, auth.Options{
		Secret: []byte(secret), AccessTTL: 15 * time.Minute, RefreshTTL: 720 * time.Hour, BcryptCost: bcrypt.MinCost, Redis: attempts, CredentialsKept: 24 * time.Hour, AnswerStep: step, ThrottleWait: wait,
		Scope: entities.Scope,
	})
	require.NoError(t, err)
	return s
}

func (b *bundle) create(t testing.TB, n auth.NewUser) auth.User {
	t.Helper()
	n.EntityID, n.Password = b.root.ID, password
	user, err := b.CreateUser(t.Context(), b.admin(), &n)
	require.NoError(t, err)
	return user
}

// admin is an administrator of the root.
func (b *bundle) admin() caller.Caller {
	return caller.Caller{UserID: uuid.Must(uuid.NewV7()), EntityID: b.root.ID, Scope: testkit.Scope(b.root.Path), Role: models.RoleAdmin, Permissions: auth.RolePermissions(models.RoleAdmin)}
}

func (b *bundle) login(t testing.TB) auth.Tokens {
	t.Helper()
	tokens, _, err := b.Login(t.Context(), auth.Credentials{Identifier: "caja-01", Password: password}, auth.Client{})
	require.NoError(t, err)
	return tokens
}

func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// fill runs a statement that writes many rows, for as long as it takes on a busy machine.
func (b *bundle) fill(t testing.TB, sql string, args ...any) {
	t.Helper()
	require.NoError(t, pgx.BeginFunc(t.Context(), b.env.PG.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL statement_timeout = 0`); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	}))
}

// reason returns why the only session ended, "" if it lives.
func (b *bundle) reason(t testing.TB) string {
	t.Helper()
	var reason string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT coalesce(end_reason, '') FROM user_sessions`).Scan(&reason))
	return reason
}
