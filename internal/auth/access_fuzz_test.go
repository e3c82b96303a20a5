package auth

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
)

// FuzzAccessToken: a token that another one than the holder of the key wrote is refused, and so is a changed one.
func FuzzAccessToken(f *testing.F) {
	tokens := newAccessTokens([]byte("0123456789abcdef0123456789abcdef"), time.Hour, clock.System{})
	issued, err := tokens.issue(&User{ID: uuid.New(), Role: "ADMIN"}, uuid.New())
	require.NoError(f, err)
	_, err = tokens.verify(issued)
	require.NoError(f, err)
	for _, token := range []string{"", ".", "..", "e30.e30.", issued + "x", issued[:len(issued)-2], "eyJhbGciOiJub25lIn0.eyJpc3MiOiJiYW5jYSJ9."} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if len(token) == len(issued) && strings.HasPrefix(token, issued[:len(issued)-1]) {
			return // the last character has bits that no byte uses
		}
		_, err := tokens.verify(token)
		require.Error(t, err)
	})
}
