package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/setup/seed"
)

// send sends the form of a page and returns where it led.
func (p *bankPanel) send(t *testing.T, page, action string, status int, fields url.Values) (location, body string) {
	t.Helper()
	if fields == nil {
		fields = url.Values{}
	}
	fields.Set(tokenField, p.token(t, page))
	w := p.do(http.MethodPost, action, fields)
	require.Equal(t, status, w.Code, "%s: %s", action, w.Body)
	return w.Header().Get("Location"), w.Body.String()
}

func anna() url.Values {
	return url.Values{
		"name": {"Ana <b>"}, "email": {"ana@banca.test"}, "role": {"TAQUILLA"}, "entity": {seed.CodeTicketPoint}, "auth_method": {"password"}, "password": {"a long secret"},
	}
}

func TestUsersInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	_, body := p.send(t, "/admin/users/new", "/admin/users/new", 422, url.Values{"name": {"X"}, "email": {"nonsense"}, "role": {"TAQUILLA"}, "entity": {seed.CodeTicketPoint}, "password": {"a long secret"}})
	assert.Contains(t, body, `id="h-email"`, "the error is at its field")
	assert.Contains(t, body, `value="nonsense"`, "what was typed stays")
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 404, url.Values{"name": {"X"}, "email": {"x@y.z"}, "role": {"TAQUILLA"}, "entity": {"NOWHERE"}, "password": {"a long secret"}})
	assert.Contains(t, body, `id="h-entity"`)

	at, _ := p.send(t, "/admin/users/new", "/admin/users/new", 303, anna())
	page, _, _ := strings.Cut(at, "?")
	shown := p.get(at).Body.String()
	assert.Contains(t, shown, "El usuario fue creado.")
	assert.Contains(t, shown, "Ana &lt;b&gt;")
	assert.NotContains(t, shown, "<b>")
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 409, anna())
	assert.Contains(t, body, `id="h-email"`)

	edited := anna()
	edited.Set("name", "Ana María")
	edited.Set("role", "SOCIO")
	edited.Set("status", "active")
	edited.Del("entity")
	p.send(t, page, page+"/edit", 303, edited)
	p.send(t, page, page+"/permissions", 303, url.Values{"logs:read": {"granted"}, "sales:read": {"denied"}, "x": {"granted"}})
	p.send(t, page, page+"/permissions", 422, url.Values{"users:write": {"granted"}})
	shown = p.get(page).Body.String()
	assert.Contains(t, shown, "Ana María")
	assert.Regexp(t, `name="logs:read".*value="granted" selected`, shown)
	p.send(t, page, page+"/password", 303, url.Values{"password": {"another secret"}})
	_, body = p.send(t, page, page+"/password", 422, url.Values{"password": {"short"}})
	assert.Contains(t, body, "De 8 a 72")

	list := p.get("/admin/users?q=ana+mar&role=SOCIO").Body.String()
	assert.Contains(t, list, page)
	assert.NotContains(t, list, "admin@banca.test")
	assert.Contains(t, p.get("/admin/users?format=csv").Body.String(), "ana@banca.test")
	to, _ := p.send(t, page, page+"/delete", 303, nil)
	assert.Equal(t, "/admin/users?done=user.deleted", to)
	assert.Equal(t, http.StatusNotFound, p.get(page).Code)
	deleted := p.get("/admin/activity?module=users&action=delete").Body.String()
	assert.Contains(t, deleted, "</a> eliminó al usuario Ana María", "by its name, without a link to a page that is gone")
	assert.Regexp(t, `<a href="/admin/users/[0-9a-f-]+">[^<]+</a> cambió al usuario Ana María</span>\s*<span class="under">[^<]*Rol`, p.get("/admin/activity?module=users").Body.String())
	assert.Contains(t, p.get("/admin/activity?module=users&action=delete&lang=en").Body.String(), "</a> deleted the user Ana María")
}

