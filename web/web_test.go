package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/platform/caller"
	"banca/models"
)

func TestMain(m *testing.M) {
	code := testkit.Run(m)
	os.Exit(max(code, chromium.Close()))
}

const password = "correct horse"

// browser is a visitor of a panel, with cookies.
type browser struct {
	env     *testkit.Env
	engine  *gin.Engine
	auth    *auth.Service
	header  map[string]string
	cookies map[string]*http.Cookie
}

// setup returns an anonymous browser on a panel with an ADMIN and a SOCIO.
func setup(t *testing.T, publicURL string) *browser {
	t.Helper()
	env := testkit.New(t)
	root := models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: models.EntityOperator, Name: "Root", Code: "ROOT", Status: models.StatusActive}
	root.Path = "/" + root.ID.String() + "/"
	require.NoError(t, env.PG.Gorm.Create(&root).Error)
	service := usersOf(t, env, func(context.Context, uuid.UUID) (caller.Scope, error) { return testkit.Scope(root.Path), nil })
	for _, role := range []string{models.RoleAdmin, models.RoleSocio} {
		by := caller.Caller{Scope: testkit.Scope(root.Path), Permissions: auth.RolePermissions(models.RoleAdmin)}
		_, err := service.CreateUser(t.Context(), by, &auth.NewUser{
			EntityID: root.ID, Email: strings.ToLower(role) + "@banca.test", Name: "<" + role + ">", Role: role, Password: password,
		})
		require.NoError(t, err)
	}
	deps := depsOf(t, env, service)
	deps.PublicURL = publicURL
	deps.Queues = QueueViews{Full: queueView("queues"), ReadOnly: queueView("read-only queues")}
	panel, err := New(deps)
	require.NoError(t, err)
	gin.SetMode(gin.ReleaseMode)
	b := &browser{env: env, engine: gin.New(), auth: service, cookies: map[string]*http.Cookie{}, header: map[string]string{}}
	panel.Register(b.engine)
	return b
}

// queueView is a view of the queues that answers with the request's path.
type queueView string

func (v queueView) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprint(w, string(v), " ", r.Method, " ", r.URL.Path)
}

func (b *browser) do(method, path string, form url.Values) *httptest.ResponseRecorder {
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, path, body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range b.header {
		r.Header.Set(name, value)
	}
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.engine.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if b.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return w
}

func (b *browser) get(path string) *httptest.ResponseRecorder { return b.do(http.MethodGet, path, nil) }

// token opens a page and returns the token of its forms.
func (b *browser) token(t *testing.T, path string) string {
	t.Helper()
	found := regexp.MustCompile(`name="form_token" value="([0-9a-f]{64})"`).FindStringSubmatch(b.get(path).Body.String())
	require.Len(t, found, 2)
	return found[1]
}

// login signs a user in through the form.
func (b *browser) login(t *testing.T, role, next string) *httptest.ResponseRecorder {
	t.Helper()
	return b.do(http.MethodPost, loginPath, url.Values{
		tokenField: {b.token(t, loginPath)}, "next": {next}, "password": {password},
		"identifier": {strings.ToLower(role) + "@banca.test"},
	})
}

