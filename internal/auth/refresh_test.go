package auth_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
)

func TestRefreshRotates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	for range 3 {
		next, user, err := b.Refresh(t.Context(), tokens.Refresh)
		require.NoError(t, err)
		assert.Equal(t, b.user.ID, user.ID)
		assert.NotEqual(t, tokens.Refresh, next.Refresh)
		_, err = b.Authenticate(t.Context(), next.Access)
		require.NoError(t, err)
		tokens = next
	}
	assert.Empty(t, b.reason(t))
}

func TestAReplayedRefreshTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		agent string
		after time.Duration
		more  int // refreshes in between
	}{
		"another client": {agent: "thief"}, "too late": {agent: "till", after: 31 * time.Second}, "an older token": {agent: "till", more: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			old := b.login(t)
			next, _, err := b.Refresh(t.Context(), old.Refresh)
			require.NoError(t, err)
			for range tt.more {
				next, _, err = b.Refresh(t.Context(), next.Refresh)
				require.NoError(t, err)
			}
			_, err = b.Authenticate(t.Context(), next.Access)
			require.NoError(t, err)

			b.clock.Advance(tt.after)
			_, _, err = b.refreshFrom(t.Context(), tt.agent, old.Refresh)
			require.ErrorIs(t, err, auth.ErrInvalidRefresh)
			assert.Equal(t, "reuse", b.reason(t))
			for _, access := range []string{old.Access, next.Access} {
				_, err = b.Authenticate(t.Context(), access)
				require.ErrorIs(t, err, auth.ErrUnauthenticated)
			}
			_, _, err = b.Refresh(t.Context(), next.Refresh)
			assert.ErrorIs(t, err, auth.ErrInvalidRefresh, "the newest one is void too")
		})
	}
}

// A client that lost the answer of a refresh gets the same refresh token again, and its session lives on.
func TestALostAnswerOfARefresh(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	for range 3 {
		lost, _, err := b.Refresh(t.Context(), tokens.Refresh)
		require.NoError(t, err)
		b.clock.Advance(29 * time.Second)
		again, user, err := b.Refresh(t.Context(), tokens.Refresh)
		require.NoError(t, err)
		require.Equal(t, b.user.ID, user.ID)
		require.Equal(t, lost.Refresh, again.Refresh)
		for _, access := range []string{lost.Access, again.Access} {
			_, err = b.Authenticate(t.Context(), access)
			require.NoError(t, err)
		}
		tokens = again
	}
	assert.Empty(t, b.reason(t))
}

// A process that was not notified of an end learns of it when its cached session expires.
func TestACachedSessionThatEndedExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	access := b.login(t).Access
	_, err := b.Authenticate(t.Context(), access)
	require.NoError(t, err)
	b.exec(t, `UPDATE user_sessions SET ended_at = now()`)
	b.Forget()
	_, err = b.Authenticate(t.Context(), access)
	assert.ErrorIs(t, err, auth.ErrUnauthenticated)
}

func TestOnlyOneOfTwoConcurrentRefreshesSucceeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		tokens := b.login(t)
		var won atomic.Int32
		var wg sync.WaitGroup
		for client := range 2 {
			wg.Go(func() {
				_, _, err := b.refreshFrom(t.Context(), "client "+strconv.Itoa(client), tokens.Refresh)
				if err == nil {
					won.Add(1)
				} else {
					assert.ErrorIs(t, err, auth.ErrInvalidRefresh)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, won.Load())
	}
}

// Knowing a session's id must not be enough to end it.
func TestMadeUpRefreshTokensChangeNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	id, random, _ := strings.Cut(tokens.Refresh, ".")
	for _, token := range []string{
		"", ".", id, id + ".", id + "." + strings.Repeat("A", len(random)), id + "." + random + "A",
		uuid.NewString() + "." + random, strings.ToUpper(id) + "." + strings.ToUpper(random), strings.Repeat("x", 1<<20),
	} {
		_, _, err := b.Refresh(t.Context(), token)
		require.ErrorIs(t, err, auth.ErrInvalidRefresh)
	}
	assert.Empty(t, b.reason(t))
	_, _, err := b.Refresh(t.Context(), tokens.Refresh)
	assert.NoError(t, err)
}

func TestRefreshOfAnInactiveUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	b.exec(t, `UPDATE users SET status = 'inactive'`)
	_, _, err := b.Refresh(t.Context(), tokens.Refresh)
	require.ErrorIs(t, err, auth.ErrInvalidRefresh)
	assert.Empty(t, b.reason(t), "no reuse")
}

func TestLogout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	p, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	require.NoError(t, b.Logout(t.Context(), p))
	require.NoError(t, b.Logout(t.Context(), p))
	assert.Equal(t, "logout", b.reason(t))
	_, err = b.Authenticate(t.Context(), tokens.Access)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
	_, _, err = b.Refresh(t.Context(), tokens.Refresh)
	assert.ErrorIs(t, err, auth.ErrInvalidRefresh)
}

func TestExpireSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	n, err := b.ExpireSessions(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	b.clock.Advance(721 * time.Hour)
	_, _, err = b.Refresh(t.Context(), tokens.Refresh)
	require.ErrorIs(t, err, auth.ErrInvalidRefresh, "before the task has run")
	n, err = b.ExpireSessions(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	assert.Equal(t, "expired", b.reason(t))
}

func TestTheOldestSessionIsEndedAtTheLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.login(t)
	b.exec(t, `INSERT INTO user_sessions (id, user_id, token_hash, expires_at, created_at)
		SELECT gen_random_uuid(), user_id, '', expires_at, created_at + interval '1 second' FROM user_sessions, generate_series(1, 500)`)
	b.clock.Advance(time.Minute)
	last := b.login(t)
	_, err := b.Authenticate(t.Context(), first.Access)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
	_, err = b.Authenticate(t.Context(), last.Access)
	assert.NoError(t, err)
}
