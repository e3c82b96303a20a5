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

	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/storage"
)

func (b *bundle) try(t testing.TB, name, pw, address string) error {
	t.Helper()
	_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: name, Password: pw}, auth.Client{Address: address})
	return err
}

// A known and an unknown name are slowed alike, whatever the spelling and field of the name.
func TestWrongPasswordsThrottleTheirSource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"caja-01", "CAJA-01", " caja-01 ", "Caja-01", "caja-01"} {
		require.ErrorIs(t, b.try(t, name, "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
	}
	for range 5 {
		require.ErrorIs(t, b.try(t, "nobody", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
	}
	for _, name := range []string{"caja-01", "nobody"} {
		require.ErrorIs(t, b.try(t, name, "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials, "the sixth, which begins the waiting")
		err := b.try(t, name, password, "192.0.2.9")
		require.ErrorIs(t, err, auth.ErrTooManyLogins, name)
		assert.InDelta(t, time.Second, apperr.From(err).RetryAfter, float64(time.Second))
	}
	b.clock.Advance(time.Second)
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.9"))
	for range 5 {
		require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials, "all is forgotten after the right one")
	}
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.9"))
}

// Attempts are forgotten an hour after the first one, also while further ones come.
func TestAttemptsAreForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 6 {
		require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
		b.clock.Advance(10 * time.Minute)
	}
	for range 5 {
		require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
	}
}

func TestTheWaitGrowsToItsBound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	longest := time.Duration(0)
	for range 40 {
		err := b.try(t, "caja-01", "wrong horse", "")
		if errors.Is(err, auth.ErrTooManyLogins) {
			wait := apperr.From(err).RetryAfter
			assert.LessOrEqual(t, wait, 15*time.Minute)
			longest = max(longest, wait)
			b.clock.Advance(wait)
		}
	}
	assert.Equal(t, 15*time.Minute, longest)
}

func TestOneNetworkIsSlowedOverAllNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	compared := map[string]int{}
	for i := range 1_210 {
		for kind, address := range map[string]string{
			"IPv4": "192.0.2.9", "IPv6 network": fmt.Sprintf("2001:db8::%x", i), "IPv6 site": fmt.Sprintf("2001:db8:1:%x::1", i),
		} {
			if kind != "IPv6 site" && i > 310 {
				continue
			}
			if errors.Is(b.try(t, fmt.Sprint("name-", kind, i), "wrong horse", address), auth.ErrInvalidCredentials) {
				compared[kind]++
			}
		}
	}
	assert.Equal(t, map[string]int{"IPv4": 301, "IPv6 network": 301, "IPv6 site": 1_201}, compared)
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.10"), "others are not")
}

// The waits of one account bound what attempts on it use up of the network's, and a success takes its own back.
func TestOneAccountDoesNotUseUpTheNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const network = "192.0.2.9"
	for range 400 {
		_ = b.try(t, "nobody", "wrong horse", network)
		b.clock.Advance(time.Second)
	}
	for i := range 281 { // in addition to 14 at the one name
		require.ErrorIs(t, b.try(t, fmt.Sprint("name-", i), "wrong horse", network), auth.ErrInvalidCredentials)
	}
	for range 5 {
		require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", network), auth.ErrInvalidCredentials)
	}
	require.NoError(t, b.try(t, "caja-01", password, network), "the 301st attempt of the network")
	for i := range 5 {
		require.ErrorIs(t, b.try(t, fmt.Sprint("another-", i), "wrong horse", network), auth.ErrInvalidCredentials)
	}
	require.ErrorIs(t, b.try(t, "another", "wrong horse", network), auth.ErrInvalidCredentials)
	require.ErrorIs(t, b.try(t, "yet another", "wrong horse", network), auth.ErrTooManyLogins)
}

// A network is known for 90 days, and twenty networks of an account are.
func TestKnownNetworks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := func(address string) bool {
		t.Helper()
		for i := range 125 { // more than an account admits of strangers
			_ = b.try(t, "caja-01", "wrong horse", fmt.Sprintf("10.0.%d.1", i%25))
		}
		return b.try(t, "caja-01", password, address) == nil
	}
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.1"))
	assert.True(t, known("192.0.2.1"))
	b.clock.Advance(91 * 24 * time.Hour)
	assert.False(t, known("192.0.2.1"))
	b.clock.Advance(2 * time.Hour)
	for i := range 21 {
		require.NoError(t, b.try(t, "caja-01", password, fmt.Sprintf("192.0.2.%d", i+1)))
		b.clock.Advance(time.Second)
	}
	assert.True(t, known("192.0.2.2"))
	assert.False(t, known("192.0.2.1"), "the one of the oldest login")
}

// A successful login does not count against its address: a hundred cashiers behind one router.
func TestSuccessfulLoginsAreNotThrottled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 45 {
		require.NoError(t, b.try(t, "caja-01", password, "192.0.2.9"))
	}
}

// All at once is no way around.
func TestConcurrentWrongPasswordsAreThrottled(t *testing.T) {
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

func TestLoginWorksWithoutRedis(t *testing.T) {
	t.Parallel()
	b := setup(t)
	away, err := storage.OpenRedis(t.Context(), b.env.RedisURL)
	require.NoError(t, err)
	require.NoError(t, away.Close())
	b.Service = b.service(t, away)
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.9"))
	require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
}

// Neither strangers nor another session of the user keep a user from confirming.
func TestGuessesOfOthersDoNotBlockAConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, _ := b.enter(t, "caja-01")
	stolen, _ := b.enter(t, "caja-01")
	for range 10 {
		_ = b.try(t, "caja-01", "wrong horse", "")
		_, err := b.Confirm(t.Context(), stolen, "wrong horse", "")
		require.Error(t, err)
	}
	require.ErrorIs(t, b.try(t, "caja-01", password, ""), auth.ErrTooManyLogins)
	_, err := b.Confirm(t.Context(), stolen, password, "")
	require.ErrorIs(t, err, auth.ErrTooManyLogins)
	_, err = b.Confirm(t.Context(), p, password, "")
	require.NoError(t, err)
	require.NoError(t, b.ChangePassword(t.Context(), p, password, "another horse"))
}