func TestLoginAndLogout(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	w := b.get("/admin/queues?page=2")
	assert.NotContains(t, b.get(loginPath).Body.String(), "3f0c1d2", "the foot of a page without a login")
	assert.Equal(t, http.StatusSeeOther, w.Code)
	assert.Equal(t, "/admin/login?next=%2Fadmin%2Fqueues%3Fpage%3D2", w.Header().Get("Location"))
	assert.Contains(t, b.get(w.Header().Get("Location")).Body.String(), `name="next" value="/admin/queues?page=2"`)

	w = b.login(t, models.RoleAdmin, "/admin/queues?page=2")
	assert.Equal(t, http.StatusSeeOther, w.Code)
	assert.Equal(t, "/admin/queues?page=2", w.Header().Get("Location"))
	cookie := b.cookies[sessionCookie]
	require.NotNil(t, cookie)
	assert.True(t, cookie.HttpOnly)
	assert.False(t, cookie.Secure)
	assert.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	assert.Equal(t, "/", cookie.Path, "the counter is not below the panel")

	page := b.get("/admin")
	assert.Equal(t, http.StatusOK, page.Code)
	assert.Contains(t, page.Body.String(), "&lt;ADMIN&gt;", "names are escaped")
	assert.NotContains(t, page.Body.String(), cookie.Value)
	assert.Contains(t, page.Body.String(), `<a href="/changelog">Versión 1.2.3&#43;3f0c1d2</a>`)

	w = b.do(http.MethodPost, "/admin/logout", url.Values{tokenField: {b.token(t, "/admin")}})
	assert.Equal(t, http.StatusSeeOther, w.Code)
	assert.NotContains(t, b.cookies, sessionCookie)
	b.cookies[sessionCookie] = cookie
	assert.Equal(t, http.StatusSeeOther, b.get("/admin").Code, "the token is void, not only forgotten")
}

func TestCookiesAreSecureBehindHTTPS(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://banca.example.com")
	b.login(t, models.RoleAdmin, "")
	for name, c := range b.cookies {
		assert.True(t, c.Secure, name)
		assert.True(t, c.HttpOnly, name)
	}
	assert.Len(t, b.cookies, 3)
	for _, name := range []string{"__Host-banca_session", "__Host-banca_browser"} { // a sibling host cannot set them
		require.Contains(t, b.cookies, name)
		assert.Equal(t, "/", b.cookies[name].Path)
	}
	assert.Equal(t, loginPath, b.cookies[clientCookie].Path)
}

// A browser keeps a client token of each user who logged in with it. Guesses from elsewhere do not refuse the login
// of one of them.
func TestLoginOfAKnownBrowser(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://banca.example.com")
	for range 2 {
		for _, role := range []string{models.RoleAdmin, models.RoleSocio} {
			b.login(t, role, "")
			delete(b.cookies, "__Host-"+sessionCookie)
		}
	}
	tokens := strings.Split(b.cookies[clientCookie].Value, clientTokenJoint)
	require.Len(t, tokens, 2, "one of each user")
	attempt := func(address, password string, tokens []string) error {
		_, _, err := b.auth.LoginBrowser(t.Context(), auth.Credentials{Email: "admin@banca.test", Password: password}, auth.Client{Address: address, Tokens: tokens})
		return err
	}
	guess := func(address string) { // until it is judged: a busy machine refuses some without counting them
		require.Eventually(t, func() bool {
			err := attempt(address, "wrong horse", nil)
			return errors.Is(err, auth.ErrInvalidCredentials) || errors.Is(err, auth.ErrTooManyLogins)
		}, testkit.WaitTimeout, time.Millisecond)
	}
	for i := range 60 { // also behind the browser's own address, 192.0.2.1
		guess("192.0.2.1")
		for range 3 {
			guess(fmt.Sprintf("10.0.%d.1", i))
		}
	}
	require.ErrorIs(t, attempt("10.1.0.1", password, nil), auth.ErrTooManyLogins)
	b.login(t, models.RoleAdmin, "")
	require.NoError(t, attempt("10.1.0.2", password, tokens))
}

func TestAWrongLogin(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	for _, name := range []string{"admin@banca.test", "nobody@banca.test", "", `"><script>`} {
		w := b.do(http.MethodPost, loginPath, url.Values{
			tokenField: {b.token(t, loginPath)}, "next": {"/admin/queues"}, "identifier": {name}, "password": {"hunter2!"},
		})
		assert.Equal(t, http.StatusUnauthorized, w.Code)
		assert.Contains(t, w.Body.String(), "no es correcto")
		assert.Contains(t, w.Body.String(), `value="/admin/queues"`)
		assert.NotContains(t, w.Body.String(), "hunter2")
		assert.NotContains(t, w.Body.String(), "<script>")
	}
	assert.NotContains(t, b.cookies, sessionCookie)
}

