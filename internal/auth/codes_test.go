package auth_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
)

// ask requests a code for the user and returns it, "" when none was issued.
func (b *bundle) ask(t testing.TB) string {
	t.Helper()
	before := b.message(t)
	require.NoError(t, b.RequestCode(t.Context(), auth.Credentials{Phone: "04145550000"}, auth.Client{}))
	id := b.message(t)
	if id == before {
		return ""
	}
	sent, err := b.SentCode(t.Context(), id)
	require.NoError(t, err)
	return sent.Digits
}

func (b *bundle) message(t testing.TB) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	_ = b.env.PG.Pool.QueryRow(t.Context(), `SELECT message_id FROM one_time_codes c JOIN users u ON u.id = c.user_id WHERE u.phone = '+584145550000'`).Scan(&id)
	return id
}

func (b *bundle) caller(t testing.TB) auth.User {
	t.Helper()
	user, err := b.CreateUser(t.Context(), b.admin(), &auth.NewUser{EntityID: b.root.ID, Phone: "0414-5550000", Name: "Caller", Role: models.RoleTaquilla})
	require.NoError(t, err)
	return user
}

func (b *bundle) enterWith(t testing.TB, code string) error {
	t.Helper()
	_, _, err := b.Login(t.Context(), auth.Credentials{Phone: "04145550000", Code: code}, auth.Client{})
	return err
}

func TestACodeOpensOneSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user := b.caller(t)
	require.ErrorIs(t, b.enterWith(t, "000000"), auth.ErrInvalidCredentials, "before there is one")
	code := b.ask(t)
	require.Len(t, code, 6)
	to, err := b.CodeRecipient(t.Context(), b.message(t))
	require.NoError(t, err)
	assert.Equal(t, auth.CodeRecipient{EntityID: b.root.ID, Phone: "+584145550000"}, to)
	var queued string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT string_agg(payload::text, '') FROM outbox WHERE kind = 'auth.code'`).Scan(&queued))
	assert.Contains(t, queued, b.message(t).String())
	var kept string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT string_agg(c::text, '') FROM one_time_codes c) || (SELECT string_agg(o::text, '') FROM outbox o)`).Scan(&kept))
	assert.NotContains(t, regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d\d:\d\d:[\d.]+`).ReplaceAllString(kept, ""), code, "it is written down nowhere")

	var opened atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if b.enterWith(t, code) == nil {
				opened.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, opened.Load())
	_, err = b.SentCode(t.Context(), b.message(t))
	require.ErrorIs(t, err, auth.ErrCodeGone)
	all, _, err := b.Sessions(t.Context(), b.admin(), &auth.SessionFilter{UserID: user.ID, Limit: 10})
	require.NoError(t, err)
	assert.Len(t, all, 1)
}

func TestACodeExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.caller(t)
	code := b.ask(t)
	assert.Empty(t, b.ask(t), "another one only after a pause")
	b.clock.Advance(5 * time.Minute)
	require.ErrorIs(t, b.enterWith(t, code), auth.ErrInvalidCredentials)
}

func wrongCode(code string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
}

// Wrong codes of strangers are bounded, and keep neither a known client nor, while they are few, an unknown one out.
func TestWrongCodesOfOthersDoNotInvalidateACode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.caller(t)
	enter := func(code, address string, tokens ...string) (auth.Tokens, error) {
		got, _, err := b.Login(t.Context(), auth.Credentials{Phone: "04145550000", Code: code}, auth.Client{Address: address, Tokens: tokens})
		return got, err
	}
	code := b.ask(t)
	for range 20 {
		_, err := enter(wrongCode(code), "192.0.2.1")
		require.Error(t, err)
	}
	first, err := enter(code, "192.0.2.2")
	require.NoError(t, err, "an unknown client, beside one attacker")

	b.clock.Advance(time.Minute)
	code = b.ask(t)
	for i := range 200 {
		_, err := enter(wrongCode(code), fmt.Sprintf("10.0.%d.1", i))
		require.Error(t, err)
	}
	_, err = enter(code, "192.0.2.3")
	require.Error(t, err, "the code is void for unknown clients")
	_, err = enter(code, "192.0.2.4", first.Client)
	require.NoError(t, err, "and not for a known one")
}

// A request of a stranger does not replace the code that another client waits for.
func TestRequestsOfOthersDoNotReplaceACode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.caller(t)
	request := func(address string) {
		require.NoError(t, b.RequestCode(t.Context(), auth.Credentials{Phone: "04145550000"}, auth.Client{Address: address}))
	}
	request("192.0.2.1")
	id := b.message(t)
	sent, err := b.SentCode(t.Context(), id)
	require.NoError(t, err)
	code := sent.Digits
	for i := range 20 {
		b.clock.Advance(10 * time.Second)
		request(fmt.Sprintf("10.0.%d.1", i))
	}
	require.Equal(t, id, b.message(t))
	require.NoError(t, b.enterWith(t, code))

	b.clock.Advance(time.Hour)
	request("192.0.2.1")
	own := b.message(t)
	require.NotEqual(t, id, own)
	b.clock.Advance(time.Minute)
	request("192.0.2.1")
	require.NotEqual(t, own, b.message(t), "the client that waits for it may ask again")
}

// The answer does not reveal which accounts exist, and no user is flooded with messages.
func TestRequestingCodesRevealsNoAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []auth.Credentials{{Identifier: "nobody"}, {Identifier: "caja-01"}, {Phone: "12"}, {Email: "x\x00@y.z"}} {
		require.NoError(t, b.RequestCode(t.Context(), c, auth.Client{}))
	}
	b.exec(t, `UPDATE users SET auth_method = 'password'`)
	require.NoError(t, b.RequestCode(t.Context(), auth.Credentials{Identifier: "caja-01"}, auth.Client{}))
	require.ErrorIs(t, b.RequestCode(t.Context(), auth.Credentials{}, auth.Client{}), auth.ErrLoginName)

	b.caller(t)
	sent := 0
	for range 30 {
		if b.ask(t) != "" {
			sent++
		}
		b.clock.Advance(time.Minute)
	}
	assert.LessOrEqual(t, sent, 15)
	assert.Positive(t, sent)
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, _ := b.enter(t, "caja-01")
	require.NoError(t, b.Confirmed(t.Context(), p), "a login is one")
	b.clock.Advance(10 * time.Minute)
	require.ErrorIs(t, b.Confirmed(t.Context(), p), auth.ErrConfirmationRequired)
	_, err := b.Confirm(t.Context(), p, "wrong horse", "")
	require.ErrorIs(t, err, auth.ErrInvalidCredentials)
	require.ErrorIs(t, b.Confirmed(t.Context(), p), auth.ErrConfirmationRequired)
	until, err := b.Confirm(t.Context(), p, password, "")
	require.NoError(t, err)
	assert.Equal(t, b.clock.Now().Add(10*time.Minute), until)
	require.NoError(t, b.Confirmed(t.Context(), p))
	require.NoError(t, b.Logout(t.Context(), p))
	require.ErrorIs(t, b.Confirmed(t.Context(), p), auth.ErrUnauthenticated)
	require.Error(t, b.Confirmed(t.Context(), caller.Caller{}))
}

func TestAuthenticatorProgram(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, _ := b.enter(t, "caja-01")
	require.ErrorIs(t, b.EnableTOTP(t.Context(), p, "123456"), auth.ErrTOTPNotStarted)
	key, err := b.StartTOTP(t.Context(), p)
	require.NoError(t, err)
	assert.Contains(t, key.URL, "otpauth://totp/banca:")
	require.ErrorIs(t, b.EnableTOTP(t.Context(), p, "000000"), auth.ErrInvalidCredentials)
	b.enter(t, "caja-01")
	now := func() string {
		code, err := totp.GenerateCode(key.Secret, b.clock.Now())
		require.NoError(t, err)
		return code
	}
	require.NoError(t, b.EnableTOTP(t.Context(), p, now()))
	_, err = b.StartTOTP(t.Context(), p)
	require.ErrorIs(t, err, auth.ErrTOTPEnabled)
	var kept []byte
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT totp_secret FROM users WHERE id = $1`, b.user.ID).Scan(&kept))
	assert.NotContains(t, string(kept), key.Secret)

	enter := func(pw, code string) error {
		_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: "caja-01", Password: pw, TOTP: code}, auth.Client{})
		return err
	}
	b.clock.Advance(time.Minute)
	require.ErrorIs(t, enter(password, ""), auth.ErrTOTPRequired)
	require.ErrorIs(t, enter("wrong horse", now()), auth.ErrInvalidCredentials, "nothing tells that the code was right")
	require.ErrorIs(t, enter(password, "000000"), auth.ErrInvalidCredentials)
	code := now()
	require.NoError(t, enter(password, code))
	require.ErrorIs(t, enter(password, code), auth.ErrInvalidCredentials, "none is good twice")
	b.clock.Advance(30 * time.Second)
	require.NoError(t, enter(password, now()))

	require.NoError(t, b.DisableTOTP(t.Context(), b.admin(), b.user.ID))
	require.NoError(t, enter(password, ""))
	assert.Equal(t, []string{"users.create", "auth.totp_enable", "auth.totp_disable"}, b.trail(t, b.user.ID))
}

