package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/bank"
	"banca/internal/dev/testkit"
	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/org"
)

// setupEmpty returns an anonymous browser on a panel over an empty database, and the code of its setup.
func setupEmpty(t *testing.T) (*browser, string) {
	t.Helper()
	env := testkit.New(t)
	service := usersOf(t, env, org.New(env.PG.Gorm, org.Options{}).Scope)
	deps := depsOf(t, env, service)
	unset := deps.Bank.Deps // the owner types the bank's access
	unset.Options.Token, unset.Options.AllowedIPs = "", nil
	deps.Bank = bank.New(unset)
	code, err := deps.Setup.NewCode(t.Context())
	require.NoError(t, err)
	panel, err := New(deps)
	require.NoError(t, err)
	gin.SetMode(gin.ReleaseMode)
	b := &browser{env: env, engine: gin.New(), auth: service, cookies: map[string]*http.Cookie{}, header: map[string]string{}}
	panel.Register(b.engine)
	return b, code
}

// setupValues is a form that sets up, with the given changes as pairs.
func (b *browser) setupValues(t *testing.T, code string, changes ...string) url.Values {
	t.Helper()
	form := url.Values{
		tokenField: {b.token(t, setupPath)}, "code": {code}, "step": {"form"}, "operator": {"Banca Nueva"}, "operator_code": {"BN"},
		"zone": {"America/Caracas"}, "currency": {"USD", "COP"}, "rate_USD": {"245,50"}, "games": {"some"}, "games_animalitos": {"lotto-activo"},
		"percent": {"15"}, "stake": {"20.000,00"}, "liability": {""}, "admin": {"Ana"}, "email": {"ana@banca.example"}, "phone": {""},
		"password": {"correct horse"}, "addresses": {""},
	}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

// written counts the rows that a setup writes.
func (b *browser) written(t *testing.T) (counts [5]int) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM entities), (SELECT count(*) FROM users),
		(SELECT count(*) FROM games), (SELECT count(*) FROM currencies), (SELECT count(*) FROM exchange_rates)`).
		Scan(&counts[0], &counts[1], &counts[2], &counts[3], &counts[4]))
	return counts
}

// Every page of an empty database leads to the setup, which ends logged in at the start page and is closed afterwards.
func TestTheFirstOwnerSetsUp(t *testing.T) {
	t.Parallel()
	b, code := setupEmpty(t)
	for _, path := range []string{"/", home, loginPath, ticketsPath, "/vender"} {
		w := b.get(path)
		require.Equal(t, http.StatusSeeOther, w.Code, path)
		require.Equal(t, setupPath, w.Header().Get("Location"), path)
	}
	token := b.token(t, setupPath)
	w := b.do(http.MethodPost, setupPath, url.Values{tokenField: {token}, "code": {"AAAA-BBBB"}})
	require.Equal(t, http.StatusForbidden, w.Code)
	require.Contains(t, w.Body.String(), "código del último arranque")
	w = b.do(http.MethodPost, setupPath, url.Values{tokenField: {token}, "code": {strings.ToLower(strings.ReplaceAll(code, "-", " "))}})
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), "Lotto Activo: 12 sorteos de 08:00 a 19:00")
	require.Equal(t, [5]int{}, b.written(t))

	reasons := map[string]string{"percent": "De 0 a 100", "stake": "Un monto mayor que cero", "addresses": "300.1.1.1", "zone": "zona horaria"}
	for field, typed := range map[string]string{
		"zone": "Marte/Olympus", "operator": "", "operator_code": "b n", "rate_USD": "mucho", "email": "ana", "password": "12345678", "stake": "-1",
		"addresses": "300.1.1.1", "percent": "101",
	} {
		w = b.do(http.MethodPost, setupPath, b.setupValues(t, code, field, typed))
		require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusOK, http.StatusSeeOther}, w.Code, field)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, field)
		require.Contains(t, w.Body.String(), `id="summary"`, field)
		require.Contains(t, w.Body.String(), reasons[field], field)
		require.NotContains(t, w.Body.String(), "correct horse", field)
		require.Equal(t, [5]int{}, b.written(t), field)
	}
}

// A setup ends logged in at the start page, once.
func TestASetupIsClosedAfterwards(t *testing.T) {
	t.Parallel()
	b, code := setupEmpty(t)
	form := b.setupValues(t, code, "token", "0b6f1d9e-6c5b-4a58-9d4b-3a2f12345678", "addresses", "200.1.2.3, 10.1.2.3/8")
	w := b.do(http.MethodPost, setupPath, form)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	require.Equal(t, home, w.Header().Get("Location"))
	require.Equal(t, [5]int{1, 1, 1, 3, 1}, b.written(t))
	start := b.get(home)
	require.Equal(t, http.StatusOK, start.Code)
	require.Contains(t, start.Body.String(), "Banca Nueva")
	require.Contains(t, start.Body.String(), "LOTTERY_SOURCES", "the results of its games are read from nowhere")
	w = b.get(setupPath)
	require.Equal(t, http.StatusNotFound, w.Code)
	require.Contains(t, w.Body.String(), "ya se hizo")
	other := &browser{env: b.env, engine: b.engine, auth: b.auth, cookies: map[string]*http.Cookie{}, header: map[string]string{}}
	w = other.do(http.MethodPost, setupPath, form)
	require.Equal(t, http.StatusForbidden, w.Code, "a form of another browser")
	w = b.do(http.MethodPost, setupPath, form)
	require.Equal(t, http.StatusNotFound, w.Code)
	require.Equal(t, [5]int{1, 1, 1, 3, 1}, b.written(t))
	var limit, zone, access string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT metric || ' ' || base FROM risk_limits`).Scan(&limit))
	require.Equal(t, "stake 2000000", limit)
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT zone || ' ' || default_rate || ' ' || (code_hash IS NULL) FROM first_setup`).Scan(&zone))
	require.Equal(t, "America/Caracas 15 true", zone)
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT token_end || ' ' || addresses::text FROM bank_access`).Scan(&access))
	require.Equal(t, "••••5678 {200.1.2.3/32,10.0.0.0/8}", access)
}

