package auth_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/models"
)

// fields are the fields of a login that hold a name.
func fields(text string) map[string]auth.Credentials {
	return map[string]auth.Credentials{"identifier": {Identifier: text}, "email": {Email: text}, "phone": {Phone: text}}
}

// answer returns the part of a login's or a code request's error that the caller sees.
func answer(err error) string {
	if err == nil {
		return "OK"
	}
	refused := apperr.From(err)
	return fmt.Sprint(refused.Code, " ", refused.RetryAfter)
}

// ways are the requests that take a name and no session.
func ways() []string { return []string{"password", "code", "request"} }

// attempt sends a wrong password, a wrong code, or a request for a code.
func (b *bundle) attempt(t testing.TB, way string, c auth.Credentials, from auth.Client) error {
	t.Helper()
	switch way {
	case "request":
		return b.RequestCode(t.Context(), c, from)
	case "code":
		c.Code = "000000"
	default:
		c.Password = "wrong horse"
	}
	_, _, err := b.Login(t.Context(), c, from)
	return err
}

// The answers to two names, in any two fields, are the same whether one account has both, an account has one, or none has any.
func TestAnswersDoNotTellWhichNamesExist(t *testing.T) {
	t.Parallel()
	const email, phone, identifier, digits = "%s@banca.test", "0414-%s0000", "caja-%s", "0424%s0000" // digits is an identifier that reads like a phone
	pairs := [][2]string{{digits, "0424-%s0000"}, {"0424-%s0000", digits}, {digits, email}}
	for _, first := range []string{email, phone, identifier} {
		for _, second := range []string{email, phone, identifier} {
			pairs = append(pairs, [2]string{first, second})
		}
	}
	for _, way := range ways() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for _, user := range []auth.NewUser{
				{Email: "111@banca.test", Phone: "0414-1110000", Identifier: "caja-111"}, {Identifier: "04241110000"},
				{Email: "222@banca.test"}, {Phone: "0414-2220000"}, {Identifier: "caja-222"}, {Identifier: "04242220000"},
			} {
				user.Name, user.Role = "Cashier", models.RoleTaquilla
				b.create(t, user)
			}
			for i, pair := range pairs {
				for first := range fields("") {
					for second := range fields("") {
						answers := func(of string) []string {
							return b.answers(t, way, fmt.Sprintf("10.0.%d.1", i), fields(fmt.Sprintf(pair[0], of))[first], fields(fmt.Sprintf(pair[1], of))[second])
						}
						unknown, where := answers("333"), fmt.Sprintf("%s=%s then %s=%s", first, pair[0], second, pair[1])
						assert.Equal(t, unknown, answers("111"), "one account has both: %s", where)
						assert.Equal(t, unknown, answers("222"), "an account has one: %s", where)
					}
				}
			}
		})
	}
}

// answers are those to six attempts at a name and three at another one, after all counts are over.
func (b *bundle) answers(t testing.TB, way, address string, first, second auth.Credentials) []string {
	t.Helper()
	b.clock.Advance(3 * time.Hour)
	var list []string
	for i := range 9 {
		c := first
		if i >= 6 {
			c = second
		}
		list = append(list, answer(b.attempt(t, way, c, auth.Client{Address: address})))
	}
	return list
}

// All names of an account share one bound, which answers like a wrong password: no password is compared beyond it. A known network is
// outside of it.
func TestTheNamesOfAnAccountShareAThrottle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.try(t, "caja-01", password, "192.0.2.1"))
	const stranger = "192.0.2.9"
	for range 6 {
		require.ErrorIs(t, b.try(t, "caja-01", "wrong horse", stranger), auth.ErrInvalidCredentials)
	}
	require.ErrorIs(t, b.try(t, "caja-01", password, stranger), auth.ErrTooManyLogins)
	require.ErrorIs(t, b.try(t, "cashier@banca.test", password, stranger), auth.ErrInvalidCredentials, "not compared")
	require.ErrorIs(t, b.try(t, "nobody@banca.test", password, stranger), auth.ErrInvalidCredentials, "as of an unknown name")
	require.NoError(t, b.try(t, "cashier@banca.test", password, "192.0.2.1"), "a known network")
	b.clock.Advance(time.Second)
	require.NoError(t, b.try(t, "0414-1234567", password, stranger), "after the wait")
}

// Beyond the bound a one-time code is not compared either, and does not count as a failure of the code.
func TestTheNamesOfAnAccountShareAThrottleOfCodes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const stranger = "192.0.2.9"
	require.NoError(t, b.RequestCode(t.Context(), auth.Credentials{Identifier: "caja-01"}, auth.Client{Address: stranger}))
	for _, name := range []string{"caja-01", "cashier@banca.test", "0414-1234567"} {
		for range 6 {
			_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: name, Code: "0"}, auth.Client{Address: stranger})
			require.ErrorIs(t, err, auth.ErrInvalidCredentials)
		}
	}
	var failures int
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT failures FROM one_time_codes WHERE user_id = $1`, b.user.ID).Scan(&failures))
	assert.Equal(t, 6, failures)
}

// The bound of docs/people.md on the guesses of strangers at one account holds for all of its names together. The
// test uses codes, because the database counts the compared ones.
func TestTheNamesOfAnAccountAllowNoFurtherGuesses(t *testing.T) {
	t.Parallel()
	for networks, bound := range map[int]int{1: 20, 20: 115} {
		t.Run(strconv.Itoa(networks), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			require.NoError(t, b.RequestCode(t.Context(), auth.Credentials{Identifier: "caja-01"}, auth.Client{Address: "192.0.2.1"}))
			b.exec(t, `UPDATE one_time_codes SET expires_at = expires_at + interval '1 day'`)
			compared, answered := 0, 0
			for range 360 { // every ten seconds for an hour, from each network under each name
				for i, network := range networksOf(networks) {
					name := []string{"caja-01", "cashier@banca.test", "04141234567"}[i%3]
					if networks == 1 {
						name = []string{"caja-01", "cashier@banca.test", "04141234567"}[answered%3]
					}
					answered++
					_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: name, Code: "0"}, auth.Client{Address: network})
					require.Error(t, err)
				}
				b.clock.Advance(10 * time.Second)
				var failures int
				require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `UPDATE one_time_codes c SET failures = 0 FROM one_time_codes o WHERE o.user_id = c.user_id RETURNING o.failures`).Scan(&failures))
				compared += failures
			}
			t.Logf("%d networks: %d compared", networks, compared)
			assert.LessOrEqual(t, compared, bound)
			assert.GreaterOrEqual(t, compared, 15, "an attacker that is slowed, not a test without attempts")
		})
	}
}
