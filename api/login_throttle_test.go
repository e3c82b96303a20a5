package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/models"
)

// attempt is one call of POST /auth/login.
type attempt struct {
	address     string
	name        string
	password    string
	clientToken string
}

// login returns the status and, after a success, the client token.
func (b *bundle) login(t testing.TB, a attempt) (status int, clientToken string) {
	t.Helper()
	body := map[string]string{"identifier": a.name, "password": a.password}
	if a.clientToken != "" {
		body["client_token"] = a.clientToken
	}
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodPost, "/auth/login", strings.NewReader(string(raw)))
	r.RemoteAddr = a.address
	if strings.Contains(a.address, ".") {
		r.RemoteAddr += ":4711"
	} else {
		r.RemoteAddr = "[" + a.address + "]:4711"
	}
	w := b.do(t, r)
	if w.Code == http.StatusTooManyRequests {
		assert.NotEmpty(t, w.Header().Get("Retry-After"))
	}
	if w.Code != http.StatusOK {
		return w.Code, ""
	}
	return w.Code, decode[session](t, w).ClientToken
}

// cashiers makes n users.
func (b *bundle) cashiers(t testing.TB, n int) []string {
	t.Helper()
	by := caller.Caller{Scope: testkit.Scope(b.root.Path), Permissions: auth.RolePermissions(models.RoleAdmin)}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("caja-%02d", i)
		_, err := b.deps.Services.Auth.CreateUser(t.Context(), by, &auth.NewUser{
			EntityID: b.agency.ID, Identifier: names[i], Name: names[i], Role: models.RoleTaquilla, AuthMethod: models.AuthPassword, Password: password,
		})
		require.NoError(t, err)
	}
	return names
}

const shopAddress = "203.0.113.50"

// Twenty cashiers share an address. Wrong attempts on one account do not refuse the right password of another one, whether the
// others logged in before or not.
func TestLoginShopOfTwenty(t *testing.T) {
	t.Parallel()
	for _, firstDay := range []bool{true, false} {
		t.Run(fmt.Sprint("first day ", firstDay), func(t *testing.T) {
			t.Parallel()
			b := setupAt(t, clock.NewFake(time.Now())) // no wait ends by itself
			names := b.cashiers(t, 20)
			if !firstDay {
				for _, name := range names {
					status, _ := b.login(t, attempt{address: shopAddress, name: name, password: password})
					require.Equal(t, http.StatusOK, status)
				}
			}
			for range 60 {
				b.login(t, attempt{address: shopAddress, name: names[0], password: "wrong horse"})
			}
			for _, name := range names[1:] {
				for range 4 {
					status, _ := b.login(t, attempt{address: shopAddress, name: name, password: "wrong horse"})
					require.Equal(t, http.StatusUnauthorized, status, name)
				}
			}
			for _, name := range names[1:] {
				status, _ := b.login(t, attempt{address: shopAddress, name: name, password: password})
				require.Equal(t, http.StatusOK, status, name)
			}
		})
	}
}

// An attacker behind the shop's address guesses at every account and at a thousand names. Cashiers that logged in from there before
// log in, and a client with its token logs in at an account that is being guessed at.
func TestLoginBesideAnAttackerBehindTheSameAddress(t *testing.T) {
	t.Parallel()
	b := setupAt(t, clock.NewFake(time.Now())) // no wait ends by itself
	names := b.cashiers(t, 20)
	tokens := map[string]string{}
	for _, name := range names {
		_, tokens[name] = b.login(t, attempt{address: shopAddress, name: name, password: password})
		require.NotEmpty(t, tokens[name])
	}
	for i := range 1_000 {
		b.login(t, attempt{address: shopAddress, name: fmt.Sprint("guess-", i), password: "wrong horse"})
	}
	status, _ := b.login(t, attempt{address: shopAddress, name: "guess-2000", password: "wrong horse"})
	require.Equal(t, http.StatusTooManyRequests, status, "the attacker is refused")
	for _, name := range names[10:] {
		status, _ := b.login(t, attempt{address: shopAddress, name: name, password: password})
		require.Equal(t, http.StatusOK, status, name)
	}
	for _, name := range names[:10] {
		for range 20 {
			b.login(t, attempt{address: shopAddress, name: name, password: "wrong horse"})
		}
		status, _ := b.login(t, attempt{address: shopAddress, name: name, password: password})
		require.Equal(t, http.StatusTooManyRequests, status, "without its token, the client is not told from the attacker")
		status, token := b.login(t, attempt{address: shopAddress, name: name, password: password, clientToken: tokens[name]})
		require.Equal(t, http.StatusOK, status, name)
		require.Equal(t, tokens[name], token, "a valid token is kept")
	}
}