// A right code without the authenticator program's is not used up, nor by a wrong one of the program.
func TestACodeIsNotUsedUpBeforeTheAuthenticatorCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.caller(t)
	tokens, _, err := b.Login(t.Context(), auth.Credentials{Phone: "04145550000", Code: b.ask(t)}, auth.Client{})
	require.NoError(t, err)
	p, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	key, err := b.StartTOTP(t.Context(), p)
	require.NoError(t, err)
	program := func() string {
		code, err := totp.GenerateCode(key.Secret, b.clock.Now())
		require.NoError(t, err)
		return code
	}
	require.NoError(t, b.EnableTOTP(t.Context(), p, program()))
	b.clock.Advance(time.Minute)

	code := b.ask(t)
	enter := func(code, totp string) error {
		_, _, err := b.Login(t.Context(), auth.Credentials{Phone: "04145550000", Code: code, TOTP: totp}, auth.Client{})
		return err
	}
	require.ErrorIs(t, enter(code, ""), auth.ErrTOTPRequired)
	require.ErrorIs(t, enter(code, wrongCode(program())), auth.ErrInvalidCredentials)
	require.ErrorIs(t, enter(wrongCode(code), program()), auth.ErrInvalidCredentials)
	require.NoError(t, enter(code, program()))
	b.clock.Advance(time.Minute)
	require.ErrorIs(t, enter(code, program()), auth.ErrInvalidCredentials, "used")
}
