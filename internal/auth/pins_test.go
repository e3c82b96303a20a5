package auth_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
)

const pin = "7395"

// browse logs the cashier in with a browser, which keeps its client token.
func (b *bundle) browse(t testing.TB, tokens ...string) (caller.Caller, auth.Client) {
	t.Helper()
	from := auth.Client{Address: "192.0.2.1", UserAgent: "till", Tokens: tokens}
	got, _, err := b.LoginBrowser(t.Context(), auth.Credentials{Email: "cashier@banca.test", Password: password}, from)
	require.NoError(t, err)
	by, err := b.AuthenticateBrowser(t.Context(), got.Session)
	require.NoError(t, err)
	from.Tokens = []string{got.Client}
	return by, from
}

// pinned is a browser where the cashier has set a PIN.
func (b *bundle) pinned(t testing.TB) auth.Client {
	t.Helper()
	by, from := b.browse(t)
	require.NoError(t, b.SetPIN(t.Context(), by, password, pin, from.Tokens))
	return from
}

func (b *bundle) enterByPIN(t testing.TB, typed string, from auth.Client) error {
	t.Helper()
	_, _, err := b.LoginPIN(t.Context(), b.user.ID, typed, from)
	return err
}

// A PIN opens a session that has the permissions of the user and is no confirmation of the password.
func TestAPINChangesThePersonOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := b.pinned(t)
	people, err := b.People(t.Context(), from.Tokens)
	require.NoError(t, err)
	assert.Equal(t, []auth.Person{{ID: b.user.ID, Name: "Cashier"}}, people)
	got, user, err := b.LoginPIN(t.Context(), b.user.ID, pin, from)
	require.NoError(t, err)
	assert.Equal(t, b.user.ID, user.ID)
	assert.Equal(t, from.Tokens[0], got.Client)
	by, err := b.AuthenticateBrowser(t.Context(), got.Session)
	require.NoError(t, err)
	require.ErrorIs(t, b.Confirmed(t.Context(), by), auth.ErrConfirmationRequired)
	_, err = b.Confirm(t.Context(), by, pin, "")
	require.ErrorIs(t, err, auth.ErrInvalidCredentials, "it is no password")
	_, err = b.Confirm(t.Context(), by, password, "")
	require.NoError(t, err)
	require.NoError(t, b.Confirmed(t.Context(), by))

	var stored string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT pin_hash || client_hash FROM user_pins`).Scan(&stored))
	assert.NotContains(t, stored, pin)
	assert.NotContains(t, stored, from.Tokens[0])
}

// A PIN is of one user on one browser.
func TestAPINIsBoundToItsBrowser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := b.pinned(t)
	_, second := b.browse(t)
	require.NotEqual(t, from.Tokens, second.Tokens)
	other := b.create(t, auth.NewUser{Email: "other@banca.test", Name: "Other", Role: models.RoleTaquilla})
	forged := strings.Replace(from.Tokens[0], b.user.ID.String(), other.ID.String(), 1)
	for _, tokens := range [][]string{nil, second.Tokens, {"x"}, {b.user.ID.String() + "."}, {forged}} {
		require.ErrorIs(t, b.enterByPIN(t, pin, auth.Client{Tokens: tokens}), auth.ErrPINGone)
		people, err := b.People(t.Context(), tokens)
		require.NoError(t, err)
		assert.Empty(t, people)
	}
	for _, id := range []uuid.UUID{other.ID, uuid.Nil, uuid.New()} {
		_, _, err := b.LoginPIN(t.Context(), id, pin, from)
		require.ErrorIs(t, err, auth.ErrPINGone)
	}
	require.NoError(t, b.enterByPIN(t, pin, from), "attempts elsewhere do not count here")
}

// Five wrong PINs in a row delete it, in turn or at once; a right one between begins anew.
func TestWrongPINsDeleteIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := b.pinned(t)
	for range 4 {
		require.ErrorIs(t, b.enterByPIN(t, "7396", from), auth.ErrWrongPIN)
	}
	require.NoError(t, b.enterByPIN(t, pin, from))
	for _, typed := range []string{"", "7396", pin + "0", "0" + pin} {
		require.ErrorIs(t, b.enterByPIN(t, typed, from), auth.ErrWrongPIN)
	}
	require.ErrorIs(t, b.enterByPIN(t, "7396", from), auth.ErrPINGone)
	require.ErrorIs(t, b.enterByPIN(t, pin, from), auth.ErrPINGone)
	b.clock.Advance(48 * time.Hour)
	require.ErrorIs(t, b.enterByPIN(t, pin, from), auth.ErrPINGone, "it does not come back")

	from = b.pinned(t)
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			err := b.enterByPIN(t, "7396", from)
			if err == auth.ErrWrongPIN { //nolint:errorlint // counted
				wrong.Add(1)
			}
			assert.Error(t, err)
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, wrong.Load(), int64(4))
	require.ErrorIs(t, b.enterByPIN(t, pin, from), auth.ErrPINGone)
}

// Neither a former password nor a removed or changed user has a PIN.
func TestAPINEndsWithWhatItIsBoundTo(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"password":      "",
		"inactive":      `UPDATE users SET status = 'inactive'`,
		"removed":       `UPDATE users SET deleted_at = now()`,
		"phone":         `UPDATE users SET phone = '+584149999999'`,
		"role":          `UPDATE users SET role = 'ADMIN'`,
		"second factor": `UPDATE users SET totp_enabled_at = now(), totp_secret = 'x'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			by, from := b.browse(t)
			require.NoError(t, b.SetPIN(t.Context(), by, password, pin, from.Tokens))
			if change == "" {
				require.NoError(t, b.ChangePassword(t.Context(), by, password, "another battery"))
			} else {
				b.exec(t, change)
			}
			require.ErrorIs(t, b.enterByPIN(t, pin, from), auth.ErrPINGone)
			people, err := b.People(t.Context(), from.Tokens)
			require.NoError(t, err)
			assert.Empty(t, people)
		})
	}
}

