package web

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/seed"
	chromium "banca/internal/testkit/browser"
	"banca/web/kit"
)

// What was typed into a form whose session has ended is sent after the login, once.
func TestAFormOutlivesItsSessionInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	customers := func() (n int) {
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM customers WHERE name = 'Ana Larga'`).Scan(&n))
		return n
	}
	tab.Visit(server + customersPath + "/new")
	tab.Fill("#name", "Ana Larga")
	tab.Fill("#phone", "04141234567")
	tab.Fill("#entity", seed.CodeTicketPoint)
	other := tab.Another()
	other.Visit(server + accountPath)
	chromium.Value[bool](other, `(document.querySelector('form[action="/admin/logout"]').submit(), true)`)
	other.Until(`location.pathname === "` + loginPath + `"`)
	tab.Expect("401 POST")
	tab.Follow("main form button[type=submit]")
	assert.Contains(t, tab.Text("main"), "Su sesión terminó")
	assert.Zero(t, customers())
	tab.Follow("main form button")
	tab.Fill("#identifier", "admin@banca.test")
	tab.Fill("#password", "wrong")
	tab.Expect("401 POST")
	tab.Follow("main form button")
	tab.Fill("#password", password)
	tab.Follow("main form button")
	assert.Contains(t, tab.Text("main"), "¿Enviar lo que escribió?")
	assert.Zero(t, customers(), "the login alone does nothing")
	tab.Follow("main form button")
	assert.Contains(t, tab.Text("main"), "Ana Larga")
	assert.Equal(t, 1, customers())
}

// A form that waits is of its browser, and lasts as long as one that waits for a password.
func TestAFormWaitsForItsBrowserAlone(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	fields := url.Values{"name": {"Ana"}, kit.TokenField: {"x"}}
	delete(p.cookies, sessionCookie)
	w := p.do(http.MethodPost, customersPath+"/new", fields)
	require.Equal(t, http.StatusUnauthorized, w.Code)
	found := regexp.MustCompile(`name="waiting" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	require.Len(t, found, 2)
	waiting := found[1]
	login := func() string {
		token := p.token(t, loginPath)
		return p.do(http.MethodPost, loginPath, url.Values{"identifier": {"admin@banca.test"}, "password": {password}, kit.TokenField: {token}, kit.WaitingField: {waiting}}).Body.String()
	}
	assert.Contains(t, login(), `action="`+customersPath+`/new"`)
	p.cookies = map[string]*http.Cookie{}
	assert.NotContains(t, login(), "confirm_form", "another browser")

	delete(p.cookies, sessionCookie)
	assert.Equal(t, http.StatusSeeOther, p.do(http.MethodPost, "/admin/logout", url.Values{kit.TokenField: {"x"}}).Code, "nothing was typed")
	p.header[scriptHeader] = "true"
	assert.Empty(t, p.do(http.MethodPost, customersPath+"/new", fields).Header().Get("HX-Redirect"), "the script sends it again without itself")
}
