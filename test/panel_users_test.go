package test

import (
	"net/http"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// enterAs logs another user in, in a tab of its own.
func (p *panel) enterAs(name, password, path string) *panel {
	p.t.Helper()
	other := &panel{platform: p.platform, tab: browser.Open(p.t)}
	other.visit("/admin/login?lang=en&next=" + path)
	other.tab.Fill("#identifier", name)
	other.tab.Fill("#password", password)
	other.tab.Follow("main form button")
	return other
}

// A user is made, seen at work, limited, and ended while at work.
func panelUsers(p *panel) {
	t := p.t
	p.enter("/admin/users")
	p.tab.Follow(`.actions a`)
	p.tab.Fill("#entity", seed.CodeAgency)
	p.tab.Choose("#role", "ADMIN")
	p.tab.Fill("#name", "Marta Páez")
	p.tab.Fill("#identifier", "Marta-1")
	p.tab.Choose("#auth_method", "password")
	p.tab.Fill("#password", "marta-1")
	p.tab.Expect("422")
	browser.Value[bool](p.tab, `document.querySelectorAll("form.card").forEach(f => f.noValidate = true) || true`)
	p.tab.Follow("form.card button[type=submit]")
	assert.NotEmpty(t, p.tab.Text("#h-password.wrong"), "too short, and so said at its field")
	p.tab.Fill("#password", "marta has a secret")
	p.tab.Follow("form.card button[type=submit]")
	require.Equal(t, "The user was created.", p.tab.Text(".notice"))
	at := browser.Value[string](p.tab, `location.pathname`)

	marta := p.enterAs("marta-1", "marta has a secret", "/admin/users")
	require.Equal(t, "/admin/users", marta.where())
	assert.NotContains(t, strings.Join(marta.texts("tbody td"), " "), "admin@banca.test", "who stands above is not seen")

	p.visit(at)
	p.tab.Click("details.group > summary")
	p.tab.Choose(`select[name="logs:read"]`, "denied")
	p.tab.Follow("details.group button")
	require.Contains(t, p.tab.Text(".notice"), "saved")
	require.Equal(t, http.StatusForbidden, marta.status("/admin/activity"))

	marta.visit("/admin/users")
	p.visit(at)
	p.tab.Click(`details.confirm:has(form[action$="/terminate"]) > summary`)
	p.tab.Follow(`form[action$="/terminate"] button`)
	assert.Equal(t, "The session has ended.", p.tab.Text(".notice"))
	marta.visit("/admin/users")
	assert.Equal(t, "/admin/login", browser.Value[string](marta.tab, `location.pathname`), "at once")

	p.visit("/admin/activity?module=users")
	assert.Contains(t, strings.Join(p.texts("tbody td"), " "), "created the user Marta Páez")
	p.visit(at)
	p.open(".head details.menu")
	p.tab.Click(`details.confirm:has(form[action$="/delete"]) > summary`)
	p.tab.Follow(`form[action$="/delete"] button`)
	assert.Equal(t, "The user was deleted.", p.tab.Text(".notice"))
}

// status returns the status of a page for this tab.
func (p *panel) status(path string) int {
	p.t.Helper()
	p.tab.Expect("403")
	p.visit(path)
	return browser.Value[int](p.tab, `performance.getEntriesByType("navigation")[0].responseStatus`)
}