// Of two setups at once exactly one wins, and the other one writes nothing.
func TestTwoSetupsAtOnce(t *testing.T) {
	t.Parallel()
	b, code := setupEmpty(t)
	forms := []url.Values{b.setupValues(t, code, "email", "a@banca.example"), nil}
	second := &browser{env: b.env, engine: b.engine, auth: b.auth, cookies: map[string]*http.Cookie{}, header: map[string]string{}}
	forms[1] = second.setupValues(t, code, "email", "b@banca.example", "operator", "Otra")
	codes := make([]int, 2)
	var running sync.WaitGroup
	for i, each := range []*browser{b, second} {
		running.Go(func() { codes[i] = each.do(http.MethodPost, setupPath, forms[i]).Code })
	}
	running.Wait()
	assert.ElementsMatch(t, []int{http.StatusSeeOther, http.StatusNotFound}, codes)
	assert.Equal(t, [5]int{1, 1, 1, 3, 1}, b.written(t))
}

// Wrong codes are counted, and afterwards the right one is refused, too.
func TestTheCodeCannotBeGuessed(t *testing.T) {
	t.Parallel()
	b, code := setupEmpty(t)
	form := url.Values{tokenField: {b.token(t, setupPath)}, "code": {"WRNG-CODE"}}
	for range 10 {
		require.Equal(t, http.StatusForbidden, b.do(http.MethodPost, setupPath, form).Code)
	}
	require.Equal(t, http.StatusTooManyRequests, b.do(http.MethodPost, setupPath, form).Code)
	form.Set("code", code)
	w := b.do(http.MethodPost, setupPath, form)
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Contains(t, w.Body.String(), "Espere 15 minutos")
}

// In a browser the setup goes from the code to the start page.
func TestTheSetupInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	b, code := setupEmpty(t)
	server := httptest.NewServer(b.engine)
	t.Cleanup(server.Close)
	tab := chromium.Open(t)
	tab.Visit(server.URL + "/")
	assert.Equal(t, setupPath, chromium.Value[string](tab, `location.pathname`))
	pictures(tab, "code")
	tab.Fill("#code", code)
	tab.PressTo(kb.Enter)
	tab.Fill("#operator", "Banca Nueva")
	tab.Fill("#rate_USD", "245,50")
	tab.Fill("#percent", "15")
	tab.Fill("#admin", "Ana Pérez")
	tab.Fill("#email", "ana@banca.example")
	tab.Fill("#password", "correct horse")
	tab.Click("[data-show]")
	assert.Equal(t, "text", chromium.Value[string](tab, `document.getElementById("password").type`))
	tab.Click("[data-show]")
	assert.Equal(t, "password", chromium.Value[string](tab, `document.getElementById("password").type`))
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	pictures(tab, "form")
	tab.UntilWithin(10*time.Second, `document.querySelectorAll("#games_animalitos input:checked").length === 11`)
	tab.Follow("main form button[type=submit]")
	assert.Equal(t, home, chromium.Value[string](tab, `location.pathname`))
	assert.Contains(t, tab.Text(".who summary"), "Ana Pérez")
	pictures(tab, "start")
}

// pictures saves the page in the folder of SETUP_PICTURES, wide and as a phone shows it.
func pictures(tab *chromium.Tab, name string) {
	folder := os.Getenv("SETUP_PICTURES")
	if folder == "" {
		return
	}
	tab.Narrow()
	tab.Save(folder + "/" + name + "-phone.png")
	tab.Wide()
	tab.Save(folder + "/" + name + ".png")
}
