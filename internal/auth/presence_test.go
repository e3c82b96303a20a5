package auth_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
)

// times reads when the only user and the only session were last active.
func (b *bundle) times(t testing.TB) (user, session time.Time) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `
		SELECT u.last_activity_at, coalesce(s.last_seen_at, 'epoch') FROM users u JOIN user_sessions s ON s.user_id = u.id`).Scan(&user, &session))
	return user, session
}

// writes counts the statements that updated users from now on.
func (b *bundle) writes(t testing.TB) func() int {
	t.Helper()
	b.exec(t, `CREATE TABLE counted (n integer)`)
	b.exec(t, `CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO counted VALUES (1); RETURN NULL; END $$`)
	b.exec(t, `CREATE TRIGGER counting AFTER UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION count_it()`)
	b.exec(t, `CREATE TRIGGER counting AFTER UPDATE ON user_sessions FOR EACH STATEMENT EXECUTE FUNCTION count_it()`)
	return func() (n int) {
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM counted`).Scan(&n))
		return n
	}
}

func TestAThousandRequestsAreOneWrite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Authenticate(t.Context(), b.login(t).Access)
	require.NoError(t, err)
	writes := b.writes(t)
	for range 1_000 {
		b.clock.Advance(time.Millisecond)
		b.Touch(p)
	}
	assert.Zero(t, writes(), "no request writes")
	require.NoError(t, b.WritePresence(t.Context()))
	require.NoError(t, b.WritePresence(t.Context()), "there is nothing more to write")
	assert.Equal(t, 2, writes(), "one statement a table")
	user, session := b.times(t)
	assert.WithinDuration(t, b.clock.Now(), user, time.Microsecond)
	assert.WithinDuration(t, b.clock.Now(), session, time.Microsecond)
}

func TestPresenceNeverMovesBackInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Authenticate(t.Context(), b.login(t).Access)
	require.NoError(t, err)
	b.Touch(p)
	later := b.clock.Now().Add(time.Hour)
	b.exec(t, `UPDATE users SET last_activity_at = $1`, later)
	b.exec(t, `UPDATE user_sessions SET last_seen_at = $1`, later)
	require.NoError(t, b.WritePresence(t.Context()))
	user, session := b.times(t)
	assert.WithinDuration(t, later, user, time.Microsecond)
	assert.WithinDuration(t, later, session, time.Microsecond)
}

// Run writes the rest when it ends.
func TestNothingIsLostAtTheEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Authenticate(t.Context(), b.login(t).Access)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx, slog.New(slog.DiscardHandler)) }()
	b.clock.Advance(time.Minute)
	b.Touch(p)
	stop()
	<-done
	user, _ := b.times(t)
	assert.WithinDuration(t, b.clock.Now(), user, time.Microsecond)
}

// During an outage of the database recorded activity is kept, within a bound, and written afterwards; no request
// waits.
func TestPresenceIsKeptDuringAnOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	server := testkit.StartPostgres(t)
	db := server.Open(t, slog.New(slog.DiscardHandler))
	clk := clock.NewFake(time.Now())
	s, err := auth.New(db, clk, auth.Options{
		Secret: []byte(secret), AccessTTL: time.Minute, RefreshTTL: time.Hour, BcryptCost: bcrypt.MinCost, Redis: testkit.New(t).Redis,
		Scope: func(context.Context, uuid.UUID) (caller.Scope, error) { return caller.Scope{}, nil },
	})
	require.NoError(t, err)
	entity, user, session := uuid.New(), uuid.New(), uuid.New()
	for _, sql := range []string{
		fmt.Sprintf(`INSERT INTO entities (id, entity_type, name, code, path) VALUES ('%s', 'OPERATOR', 'Root', 'ROOT', '/%[1]s/')`, entity),
		fmt.Sprintf(`INSERT INTO users (id, entity_id, email, name, role, password_hash) VALUES ('%s', '%s', 'a@b', 'A', 'ADMIN', '')`, user, entity),
		fmt.Sprintf(`INSERT INTO user_sessions (id, user_id, token_hash, expires_at) VALUES ('%s', '%s', '', now())`, session, user),
	} {
		_, err := db.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	server.Stop()
	s.Touch(caller.Caller{UserID: user, SessionID: session})
	begin := time.Now()
	for range 60_000 {
		s.Touch(caller.Caller{UserID: uuid.New(), SessionID: uuid.New()})
	}
	assert.Less(t, time.Since(begin), testkit.WaitTimeout/2, "nobody waits")
	require.Error(t, s.WritePresence(t.Context()))
	clk.Advance(time.Minute)
	s.Touch(caller.Caller{UserID: user, SessionID: session}) // known, so there is room
	server.Start()
	require.Eventually(t, func() bool { return s.WritePresence(t.Context()) == nil }, testkit.WaitTimeout, 100*time.Millisecond, "a write that fails keeps what it has")
	var at time.Time
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT last_activity_at FROM users`).Scan(&at))
	assert.WithinDuration(t, clk.Now(), at, time.Microsecond)
}