// Strangers cannot lock an account's owner out, from one network or many; the guesses are bounded.
func TestGuessesFromOtherNetworksDoNotLockAnAccount(t *testing.T) {
	t.Parallel()
	b := setupAt(t, clock.NewFake(time.Now())) // no wait ends by itself
	names := b.cashiers(t, 2)
	owner, home := names[0], "198.51.100.7"
	status, token := b.login(t, attempt{address: home, name: owner, password: password})
	require.Equal(t, http.StatusOK, status)

	judged := 0
	guess := func(address string) {
		if status, _ := b.login(t, attempt{address: address, name: owner, password: "wrong horse"}); status == http.StatusUnauthorized {
			judged++
		}
	}
	for range 100 {
		guess("192.0.2.1")
	}
	assert.Equal(t, 6, judged, "from one network")
	status, _ = b.login(t, attempt{address: "192.0.2.99", name: owner, password: password})
	require.Equal(t, http.StatusOK, status, "one attacking network does not keep the owner from another one")

	judged = 0
	for i := range 2_000 {
		guess(fmt.Sprintf("10.%d.%d.1", i/250, i%250))
	}
	assert.Equal(t, 95, judged, "from many networks, beside six from the first one")
	status, _ = b.login(t, attempt{address: "10.200.0.1", name: owner, password: password})
	require.Equal(t, http.StatusTooManyRequests, status, "a right password of a stranger is not compared")
	for name, a := range map[string]attempt{
		"a network of an earlier login": {address: home, name: owner, password: password},
		"a client with its token":       {address: "10.200.0.2", name: owner, password: password, clientToken: token},
		"another account":               {address: "10.200.0.3", name: names[1], password: password},
	} {
		status, _ = b.login(t, a)
		require.Equal(t, http.StatusOK, status, name)
	}
}

// A client token is of one account and one password, and is no credential.
func TestLoginClientToken(t *testing.T) {
	t.Parallel()
	b := setupAt(t, clock.NewFake(time.Now())) // no wait ends by itself
	names := b.cashiers(t, 2)
	_, others := b.login(t, attempt{address: "192.0.2.1", name: names[1], password: password})
	_, own := b.login(t, attempt{address: "192.0.2.2", name: names[0], password: password})
	status, _ := b.login(t, attempt{address: "192.0.2.3", name: names[0], password: "wrong horse", clientToken: own})
	require.Equal(t, http.StatusUnauthorized, status)
	for i := range 150 {
		b.login(t, attempt{address: fmt.Sprintf("10.0.%d.1", i), name: names[0], password: "wrong horse"})
	}
	for name, token := range map[string]string{"of another account": others, "made up": own[:len(own)-4] + "AAAA", "none": ""} {
		status, _ := b.login(t, attempt{address: "192.0.2.4", name: names[0], password: password, clientToken: token})
		require.Equal(t, http.StatusTooManyRequests, status, name)
	}
	judged := 0
	for range 50 {
		if status, _ := b.login(t, attempt{address: "192.0.2.5", name: names[0], password: "wrong horse", clientToken: own}); status == http.StatusUnauthorized {
			judged++
		}
	}
	assert.Equal(t, 5, judged, "its own attempts are bounded, too")
	b.exec(t, `UPDATE users SET password_hash = password_hash || 'x' WHERE identifier = $1`, names[0])
	status, _ = b.login(t, attempt{address: "192.0.2.6", name: names[0], password: password, clientToken: own})
	require.Equal(t, http.StatusTooManyRequests, status, "a changed password voids it")
}

// An IPv6 site counts as one source, whichever of its networks the attempts come from.
func TestLoginIPv6SiteIsCounted(t *testing.T) {
	t.Parallel()
	b := setupAt(t, clock.NewFake(time.Now())) // no wait ends by itself
	owner := b.cashiers(t, 1)[0]
	judged := 0
	for i := range 300 {
		if status, _ := b.login(t, attempt{address: fmt.Sprintf("2001:db8:1:%x::%d", i/3, i%3+1), name: owner, password: "wrong horse"}); status == http.StatusUnauthorized {
			judged++
		}
	}
	assert.Equal(t, 21, judged)
	status, _ := b.login(t, attempt{address: "2001:db8:2:1::1", name: owner, password: password})
	require.Equal(t, http.StatusOK, status, "another site")
}

// Attempts are counted before they are compared, so parallel ones are not free.
func TestLoginParallelGuesses(t *testing.T) {
	t.Parallel()
	b := setupAt(t, clock.NewFake(time.Now())) // no wait ends by itself
	owner := b.cashiers(t, 1)[0]
	var judged atomic.Int32
	var running sync.WaitGroup
	for i := range 200 {
		running.Go(func() {
			if status, _ := b.login(t, attempt{address: fmt.Sprintf("10.0.0.%d", i%4), name: owner, password: "wrong horse"}); status == http.StatusUnauthorized {
				judged.Add(1)
			}
		})
	}
	running.Wait()
	assert.EqualValues(t, 4*6, judged.Load())
	status, _ := b.login(t, attempt{address: "10.0.0.200", name: owner, password: password})
	require.Equal(t, http.StatusOK, status)
}