// A language once chosen stays chosen: over a form that fails, the login and a later visit.
func TestTheLanguageIsRemembered(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://banca.example.com")
	b.get(loginPath + "?lang=xx")
	assert.NotContains(t, b.cookies, languageCookie)
	b.get(loginPath + "?lang=en")
	w := b.do(http.MethodPost, loginPath, url.Values{tokenField: {b.token(t, loginPath)}, "identifier": {"nobody"}, "password": {"hunter2!"}})
	assert.Contains(t, w.Body.String(), `<html lang="en">`)
	b.login(t, models.RoleAdmin, "")
	assert.Contains(t, b.get("/admin").Body.String(), `<html lang="en">`)
	cookie := b.cookies[languageCookie]
	require.NotNil(t, cookie)
	assert.Equal(t, "en", cookie.Value)
	assert.True(t, cookie.HttpOnly)
	assert.True(t, cookie.Secure)

	assert.Contains(t, b.get("/admin?lang=es").Body.String(), `<html lang="es">`)
	assert.Contains(t, b.get("/admin").Body.String(), `<html lang="es">`)
	b.cookies[languageCookie].Value = "nonsense"
	b.header["Accept-Language"] = "en"
	assert.Contains(t, b.get("/admin").Body.String(), `<html lang="en">`)
}

func TestFormsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://banca.example.com")
	b.login(t, models.RoleAdmin, "")
	good := b.token(t, "/admin")
	for name, try := range map[string]struct {
		token  string
		header map[string]string
	}{
		"no token":           {},
		"made up":            {token: strings.Repeat("0", 64)},
		"of another session": {token: b.token(t, loginPath)},
		"another site":       {token: good, header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"a sister site":      {token: good, header: map[string]string{"Sec-Fetch-Site": "same-site"}},
		"another origin":     {token: good, header: map[string]string{"Origin": "https://evil.example.com"}},
		"no origin at all":   {token: good, header: map[string]string{"Origin": "null"}},
	} {
		b.header = try.header
		w := b.do(http.MethodPost, "/admin/logout", url.Values{tokenField: {try.token}})
		assert.Equal(t, http.StatusForbidden, w.Code, name)
	}
	b.header = map[string]string{"Origin": "https://banca.example.com", "Sec-Fetch-Site": "same-origin"}
	assert.Equal(t, http.StatusSeeOther, b.do(http.MethodPost, "/admin/logout", url.Values{tokenField: {good}}).Code)
}

