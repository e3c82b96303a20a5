package auth_test

import (
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/apperr"
)

// All spellings of a name in all fields count as one name, whether a user has it or not.
func TestSpellingsOfANameAreOneName(t *testing.T) {
	t.Parallel()
	for name, spellings := range map[string][]auth.Credentials{
		"unknown name":     {{Identifier: "nobody@banca.test"}, {Identifier: "NOBODY@banca.test"}, {Email: " nobody@BANCA.test "}},
		"unknown phone":    {{Phone: "0414-9999999"}, {Phone: "+58 (414) 999.99.99"}, {Identifier: "00584149999999"}},
		"any field":        {{Identifier: "nobody"}, {Email: "NOBODY"}, {Phone: " nobody "}},
		"phone, any field": {{Identifier: "04149999999"}, {Email: "0414-9999999"}, {Phone: "+584149999999"}},
		"user":             {{Identifier: "caja-01"}, {Email: "CAJA-01"}, {Phone: " caja-01"}},
		"user's phone":     {{Phone: "+58 (414) 123.45.67"}, {Identifier: "00584141234567"}, {Email: "04141234567"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for i := range 6 {
				c := spellings[i%len(spellings)]
				c.Password = "wrong horse"
				_, _, err := b.Login(t.Context(), c, auth.Client{Address: "192.0.2.9"})
				require.ErrorIs(t, err, auth.ErrInvalidCredentials)
			}
			for _, c := range spellings {
				c.Password = "wrong horse"
				_, _, err := b.Login(t.Context(), c, auth.Client{Address: "192.0.2.9"})
				require.ErrorIs(t, err, auth.ErrTooManyLogins, "%+v", c)
			}
		})
	}
}

// Requests for codes, and wrong codes, are answered on a step of time whether there is such a user or not.
func TestResponseTimesDoNotRevealAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.caller(t)
	const step = 200 * time.Millisecond
	s := b.serviceAt(t, b.env.Redis, step, testkit.RedisTimeout)
	for kind, do := range map[string]func(phone, address string){
		"request": func(phone, address string) {
			require.NoError(t, s.RequestCode(t.Context(), auth.Credentials{Phone: phone}, auth.Client{Address: address}))
		},
		"wrong code": func(phone, address string) {
			_, _, err := s.Login(t.Context(), auth.Credentials{Phone: phone, Code: "000000"}, auth.Client{Address: address})
			require.Equal(t, "INVALID_CREDENTIALS", apperr.From(err).Code)
		},
	} {
		for who, phone := range map[string]string{"a user with a phone": "0414-5550000", "unknown": "0414-9999999"} {
			var took []time.Duration
			for i := range 7 {
				b.clock.Advance(time.Hour)
				started := time.Now()
				do(phone, fmt.Sprintf("192.0.2.%d", i))
				took = append(took, time.Since(started))
			}
			slices.Sort(took)
			t.Logf("%s, %s: median %s", kind, who, took[3])
			assert.GreaterOrEqual(t, took[0], step, "%s, %s", kind, who)
		}
	}
}

// A Redis that accepts connections and does not answer delays a login by less than a second, and then counts as
// unavailable.
func TestAHangingRedisDoesNotDelayALogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var listen net.ListenConfig
	hung, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = hung.Close() })
	go func() {
		for {
			conn, err := hung.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, conn) }()
		}
	}()
	client := redis.NewClient(&redis.Options{Addr: hung.Addr().String(), ContextTimeoutEnabled: true, MaxRetries: -1, DialTimeout: time.Minute, ReadTimeout: time.Minute})
	t.Cleanup(func() { _ = client.Close() })
	b.Service = b.serviceAt(t, client, time.Millisecond, 0)
	for _, do := range []func() error{
		func() error { return b.try(t, "caja-01", password, "192.0.2.9") },
		func() error {
			return b.RequestCode(t.Context(), auth.Credentials{Identifier: "caja-01"}, auth.Client{Address: "192.0.2.9"})
		},
	} {
		started := time.Now()
		require.NoError(t, do())
		assert.Less(t, time.Since(started), time.Minute, "it does not wait for Redis")
		t.Log(time.Since(started))
	}
	require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", "192.0.2.9"), auth.ErrInvalidCredentials)
}
