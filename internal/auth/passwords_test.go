package auth

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

// While unknown clients use up every comparison, a known one still has its own.
func TestKnownClientsDoNotWaitForUnknownOnes(t *testing.T) {
	t.Parallel()
	p, err := newPasswords(bcrypt.MinCost)
	require.NoError(t, err)
	for range cap(p.turns) {
		_, err := p.wait(t.Context(), false)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = p.match(ctx, "", "x", false)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for range 3 {
		matches, err := p.match(t.Context(), "", "x", true)
		require.NoError(t, err)
		require.False(t, matches)
	}
}
