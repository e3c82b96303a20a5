package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/org"
	"banca/models"
)

// demonstration is a panel whose login page shows three logins.
func demonstration(t *testing.T, demo *Demo) *browser {
	t.Helper()
	env := seeded.New(t)
	users := usersOf(t, env, org.New(env.PG.Gorm, org.Options{}).Scope)
	deps := depsOf(t, env, users)
	deps.Demo = demo
	deps.Queues = QueueViews{Full: queueView("queues"), ReadOnly: queueView("read-only queues")}
	panel, err := New(deps)
	require.NoError(t, err)
	gin.SetMode(gin.ReleaseMode)
	b := &browser{env: env, auth: users, cookies: map[string]*http.Cookie{}, header: map[string]string{}, engine: gin.New()}
	panel.Register(b.engine)
	return b
}

func threeLogins() *Demo {
	return &Demo{Reset: time.Now().Add(time.Hour), Logins: []Login{
		{"admin@banca.test", password, models.RoleAdmin, "Marisela Rondón", "Banca La Fortuna"},
		{"socio@banca.test", "a-b<c>", models.RoleSocio, "José Salas", "Agencia El Ávila"},
		{"taquilla@banca.test", password, models.RoleTaquilla, "Yusbely Contreras", "Taquilla Uno"},
	}}
}

// The login page of a demonstration shows the logins, in both languages, and a link fills the form.
func TestTheLoginsOfADemonstration(t *testing.T) {
	t.Parallel()
	b := demonstration(t, threeLogins())
	for language, texts := range map[string][]string{
		spanish: {"Demostración", "vuelven al principio a las", "Administrador", "Socio", "Cajero"},
		english: {"Demonstration", "is reset at", "Administrator", "Partner", "Cashier"},
	} {
		body := b.get(loginPath + "?lang=" + language).Body.String()
		for _, text := range append(texts, "Marisela Rondón, Banca La Fortuna", "taquilla@banca.test", "a-b&lt;c&gt;") {
			assert.Contains(t, body, text, language)
		}
		assert.Equal(t, 3, strings.Count(body, `href="`+loginPath+"?name="), language)
		assert.NotContains(t, body, `type="password" value`)
	}
	filled := b.get(loginPath + "?" + url.Values{"name": {"socio@banca.test"}, "next": {"/vender"}}.Encode()).Body.String()
	assert.Contains(t, filled, `name="identifier" value="socio@banca.test"`)
	assert.Contains(t, filled, `value="a-b&lt;c&gt;"`)
	assert.Contains(t, filled, `name="next" value="/vender"`)
	unknown := b.get(loginPath + "?name=verificador@banca.test").Body.String()
	assert.Contains(t, unknown, `name="identifier" value="verificador@banca.test"`)
	assert.NotContains(t, unknown, `type="password" value`)
	counter := b.get(loginPath + "?next=/vender").Body.String()
	assert.Contains(t, counter, `name="identifier" value="taquilla@banca.test"`, "who sells is a cashier")

	w := b.do(http.MethodPost, loginPath, url.Values{tokenField: {b.token(t, loginPath)}, "identifier": {"admin@banca.test"}, "password": {"wrong"}})
	assert.Contains(t, w.Body.String(), "?name=admin%40banca.test", "a wrong password shows them again")
}

// Without the option no address and no setting shows a login.
func TestALoginPageShowsNoLogins(t *testing.T) {
	t.Parallel()
	b := demonstration(t, nil)
	for path, name := range map[string]string{loginPath: "", loginPath + "?name=admin@banca.test": "admin@banca.test", loginPath + "?next=/vender": ""} {
		body := b.get(path).Body.String()
		assert.NotContains(t, body, `id="demo"`, path)
		assert.Contains(t, body, `name="identifier" value="`+name+`"`, path)
		assert.NotContains(t, body, `type="password" value`, path)
	}
}

// One click fills the form, a second one logs in. The page fits a telephone.
func TestADemonstrationInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	b := demonstration(t, threeLogins())
	server := httptest.NewServer(b.engine)
	t.Cleanup(server.Close)
	tab := chromium.Open(t)
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		tab.Visit(server.URL + loginPath)
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	tab.Follow(".demo li a")
	tab.Follow("form button[type=submit]")
	assert.Equal(t, home, chromium.Value[string](tab, "location.pathname"))
}