// A user cannot change the own role, and one without users:write cannot open the form.
func TestFieldsOfUsersByPermission(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	own := p.follow(t, "/admin/users?q=admin@", "/admin/users/")
	assert.NotContains(t, p.get(own).Body.String(), `action="`+own+`/delete"`)
	_, body := p.send(t, own, own+"/delete", 403, nil)
	assert.Contains(t, body, "No puede eliminar su propio usuario")

	p.send(t, "/admin", "/admin/logout", 303, nil)
	p.enter(t, "socio@banca.test")
	assert.Equal(t, http.StatusOK, p.get("/admin/users").Code)
	assert.Equal(t, http.StatusNotFound, p.get(own).Code, "of a user above")
	for _, path := range []string{"/admin/users/new", "/admin/sessions", "/admin/activity"} {
		assert.Equal(t, http.StatusForbidden, p.get(path).Code, path)
	}
	assert.Equal(t, http.StatusOK, p.get("/admin/account").Code)
	for _, action := range []string{"/edit", "/password", "/delete", "/permissions", "/totp"} {
		p.send(t, "/admin/account", own+action, 403, nil)
	}
}

// forgetConfirmation makes the last confirmation of every password too old.
func (p *bankPanel) forgetConfirmation(t *testing.T) {
	t.Helper()
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE user_sessions SET confirmed_at = now() - interval '11 minutes'`)
	require.NoError(t, err)
}

// After ten minutes a sensitive action asks for the password and then does what was requested.
func TestASensitiveActionRequiresThePassword(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.forgetConfirmation(t)
	_, body := p.send(t, "/admin/users/new", "/admin/users/new", 403, anna())
	assert.Contains(t, body, "Confirme su contraseña")
	assert.NotContains(t, body, "a long secret", "no page holds the password that was typed")
	assert.NotContains(t, body, "ana@banca.test")
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 403, waiting(t, body, "wrong"))
	assert.Contains(t, body, "La contraseña no es correcta")
	assert.NotContains(t, body, `value="wrong"`)
	assert.NotContains(t, p.get("/admin/users").Body.String(), "Ana &lt;b&gt;", "nothing was changed")
	p.send(t, "/admin/users/new", "/admin/users/new", 303, waiting(t, body, password))
	assert.Contains(t, p.get("/admin/users").Body.String(), "Ana &lt;b&gt;")
}

// waiting is the form of the page that asks for the password, with the password.
func waiting(t *testing.T, page, password string) url.Values {
	t.Helper()
	sealed := regexp.MustCompile(`name="confirm_form" value="([A-Za-z0-9_-]+)"`).FindStringSubmatch(page)
	require.NotNil(t, sealed, page)
	return url.Values{waitingField: {sealed[1]}, passwordField: {password}}
}

// A form that waits is taken back from the session and at the address it was sent to, unchanged, and for a while only.
func TestASealedFormIsBoundToSessionAddressAndTime(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.forgetConfirmation(t)
	_, body := p.send(t, "/admin/users/new", "/admin/users/new", 403, anna())
	form := waiting(t, body, password)
	_, body = p.send(t, "/admin/bank/directory", "/admin/bank/directory/banks", 403, form)
	assert.NotContains(t, body, "confirm_form", "of another address")
	changed := waiting(t, "name=\"confirm_form\" value=\"A"+form.Get(waitingField)[1:]+"B\"", password)
	p.send(t, "/admin/users/new", "/admin/users/new", 403, changed)
	p.send(t, "/admin/users/new", "/admin/users/new", 403, url.Values{waitingField: {"%"}, passwordField: {password}})
	p.enter(t, "admin@banca.test")
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 403, form)
	assert.NotContains(t, body, "confirm_form", "of another session")
	p.forgetConfirmation(t)
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 403, anna())
	form = waiting(t, body, password)
	p.web.site.Clock = clock.NewFake(time.Now().Add(15*time.Minute + time.Second))
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 403, form)
	assert.NotContains(t, body, "confirm_form", "too old")
	p.web.site.Clock = clock.System{}
	assert.NotContains(t, p.get("/admin/users").Body.String(), "Ana &lt;b&gt;", "nothing was changed")
	p.send(t, "/admin/users/new", "/admin/users/new", 303, form)
}

// addDevice adds a device of the entered ADMIN, with a session.
func (p *bankPanel) addDevice(t *testing.T) (device, session string) {
	t.Helper()
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `INSERT INTO devices (id, entity_id, name, fingerprint_hash, key_hash, status, created_by)
		SELECT gen_random_uuid(), entity_id, 'Till', decode(repeat('01', 32), 'hex'), decode(repeat('02', 32), 'hex'), 'active', id FROM users WHERE email = 'admin@banca.test' RETURNING id::text`).Scan(&device))
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `INSERT INTO device_sessions (id, device_id, user_id, user_session_id, status)
		SELECT gen_random_uuid(), $1, u.id, s.id, 'active' FROM users u JOIN user_sessions s ON s.user_id = u.id WHERE u.email = 'admin@banca.test' LIMIT 1 RETURNING id::text`, device).Scan(&session))
	return device, session
}

// Activating a device and changing banks and codes require a password confirmed within the last minutes.
func TestDevicesAndBanksAskForThePassword(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	device, session := p.addDevice(t)
	page := "/admin/devices/" + device
	for _, c := range []struct {
		page, path string
		form       url.Values
		free       bool // asks for nothing
	}{
		{page, page + "/sessions/" + session + "/status", url.Values{"status": {"suspended"}}, true},
		{page, page + "/sessions/" + session + "/status", url.Values{"status": {"active"}}, false},
		{page, page + "/status", url.Values{"status": {"suspended"}}, true},
		{page, page + "/status", url.Values{"status": {"active"}}, false},
		{"/admin/bank/directory", "/admin/bank/directory/banks", url.Values{"action": {"add"}, "code": {"0999"}, "name": {"Banco Nuevo"}, "status": {"active"}}, false},
		{"/admin/bank/directory", "/admin/bank/directory/banks", url.Values{"action": {"change"}, "code": {"0999"}, "name": {"Banco"}, "status": {"retired"}}, false},
		{"/admin/bank/directory", "/admin/bank/directory/banks", url.Values{"action": {"remove"}, "code": {"0999"}}, false},
		{"/admin/bank/directory", "/admin/bank/directory/codes", url.Values{"action": {"add"}, "code": {"77"}, "meaning": {"Otro"}}, false},
		{"/admin/bank/directory", "/admin/bank/directory/codes", url.Values{"action": {"change"}, "code": {"77"}, "meaning": {"Uno"}}, false},
		{"/admin/bank/directory", "/admin/bank/directory/codes", url.Values{"action": {"remove"}, "code": {"77"}}, false},
	} {
		p.forgetConfirmation(t)
		if c.free {
			p.send(t, c.page, c.path, 303, c.form)
			continue
		}
		_, body := p.send(t, c.page, c.path, 403, c.form)
		p.send(t, c.page, c.path, 303, waiting(t, body, password))
	}
}

// A user without a password confirms with a code that is sent.
func TestASensitiveActionIsConfirmedWithACode(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	for _, sql := range []string{`UPDATE user_sessions SET confirmed_at = now() - interval '11 minutes'`, `UPDATE users SET auth_method = 'whatsapp' WHERE email = 'admin@banca.test'`} {
		_, err := p.env.PG.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	_, body := p.send(t, "/admin/users/new", "/admin/users/new", 403, anna())
	form := waiting(t, body, "")
	form.Set(sendField, "1")
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 403, form)
	assert.Contains(t, body, `name="confirm_code"`)
	assert.NotContains(t, body, sendField)
	var id [16]byte
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT message_id FROM one_time_codes`).Scan(&id))
	sent, err := p.auth.SentCode(t.Context(), id)
	require.NoError(t, err)
	form = waiting(t, body, "")
	form.Set(codeField, "000000")
	_, body = p.send(t, "/admin/users/new", "/admin/users/new", 403, form)
	assert.Contains(t, body, "no es correct")
	form = waiting(t, body, "")
	form.Set(codeField, sent.Digits)
	p.send(t, "/admin/users/new", "/admin/users/new", 303, form)
}

func TestSessionsInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "socio@banca.test")
	p.cookies = map[string]*http.Cookie{}
	p.enter(t, "admin@banca.test")
	list := p.get("/admin/sessions?active=yes").Body.String()
	ends := regexp.MustCompile(`action="(/admin/sessions/[0-9a-f-]+/terminate)"`).FindAllStringSubmatch(list, -1)
	require.Len(t, ends, 1, "all but this one")
	assert.Equal(t, 1, strings.Count(list, "Esta sesión"))
	assert.Contains(t, list, "Terminar la sesión")
	assert.Contains(t, list, "Programa desconocido")
	assert.NotContains(t, list, "Mozilla")
	to, _ := p.send(t, "/admin/sessions", ends[0][1], 303, url.Values{"back": {"https://elsewhere.example"}})
	assert.Equal(t, "/admin/sessions?done=session.ended", to)
	p.send(t, "/admin/sessions", ends[0][1], 409, nil)
	assert.Contains(t, p.get("/admin/sessions?active=no").Body.String(), "Terminada")
}

func TestTheActivityLogInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	_, body := p.send(t, "/admin/activity", "/admin/activity", 422, url.Values{"module": {"Visitas"}, "note": {"x"}})
	assert.Contains(t, body, `value="Visitas"`)
	p.send(t, "/admin/activity", "/admin/activity", 303, url.Values{"module": {"visits"}, "note": {"=all in order"}, "target": {"till 4"}})
	entry := p.follow(t, "/admin/activity?module=visits", "/admin/activity/")
	p.send(t, entry, entry+"/correct", 303, url.Values{"note": {"a printer is missing"}})
	shown := p.get(entry).Body.String()
	assert.Contains(t, shown, "a printer is missing")
	assert.Contains(t, shown, "=all in order", "what stood there is kept")
	p.send(t, entry, entry+"/remove", 303, url.Values{"note": {"twice"}})
	assert.NotContains(t, p.get("/admin/activity?module=visits").Body.String(), entry)
	assert.Contains(t, p.get("/admin/activity?module=visits&removed=1").Body.String(), entry)
	assert.NotContains(t, p.get(entry).Body.String(), entry+"/remove", "once is enough")
	assert.NotContains(t, p.get("/admin/activity").Body.String(), "</a> entró", "a choice of the filter shows logins")
	list := p.get("/admin/activity?module=auth").Body.String()
	assert.Contains(t, list, "</a> entró")
	shownText := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(list[strings.Index(list, "<tbody>"):strings.Index(list, "</tbody>")], "")
	assert.NotRegexp(t, `[0-9a-f]{8}-|[{}]|auth|login`, shownText, "no id, code or structure")
	assert.Contains(t, p.get("/admin/activity?action=login").Body.String(), "</a> entró", "the action alone selects logins, too")
	csv := p.get("/admin/activity?module=auth&format=csv").Body.String()
	assert.Contains(t, csv, "Entradas y salidas;Entró;")
	assert.NotContains(t, csv, "login", "the file has the words of the page")
	tomorrow := time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
	assert.Contains(t, p.get("/admin/activity?from="+tomorrow).Body.String(), "Nada coincide con este filtro")
}

