package web

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cashier sets a PIN with the password, and comes back with it: the earlier session ends. Wrong ones lead to the password.
func TestPINs(t *testing.T) {
	t.Parallel()
	b := setupBank(t)
	assert.Contains(t, b.get(pinPath).Body.String(), "Nadie ha puesto un PIN")
	assert.Equal(t, http.StatusSeeOther, b.get(newPINPath).Code, "a session is needed")
	enter := func(name string) {
		b.send(t, loginPath, loginPath, http.StatusSeeOther, url.Values{"identifier": {name}, "password": {password}})
	}
	enter("taquilla@banca.test")
	set := func(status int, typed, pin string) string {
		_, body := b.send(t, newPINPath, newPINPath, status, url.Values{"password": {typed}, "pin": {pin}})
		return body
	}
	assert.Contains(t, set(http.StatusUnprocessableEntity, password, "1234"), "ni todos iguales")
	assert.Contains(t, set(http.StatusUnprocessableEntity, "wrong password", "7395"), "La contraseña no es correcta")
	set(http.StatusSeeOther, password, "7395")

	person := regexp.MustCompile(`name="person" value="([^"]+)"`).FindStringSubmatch(b.get(pinPath).Body.String())
	require.Len(t, person, 2)
	try := func(status int, pin string) string {
		_, body := b.send(t, pinPath, pinPath, status, url.Values{"person": {person[1]}, "pin": {pin}})
		return body
	}
	assert.Contains(t, try(http.StatusUnauthorized, "7396"), "El PIN no es correcto")
	earlier := b.cookies[sessionCookie].Value
	_, err := b.auth.AuthenticateBrowser(t.Context(), earlier)
	require.NoError(t, err)
	try(http.StatusSeeOther, "7395")
	require.NotEqual(t, earlier, b.cookies[sessionCookie].Value)
	_, err = b.auth.AuthenticateBrowser(t.Context(), earlier)
	require.Error(t, err, "the earlier session is over")
	by, err := b.auth.AuthenticateBrowser(t.Context(), b.cookies[sessionCookie].Value)
	require.NoError(t, err)
	require.Error(t, b.auth.Confirmed(t.Context(), by), "a PIN is no confirmation")
	for range 4 {
		try(http.StatusUnauthorized, "7396")
	}
	body := try(http.StatusUnauthorized, "7396")
	assert.Contains(t, body, "Ese PIN ya no vale")
	assert.NotContains(t, body, `name="person"`)
	try(http.StatusUnauthorized, "7395")

	_, body = b.send(t, pinPath, pinPath, http.StatusUnauthorized, url.Values{"person": {"x"}, "pin": {"7395"}})
	assert.Contains(t, body, "Ese PIN ya no vale")
	enter("admin@banca.test")
	assert.Contains(t, set(http.StatusUnprocessableEntity, password, "7395"), "Solo un cajero")
}