func TestQueuesAreForAdministrators(t *testing.T) {
	t.Parallel()
	admin, socio := setup(t, "http://127.0.0.1:8080"), setup(t, "http://127.0.0.1:8080")
	admin.login(t, models.RoleAdmin, "")
	socio.login(t, models.RoleSocio, "")
	for _, path := range []string{"/admin/queues", "/admin/queues/api/queues"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			w := admin.do(method, path, nil)
			assert.Equal(t, "queues "+method+" "+path, w.Body.String())
			assert.Contains(t, w.Header().Get("Content-Security-Policy"), "'unsafe-inline'")
			w = socio.do(method, path, nil)
			assert.Equal(t, http.StatusForbidden, w.Code)
			assert.NotContains(t, w.Body.String(), "queues "+method)
			assert.NotContains(t, w.Header().Get("Content-Security-Policy"), "'unsafe-inline'")
		}
	}
	assert.NotContains(t, socio.get("/admin").Body.String(), "/admin/queues")
	var entries int
	require.NoError(t, admin.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module = 'queues'`).Scan(&entries))
	assert.Equal(t, 4, entries, "every change, and no look")
	admin.header["Sec-Fetch-Site"] = "cross-site"
	assert.Equal(t, http.StatusForbidden, admin.do(http.MethodPost, "/admin/queues/api/queues/default:pause", nil).Code)
}

// Looking at the queues needs queues:read; changing them needs queues:write and a fresh confirmation, and is recorded.
func TestQueuesAreReadOnlyWithoutConfirmation(t *testing.T) {
	t.Parallel()
	const change = "/admin/queues/api/queues/default/archived_tasks/01a2:run"
	b := setup(t, "http://127.0.0.1:8080")
	b.login(t, models.RoleAdmin, "")
	exec := func(sql string) {
		_, err := b.env.PG.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	entries := func() (list []string) {
		rows, err := b.env.PG.Pool.Query(t.Context(), `SELECT action || ' ' || target FROM activity_logs WHERE module = 'queues' ORDER BY at`)
		require.NoError(t, err)
		list, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return list
	}
	assert.Equal(t, "queues POST "+change, b.do(http.MethodPost, change, nil).Body.String(), "a login confirms")
	assert.Equal(t, "queues DELETE /admin/queues/api/queues/default", b.do(http.MethodDelete, "/admin/queues/api/queues/default", nil).Body.String())
	recorded := []string{"run default/archived_tasks/01a2", "delete default"}
	assert.Equal(t, recorded, entries())

	exec(`UPDATE user_sessions SET confirmed_at = confirmed_at - interval '11 minutes'`)
	assert.Equal(t, "read-only queues GET /admin/queues", b.get("/admin/queues").Body.String())
	w := b.do(http.MethodPost, change, nil)
	assert.Equal(t, http.StatusForbidden, w.Code)
	assert.NotContains(t, w.Body.String(), "queues POST")
	token := url.Values{tokenField: {b.token(t, "/admin")}}
	assert.Equal(t, http.StatusForbidden, b.do(http.MethodPost, "/admin/unlock-queues", token).Code, "it asks for the password")
	token.Set(passwordField, password)
	assert.Equal(t, "/admin/queues", b.do(http.MethodPost, "/admin/unlock-queues", token).Header().Get("Location"))
	assert.Equal(t, "queues GET /admin/queues", b.get("/admin/queues").Body.String())
	assert.Equal(t, recorded, entries(), "what was refused is not recorded as done")

	exec(`INSERT INTO user_permissions (user_id, permission, granted) SELECT id, 'queues:write', false FROM users WHERE role = 'ADMIN'`)
	assert.Eventually(t, func() bool { return b.get("/admin/queues").Body.String() == "read-only queues GET /admin/queues" }, testkit.WaitTimeout, 50*time.Millisecond)
	assert.Equal(t, http.StatusForbidden, b.do(http.MethodPost, change, nil).Code)
	assert.Equal(t, http.StatusForbidden, b.do(http.MethodDelete, change, nil).Code)
	assert.Equal(t, http.StatusForbidden, b.do(http.MethodPost, "/admin/unlock-queues", token).Code)
	assert.Equal(t, recorded, entries())
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/admin": "/admin", "/admin/queues?a=b": "/admin/queues?a=b", "": "/admin", "/": "/admin", "/adminx": "/admin",
		"//evil.example.com": "/admin", "https://evil.example.com/admin": "/admin", `/\evil.example.com`: "/admin", "/admin/../x": "/admin",
		"/admin/%2e%2e/x": "/admin", "javascript:alert(1)": "/admin", "/admin\r\nSet-Cookie: a=b": "/admin", "/admin/login": "/admin",
		"/admin/login?next=/admin/login": "/admin", "/admin/logout": "/admin/logout", "\t/admin": "/admin", "/admin#x": "/admin",
	} {
		assert.Equal(t, want, localPath(next), next)
	}
}

// FuzzLocalPath: a browser that follows any requested redirect stays in the panel and receives no injected header.
func FuzzLocalPath(f *testing.F) {
	for _, next := range []string{"", "/admin", "/admin/queues?a=b", "//evil.example.com", `/admin/\..\x`, "/admin?x=\r\ny", "/admin/%2e%2e//x", "/admin;/..//x"} {
		f.Add(next)
	}
	site, err := url.Parse("https://banca.example.com/admin/login")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, next string) {
		got := localPath(next)
		target, err := site.Parse(got)
		require.NoError(t, err)
		assert.Equal(t, "banca.example.com", target.Host)
		assert.True(t, target.Path == home || strings.HasPrefix(target.Path, home+"/"), got)
		assert.NotContains(t, got, "\r")
		assert.NotContains(t, got, "\n")
	})
}