func TestTheOwnAccount(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	_, body := p.send(t, accountPath, accountPath+"/password", 403, url.Values{"current": {"wrong"}, "next": {"a new secret"}})
	assert.Contains(t, body, "La contraseña actual no es correcta")
	p.send(t, accountPath, accountPath+"/password", 303, url.Values{"current": {password}, "next": {"a new secret"}})

	_, body = p.send(t, accountPath, accountPath+"/totp/start", 200, nil)
	assert.Contains(t, body, "<svg class=\"qr\"")
	secret := regexp.MustCompile(`<p class="mono">([A-Z2-7]+)</p>`).FindStringSubmatch(body)
	require.Len(t, secret, 2)
	_, body = p.send(t, accountPath, accountPath+"/totp/enable", 403, url.Values{"code": {"000000"}})
	assert.Contains(t, body, `name="code"`, "to try again")
	code, err := totp.GenerateCode(secret[1], time.Now())
	require.NoError(t, err)
	p.send(t, accountPath, accountPath+"/totp/enable", 303, url.Values{"code": {code}})

	p.send(t, accountPath, "/admin/logout", 303, nil)
	_, body = p.send(t, loginPath, loginPath, 401, url.Values{"identifier": {"admin@banca.test"}, "password": {"a new secret"}})
	assert.Contains(t, body, `name="totp"`)
	code, err = totp.GenerateCode(secret[1], time.Now().Add(30*time.Second)) // the one used above is good once
	require.NoError(t, err)
	p.send(t, loginPath, loginPath, 303, url.Values{"identifier": {"admin@banca.test"}, "password": {"a new secret"}, "totp": {code}})
	p.send(t, accountPath, accountPath+"/totp/disable", 303, nil)
}