// Only a cashier sets a PIN, with the password, on a browser of an earlier login.
func TestSettingAPIN(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by, from := b.browse(t)
	set := func(by caller.Caller, password, pin string, tokens []string) error {
		return b.SetPIN(t.Context(), by, password, pin, tokens)
	}
	for _, weak := range []string{"", "123", "1234", "4321", "0000", "111111", "123456789", "12a4", "１２４７", "7395 "} {
		require.ErrorIs(t, set(by, password, weak, from.Tokens), auth.ErrWeakPIN, weak)
	}
	require.ErrorIs(t, set(by, "wrong password", pin, from.Tokens), auth.ErrInvalidCredentials)
	require.ErrorIs(t, set(by, "", pin, from.Tokens), auth.ErrPasswordRequired)
	require.ErrorIs(t, set(by, password, pin, nil), auth.ErrPINNotAllowed)
	require.ErrorIs(t, set(b.adminOf(t, &b.root, "admin@banca.test"), password, pin, from.Tokens), auth.ErrPINNotAllowed)
	for range 5 {
		require.ErrorIs(t, set(by, "wrong password", pin, from.Tokens), auth.ErrInvalidCredentials)
	}
	require.ErrorIs(t, set(by, password, pin, from.Tokens), auth.ErrTooManyLogins, "the password is throttled as elsewhere")
	b.clock.Advance(time.Hour)
	require.NoError(t, set(by, password, pin, from.Tokens))
	assert.Equal(t, []string{"auth.pin"}, b.trail(t, b.user.ID)[len(b.trail(t, b.user.ID))-1:])

	for range 25 { // of other browsers
		by, from := b.browse(t)
		b.clock.Advance(time.Minute)
		require.NoError(t, set(by, password, pin, from.Tokens))
	}
	var kept int
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM user_pins`).Scan(&kept))
	assert.Equal(t, 20, kept)
	require.ErrorIs(t, b.enterByPIN(t, pin, from), auth.ErrPINGone, "the oldest made room")
}
