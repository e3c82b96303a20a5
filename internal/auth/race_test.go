package auth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
)

// A login whose password is changed during the comparison opens no session: the change has ended the user's sessions.
func TestAPasswordChangeRefusesAConcurrentLogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, change := range []string{`password_hash = 'other'`, `status = 'inactive'`} {
		tx, err := b.env.PG.Pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `UPDATE users SET `+change+` WHERE identifier = 'caja-01'`)
		require.NoError(t, err)
		entered := make(chan error, 1)
		go func() {
			_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: "caja-01", Password: password}, auth.Client{})
			entered <- err
		}()
		require.Eventually(t, func() bool { return b.env.WaitingForLocks(t) > 0 }, testkit.WaitTimeout, 10*time.Millisecond)
		before := b.hash(t)
		require.NoError(t, tx.Commit(t.Context()))
		require.ErrorIs(t, <-entered, auth.ErrInvalidCredentials)
		var n int
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM user_sessions`).Scan(&n))
		require.Zero(t, n)
		b.exec(t, `UPDATE users SET password_hash = $1, status = 'active' WHERE identifier = 'caja-01'`, before)
	}
}

func (b *bundle) hash(t *testing.T) (hash string) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT password_hash FROM users WHERE identifier = 'caja-01'`).Scan(&hash))
	return hash
}