func TestLoginWithACode(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE users SET auth_method = 'whatsapp' WHERE email = 'admin@banca.test'`)
	require.NoError(t, err)
	_, known := p.send(t, loginPath, loginPath+"/code", 200, url.Values{"identifier": {"admin@banca.test"}})
	_, unknown := p.send(t, loginPath, loginPath+"/code", 200, url.Values{"identifier": {"nobody@banca.test"}})
	for _, s := range []*string{&known, &unknown} {
		*s = regexp.MustCompile(`value="[^"]*"|href="[^"]*"`).ReplaceAllString(*s, "")
	}
	assert.Equal(t, known, unknown, "nothing tells who has an account")
	p.send(t, loginPath, loginPath+"/code", 401, url.Values{"identifier": {""}})

	var id [16]byte
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT message_id FROM one_time_codes`).Scan(&id))
	sent, err := p.auth.SentCode(t.Context(), id)
	require.NoError(t, err)
	code := sent.Digits
	p.send(t, loginPath, loginPath, 303, url.Values{"identifier": {"admin@banca.test"}, "code": {code}})
	assert.Equal(t, http.StatusOK, p.get("/admin").Code)
}

// A code that matched is not asked for again while the authenticator program's is missing or wrong.
func TestLoginKeepsTheCodeForTheAuthenticatorProgram(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE users SET auth_method = 'whatsapp' WHERE email = 'admin@banca.test'`)
	require.NoError(t, err)
	p.send(t, loginPath, loginPath+"/code", 200, url.Values{"identifier": {"admin@banca.test"}})
	var id, user [16]byte
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT message_id, user_id FROM one_time_codes`).Scan(&id, &user))
	sent, err := p.auth.SentCode(t.Context(), id)
	require.NoError(t, err)
	code := sent.Digits
	by := caller.Caller{UserID: user}
	key, err := p.auth.StartTOTP(t.Context(), by)
	require.NoError(t, err)
	_, err = p.env.PG.Pool.Exec(t.Context(), `UPDATE users SET totp_enabled_at = now() WHERE id = $1`, user)
	require.NoError(t, err)

	form := url.Values{"identifier": {"admin@banca.test"}, "code": {code}}
	_, body := p.send(t, loginPath, loginPath, 401, form)
	assert.Contains(t, body, `<input type="hidden" name="code" value="`+code+`">`)
	assert.Contains(t, body, `id="totp"`)
	assert.NotContains(t, body, `id="code"`)
	assert.NotContains(t, body, `id="password"`)
	form.Set("totp", "000000")
	_, body = p.send(t, loginPath, loginPath, 401, form)
	assert.Regexp(t, `<input id="code" name="code" value="`+code+`"`, body, "shown, because either may be wrong, and filled in")
	program, err := totp.GenerateCode(key.Secret, time.Now())
	require.NoError(t, err)
	form.Set("totp", program)
	p.send(t, loginPath, loginPath, 303, form)
}
