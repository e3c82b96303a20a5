package web

import (
	"testing"

	"github.com/stretchr/testify/assert"

	chromium "banca/internal/dev/testkit/browser"
)

// A form whose session ended while it was filled in is filled again after the login of the same user, without its passwords. Another user finds it empty,
// and so does whoever opens it after it arrived.
func TestAFormOutlivesItsSession(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	const base, reason = `document.querySelector("[name=base]").value`, `document.querySelector("[name=reason]").value`
	logIn := func(name string) {
		t.Helper()
		tab.Fill("#identifier", name)
		tab.Fill("#password", password)
		tab.Follow("main form button")
	}
	typeAndLose := func() {
		t.Helper()
		tab.Visit(server + limitsPath + "/new")
		tab.Fill("[name=base]", "1.234,56")
		tab.Fill("[name=reason]", "Feria del pueblo")
		tab.Allow("401 POST") // what the limit would stop is asked while the session ends
		tab.Without("banca_session")
		tab.Follow(`form[action="/admin/limits/new"] button`)
		assert.Equal(t, loginPath, chromium.Value[string](tab, `location.pathname`))
	}
	typeAndLose()
	logIn("admin@banca.test")
	assert.Equal(t, limitsPath+"/new", chromium.Value[string](tab, `location.pathname`))
	tab.Until(`document.body.textContent.includes("está aquí de nuevo")`)
	assert.Equal(t, "1.234,56", chromium.Value[string](tab, base))
	assert.Equal(t, "Feria del pueblo", chromium.Value[string](tab, reason))
	tab.Visit(server + limitsPath + "/new")
	assert.Empty(t, chromium.Value[string](tab, reason), "it is filled once")

	typeAndLose()
	tab.Expect("403 GET") // a partner makes no limits
	logIn("socio@banca.test")
	tab.Visit(server + accountPath)
	tab.Without("banca_session")
	tab.Visit(server + limitsPath + "/new")
	logIn("admin@banca.test")
	assert.Equal(t, limitsPath+"/new", chromium.Value[string](tab, `location.pathname`))
	assert.Empty(t, chromium.Value[string](tab, reason), "another user was here meanwhile")
	assert.NotContains(t, chromium.Value[string](tab, `JSON.stringify(Object.assign({}, sessionStorage))`), "Feria")
}
