package auth_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/storage"
)

func (b *bundle) try(t testing.TB, name, pw, address string) error {
	t.Helper()
	_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: name, Password: pw}, auth.Client{Address: address})
	return err
}

// A known and an unknown name are slowed alike, whatever form the name is given in.
func TestWrongPasswordsSlowAnAccountDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, name := range []string{"caja-01", "CAJA-01", " caja-01 ", "cashier@banca.test", "0414-1234567"} {
		require.ErrorIs(t, b.try(t, name, "wrong horse", fmt.Sprintf("10.0.0.%d", i)), auth.ErrInvalidCredentials)
	}
	for range 5 {
		require.ErrorIs(t, b.try(t, "nobody", "wrong horse", ""), auth.ErrInvalidCredentials)
	}
	for _, name := range []string{"caja-01", "nobody"} {
		require.ErrorIs(t, b.try(t, name, "wrong horse", ""), auth.ErrInvalidCredentials, "the sixth, which begins the waiting")
		err := b.try(t, name, password, "")
		require.ErrorIs(t, err, auth.ErrTooManyLogins, name)
		assert.InDelta(t, time.Second, apperr.From(err).RetryAfter, float64(time.Second))
	}
	b.clock.Advance(time.Second)
	require.NoError(t, b.try(t, "caja-01", password, ""))
	require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", ""), auth.ErrInvalidCredentials, "all is forgotten after the right one")
	require.NoError(t, b.try(t, "caja-01", password, ""))
}

func TestTheWaitGrowsToItsBound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	longest := time.Duration(0)
	for range 20 {
		err := b.try(t, "caja-01", "wrong horse", "")
		if errors.Is(err, auth.ErrTooManyLogins) {
			wait := apperr.From(err).RetryAfter
			assert.LessOrEqual(t, wait, time.Minute)
			longest = max(longest, wait)
			b.clock.Advance(wait)
		}
	}
	assert.Greater(t, longest, 15*time.Second)
}

func TestOneAddressIsSlowedOverAllNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, address := range []string{"192.0.2.9", "2001:db8::%d"} {
		slowed := false
		for i := range 40 {
			from := address
			if i > 0 && len(address) > 10 {
				from = fmt.Sprintf(address, i) // another address of the same network
			}
			if address == "2001:db8::%d" && i == 0 {
				from = "2001:db8::1"
			}
			if errors.Is(b.try(t, fmt.Sprint("name-", i), "wrong horse", from), auth.ErrTooManyLogins) {
				slowed = true
				break
			}
		}
		assert.True(t, slowed, address)
	}
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.10"), "others are not")
}

// Who gets in does not use up what the address may try: a hundred cashiers behind one router.
func TestRightPasswordsAreFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 45 {
		require.NoError(t, b.try(t, "caja-01", password, "192.0.2.9"))
	}
}

// All at once is no way around.
func TestAHundredTriesAtOnceAreNotFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var compared atomic.Int32
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if errors.Is(b.try(t, "caja-01", "wrong horse", ""), auth.ErrInvalidCredentials) {
				compared.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 6, compared.Load())
}

func TestWithoutRedisPeopleStillGetIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	away, err := storage.OpenRedis(t.Context(), b.env.RedisURL)
	require.NoError(t, err)
	require.NoError(t, away.Close())
	b.Service = b.service(t, away)
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.9"))
	require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
}

// Whoever tries a user's name from outside does not keep the user from confirming.
func TestStrangersDoNotKeepAUserFromConfirming(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, _ := b.enter(t, "caja-01")
	for range 10 {
		_ = b.try(t, "caja-01", "wrong horse", "")
	}
	require.ErrorIs(t, b.try(t, "caja-01", password, ""), auth.ErrTooManyLogins)
	_, err := b.Confirm(t.Context(), p, password, "")
	require.NoError(t, err)
	require.NoError(t, b.ChangePassword(t.Context(), p, password, "another horse"))
}
