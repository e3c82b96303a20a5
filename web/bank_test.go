package web

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/bank"
	"banca/internal/bank/banksim"
	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
	"banca/web/kit"
)

const bankToken = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// bankPanel is a panel over the seeded organisation, its bank and a simulator that calls the same bank.
type bankPanel struct {
	*browser
	bank   *bank.Service
	env    *testkit.Env
	web    *Web
	models *simulators.Models // of the assistant
}

// rootID is the operator's id.
var rootID = uuid.MustParse("00000000-0000-7000-8000-000000000001") //nolint:gochecknoglobals // a constant

// seeded is the database that the tests begin with; the users' password is password.
var seeded = testkit.NewTemplate(func(ctx context.Context, pg *storage.Postgres) error { //nolint:gochecknoglobals // a lazy constant
	return seed.Run(ctx, pg, seed.Options{Root: rootID, HashPassword: func(string) (string, error) { return hashedPassword() }})
})

func setupBank(t *testing.T) *bankPanel {
	t.Helper()
	env := seeded.New(t)
	entities := org.New(env.PG.Gorm, org.Options{})
	users := usersOf(t, env, entities.Scope)
	deps := depsOf(t, env, users)
	service := deps.Bank
	p := &bankPanel{bank: service, env: env, browser: &browser{auth: users, cookies: map[string]*http.Cookie{}, header: map[string]string{}}}
	webhooks := httptest.NewServer(http.HandlerFunc(p.webhook))
	t.Cleanup(webhooks.Close)
	simulator, err := banksim.New(banksim.Options{Targets: []string{webhooks.URL}})
	require.NoError(t, err)
	deps.Simulator = simulator
	deps.Queues = QueueViews{Full: queueView("queues"), ReadOnly: queueView("read-only queues")}
	deps.Assistant, p.models = assistantOf(t, env, &deps)
	panel, err := New(deps)
	require.NoError(t, err)
	gin.SetMode(gin.ReleaseMode)
	p.engine, p.web = gin.New(), panel
	panel.Register(p.engine)
	return p
}

// webhook hands a call to the bank as the api does.
func (p *bankPanel) webhook(w http.ResponseWriter, r *http.Request) {
	phase := bank.PhaseQuery
	if r.URL.Path == "/BancoNotifica" {
		phase = bank.PhaseNotification
	}
	reply := p.bank.Answer(r.Context(), &bank.Call{
		Phase: phase, Method: r.Method, Peer: r.RemoteAddr, Authorization: r.Header.Values("Authorization"), Body: r.Body, HTTPID: "test",
	})
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body)
}

// call sends a call of the bank.
func (p *bankPanel) call(t *testing.T, path, token, body string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("Authorization", token)
	w := httptest.NewRecorder()
	p.webhook(w, r)
	require.NoError(t, p.bank.Flush(t.Context()))
	return w.Body.String()
}

// notify reports a payment that no request fits.
func (p *bankPanel) notify(t *testing.T, reference, concept string) {
	t.Helper()
	body := fmt.Sprintf(`{"Referencia":%q,"BancoEmisor":"0134","Monto":"77.10","CodigoRed":"00","Concepto":%q}`, reference, concept)
	require.Equal(t, `{"abono":false}`, p.call(t, "/BancoNotifica", bankToken, body))
}

func (p *bankPanel) enter(t *testing.T, name string) {
	t.Helper()
	w := p.do(http.MethodPost, loginPath, url.Values{tokenField: {p.token(t, loginPath)}, "password": {password}, "identifier": {name}})
	require.Equal(t, http.StatusSeeOther, w.Code)
}

// follow returns the first link of a page that begins so.
func (p *bankPanel) follow(t *testing.T, page, prefix string) string {
	t.Helper()
	found := regexp.MustCompile(`href="(` + regexp.QuoteMeta(prefix) + `[0-9a-f-]{36})"`).FindStringSubmatch(p.get(page).Body.String())
	require.Len(t, found, 2, page)
	return found[1]
}

// bankPages are the bank's pages in the menu.
func bankPages() []string {
	return []string{"", "/events", "/payments", "/requests", "/alerts", "/statements", "/directory", "/simulator"}
}

func TestTheBankIsForTheOperatorsAdministrators(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	for _, page := range bankPages() {
		assert.Equal(t, http.StatusSeeOther, p.get(bankPath+page).Code, "anonymous: %s", page)
	}
	p.enter(t, "taquilla@banca.test")
	for _, page := range append(bankPages(), "/events/"+uuid.NewString(), "/payments/"+uuid.NewString()) {
		w := p.get(bankPath + page)
		assert.Equal(t, http.StatusForbidden, w.Code, page)
		assert.NotContains(t, w.Body.String(), `href="`+bankPath+`"`, page)
	}
	token := p.token(t, "/admin")
	for _, path := range []string{
		"/simulator", "/requests", "/statements", "/events/" + uuid.NewString() + "/erase", "/payments/" + uuid.NewString() + "/assign",
		"/payments/" + uuid.NewString() + "/refund", "/requests/" + uuid.NewString() + "/cancel", "/alerts/" + uuid.NewString() + "/acknowledge",
	} {
		assert.Equal(t, http.StatusForbidden, p.do(http.MethodPost, bankPath+path, url.Values{tokenField: {token}}).Code, path)
	}
}

func TestEveryBankPageInBothLanguages(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.notify(t, "000012345678", `<script>alert("x")</script>`)
	p.call(t, "/BancoConsulta", "wrong", "{}")
	p.enter(t, "admin@banca.test")
	event, payment := p.follow(t, bankPath+"/events?phase=notification", bankPath+"/events/"), p.follow(t, bankPath+"/payments", bankPath+"/payments/")
	pages := []string{home, event, payment}
	for _, page := range bankPages() {
		pages = append(pages, bankPath+page)
	}
	assert.Regexp(t, `<dd>[A-Z][^<]+\(0134\)</dd>`, p.get(event).Body.String(), "the bank by its name")
	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!`) // a key without words, or words without their arguments
	for _, page := range pages {
		for _, language := range []string{spanish, english} {
			w := p.get(page + "?lang=" + language)
			require.Equal(t, http.StatusOK, w.Code, page)
			body := w.Body.String()
			assert.NotRegexp(t, missing, body, page)
			assert.NotContains(t, body, "<script>alert", page)
			assert.NotContains(t, body, bankToken, page)
		}
	}
	assert.Contains(t, p.get(event).Body.String(), "&lt;script&gt;", "what was sent is shown, harmless")
	assert.Contains(t, p.get(bankPath).Body.String(), "••••0ae7")
	for _, page := range []string{"/events/x", "/events/" + uuid.NewString(), "/payments/" + uuid.NewString(), "/requests/0", "/statements/0"} {
		assert.Equal(t, http.StatusNotFound, p.get(bankPath+page).Code, page)
	}
}

func TestListsFilterByTheirAddress(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	for i := range 60 {
		p.notify(t, fmt.Sprintf("%08d", i), "x")
	}
	p.enter(t, "admin@banca.test")
	first := p.get(bankPath + "/payments?list=unreconciled").Body.String()
	assert.Contains(t, first, "1–50 de 60")
	assert.Contains(t, first, `href="/admin/bank/payments?list=unreconciled&amp;page=2"`)
	assert.Contains(t, p.get(bankPath+"/payments?list=unreconciled&page=2").Body.String(), "51–60 de 60")
	assert.Contains(t, p.get(bankPath+"/events?reference=00000007").Body.String(), "1 fila")
	assert.Contains(t, p.get(bankPath+"/events?bank=134").Body.String(), "1–50 de 60", "a bank of three digits is found, too")
	assert.Contains(t, p.get(bankPath+"/events?reference=999999999999").Body.String(), `class="empty"`)
	for _, nonsense := range []string{"?page=-1", "?page=x", "?page=99999999999", "?date=2026-99-99", "?phase=';--", "?lang=xx"} {
		assert.Equal(t, http.StatusOK, p.get(bankPath+"/events"+nonsense).Code, nonsense)
	}
}

func TestListsAsFiles(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.notify(t, "00000001", `=HYPERLINK("http://evil.example.com")`)
	p.notify(t, "00000002", "a \"quoted\", text")
	p.enter(t, "admin@banca.test")
	assert.Contains(t, p.get(bankPath+"/payments?list=unreconciled&page=1").Body.String(), `href="/admin/bank/payments?format=csv&amp;list=unreconciled"`)
	w := p.get(bankPath + "/payments?list=unreconciled&format=csv&lang=en")
	assert.Equal(t, "text/csv; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Contains(t, w.Header().Get("Content-Disposition"), "payments.csv")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.Body.String(), "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	assert.Equal(t, []string{"Received", "Date", "State", "Amount", "Currency", "Reference"}, rows[0][:6])
	assert.Equal(t, []string{"Unreconciled", "77.10", "VES", "00000002"}, rows[1][2:6])
	assert.Equal(t, `a "quoted", text`, rows[1][8])
	assert.Equal(t, `'=HYPERLINK("http://evil.example.com")`, rows[2][8], "no spreadsheet runs it")
	calls, err := csv.NewReader(p.get(bankPath + "/events?reference=00000002&format=csv&lang=en").Body).ReadAll()
	require.NoError(t, err)
	assert.Len(t, calls, 2)
}

func TestTheEventListOffersNewCalls(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.notify(t, "00000001", "x")
	p.enter(t, "admin@banca.test")
	found := regexp.MustCompile(`hx-get="([^"]+)"`).FindStringSubmatch(p.get(bankPath + "/events?phase=notification").Body.String())
	require.Len(t, found, 2)
	news := strings.ReplaceAll(found[1], "&amp;", "&")
	assert.NotContains(t, p.get(news).Body.String(), "<a ")
	p.notify(t, "00000002", "x")
	p.call(t, "/BancoConsulta", bankToken, `{"IdCliente":"V1234567","Monto":"1.00","TelefonoComercio":"04140000000"}`) // another phase
	body := p.get(news).Body.String()
	assert.Contains(t, body, `<a href="/admin/bank/events?phase=notification">1 aviso nuevo`)
	assert.NotContains(t, body, "<html")

	delete(p.cookies, sessionCookie)
	p.header[scriptHeader] = "true"
	w := p.get(news)
	assert.Equal(t, http.StatusUnauthorized, w.Code, "a piece is never the login")
	assert.Equal(t, loginPath+"?next="+url.QueryEscape(news), w.Header().Get("HX-Redirect"))
	p.header["HX-Current-URL"] = "https://banca.test/admin/bank/events?phase=notification"
	assert.Equal(t, loginPath+"?next=%2Fadmin%2Fbank%2Fevents%3Fphase%3Dnotification", p.get(news).Header().Get("HX-Redirect"), "the page that shows the piece")
}

func TestAnAcknowledgedAlertShowsItsNoticeInItsRow(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.call(t, "/BancoConsulta", "a wrong token", `{}`)
	p.enter(t, "admin@banca.test")
	alerts := bankPath + "/alerts"
	found := regexp.MustCompile(`action="(` + alerts + `/([0-9a-f-]{36})/acknowledge)"`).FindStringSubmatch(p.get(alerts).Body.String())
	require.Len(t, found, 3)
	location, _ := p.send(t, alerts, found[1], http.StatusSeeOther, nil)
	assert.Equal(t, alerts+"?beside="+found[2]+"&done=acknowledged#done", location)
	page := p.get(strings.TrimSuffix(location, "#done") + "&lang=es").Body.String()
	assert.Regexp(t, `<td><div class="notice beside" id="done" role="status">La alerta quedó como vista\.</div></td></tr>`, page)
	assert.Contains(t, page, `<p class="notice top" role="status">`, "a list without the row shows it on top")
	assert.NotContains(t, p.get(alerts+"?done=acknowledged&beside=other").Body.String(), `id="done"`)
}

func TestAPaymentIsAssignedOnce(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.notify(t, "000012345678", "x")
	p.enter(t, "admin@banca.test")
	page := p.follow(t, bankPath+"/payments?list=unreconciled", bankPath+"/payments/")
	form := func(entity string) url.Values {
		key := regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(p.get(page).Body.String())
		require.Len(t, key, 2)
		return url.Values{tokenField: {p.token(t, page)}, "key": {key[1]}, "entity": {entity}, "note": {"<b>"}}
	}
	w := p.do(http.MethodPost, page+"/assign", url.Values{"entity": {seed.CodeTicketPoint}})
	assert.Equal(t, http.StatusForbidden, w.Code, "without the form's token")
	w = p.do(http.MethodPost, page+"/assign", form("NOBODY"))
	assert.Equal(t, http.StatusNotFound, w.Code)
	assert.Contains(t, w.Body.String(), `value="NOBODY"`, "what was typed stays")
	assert.Contains(t, w.Body.String(), `role="alert"`)

	both := form(seed.CodeTicketPoint)
	both.Set("request", uuid.NewString())
	assert.Equal(t, http.StatusUnprocessableEntity, p.do(http.MethodPost, page+"/assign", both).Code, "an entity and a request")
	good := form(seed.CodeTicketPoint)
	for range 2 {
		w = p.do(http.MethodPost, page+"/assign", good)
		assert.Equal(t, http.StatusSeeOther, w.Code)
		assert.Equal(t, page+"?done=assigned", w.Header().Get("Location"))
	}
	body := p.get(page + "?done=assigned").Body.String()
	assert.Contains(t, body, "El pago fue asignado")
	assert.NotContains(t, body, "/refund", "nothing is left to do")
	w = p.do(http.MethodPost, page+"/refund", url.Values{tokenField: {p.token(t, page)}, "key": {"another"}, "note": {"x"}})
	assert.Equal(t, http.StatusConflict, w.Code)
	p.requireBooked(t, 1)
	assert.NotContains(t, p.get(page+"?done=%3Cscript%3E").Body.String(), "<script>", "only known words")
}

// The front page shows the first similar request of a payment that waits, with a link to where it is assigned.
func TestTheFrontPageShowsTheLikelyRequest(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	requests := bankPath + "/requests"
	form := url.Values{
		tokenField: {p.token(t, requests)}, "key": {"one"}, "entity": {seed.CodeTicketPoint}, "amount": {"77,10"}, "client_id": {"V-11.222.333"}, "client_phone": {"04141112233"},
	}
	require.Equal(t, http.StatusSeeOther, p.do(http.MethodPost, requests, form).Code)
	p.notify(t, "000012345678", "x")
	page := p.follow(t, bankPath+"/payments?list=unreconciled", bankPath+"/payments/")
	front := p.get(bankPath).Body.String()
	assert.Contains(t, front, `href="`+page+`#similar">¿Solicitud de V-11.222.333 en `)
	similar := p.get(page).Body.String()
	_, similar, _ = strings.Cut(similar, `id="similar"`)
	assert.Contains(t, similar, "V-11.222.333", "the page of the payment lists it")
}

// requireBooked counts the deposits and proves the books.
func (p *bankPanel) requireBooked(t *testing.T, deposits int) {
	t.Helper()
	var n int
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM transactions WHERE type = $1`, models.TransactionDeposit).Scan(&n))
	assert.Equal(t, deposits, n)
	checks, err := p.bank.Verify(t.Context())
	require.NoError(t, err)
	for _, c := range checks {
		assert.Zero(t, c.Broken, c.Name)
	}
}

// Invalid UTF-8 is refused before anything is searched for or stored.
func TestInvalidUTF8IsRefused(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	for _, page := range []string{"/events?reference=%00", "/events/news?phone=%ff", "/payments?list=%00", "/requests?origin=%ff", "/alerts?kind=%00", "?lang=%00"} {
		assert.Equal(t, http.StatusBadRequest, p.get(bankPath+page).Code, page)
	}
	list := bankPath + "/requests"
	for _, text := range []string{"a\x00b", "\xff"} {
		w := p.do(http.MethodPost, list, url.Values{tokenField: {p.token(t, list)}, "entity": {text}, "amount": {"1"}})
		assert.Equal(t, http.StatusBadRequest, w.Code)
	}
	delete(p.cookies, sessionCookie)
	w := p.do(http.MethodPost, loginPath, url.Values{tokenField: {p.token(t, loginPath)}, "identifier": {"a\x00"}})
	assert.Equal(t, http.StatusBadRequest, w.Code)
}

// The address of an action leads to its page: a refusal is shown there, and can be read in the other language.
func TestAnActionsAddressLeadsToItsPage(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.notify(t, "000012345678", "x")
	p.enter(t, "admin@banca.test")
	page := p.follow(t, bankPath+"/payments", bankPath+"/payments/")
	w := p.do(http.MethodPost, page+"/assign", url.Values{tokenField: {p.token(t, page)}, "entity": {"NOBODY"}})
	link := regexp.MustCompile(`href="([^"]+lang=en)"`).FindStringSubmatch(w.Body.String())
	require.Len(t, link, 2)
	w = p.get(link[1])
	assert.Equal(t, http.StatusSeeOther, w.Code)
	assert.Equal(t, page+"?lang=en", w.Header().Get("Location"))
	for action, leads := range map[string]string{
		bankPath + "/alerts/" + uuid.NewString() + "/acknowledge?lang=en": bankPath + "/alerts?lang=en", "/admin/logout": home,
	} {
		assert.Equal(t, leads, p.get(action).Header().Get("Location"), action)
	}
	delete(p.cookies, sessionCookie)
	assert.Equal(t, loginPath, strings.Split(p.get(page+"/assign").Header().Get("Location"), "?")[0])
}

// importStatement imports a bank statement of one line.
func (p *bankPanel) importStatement(t *testing.T, line string) *httptest.ResponseRecorder {
	t.Helper()
	const list = bankPath + "/statements"
	var body strings.Builder
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField(tokenField, p.token(t, list)))
	file, err := form.CreateFormFile("file", "statement.csv")
	require.NoError(t, err)
	_, err = io.WriteString(file, "date,reference,amount\n"+line+"\n")
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r := httptest.NewRequest(http.MethodPost, list, strings.NewReader(body.String()))
	r.Header.Set("Content-Type", form.FormDataContentType())
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	p.engine.ServeHTTP(w, r)
	return w
}

// A statement may be larger than a form; a body that is not multipart is refused like any other without a form token.
func TestStatementsAreUploads(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	list := bankPath + "/statements"
	assert.Contains(t, p.web.Uploads(), list)
	assert.Equal(t, http.StatusSeeOther, p.importStatement(t, "2026-01-01,1234,1"+strings.Repeat(" ", 2<<20)).Code)
	assert.Equal(t, http.StatusRequestEntityTooLarge, p.importStatement(t, strings.Repeat(" ", kit.MaxFile+64<<10)).Code)
	w := p.importStatement(t, "2026-01-01,=1+1,1")
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Contains(t, w.Body.String(), "Línea 2.")
	assert.Equal(t, http.StatusForbidden, p.do(http.MethodPost, list, url.Values{"x": {"y"}}).Code)
}

func TestRequestsAreMadeAndCancelled(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	list := bankPath + "/requests"
	form := url.Values{tokenField: {p.token(t, list)}, "key": {"one"}, "entity": {seed.CodeTicketPoint}, "amount": {"1,234"}, "client_id": {"nobody"}}
	w := p.do(http.MethodPost, list, form)
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	for _, id := range []string{`id="h-r-amount"`, `id="h-r-client_id"`, `value="1,234"`} {
		assert.Contains(t, w.Body.String(), id)
	}
	form.Set("amount", "150,50")
	form.Set("client_id", "V-11.222.333")
	w = p.do(http.MethodPost, list, form)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	page, _, _ := strings.Cut(w.Header().Get("Location"), "?")
	assert.Equal(t, page, strings.TrimSuffix(p.do(http.MethodPost, list, form).Header().Get("Location"), "?done=created"), "sent twice, made once")
	assert.Contains(t, p.get(page).Body.String(), "150,50 Bs")
	w = p.do(http.MethodPost, page+"/cancel", url.Values{tokenField: {p.token(t, page)}})
	assert.Equal(t, page+"?done=cancelled", w.Header().Get("Location"))
	assert.Contains(t, p.get(page).Body.String(), "Cancelada")
}

func TestBanksAndCodesAreKept(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.notify(t, "00000001", "x") // of bank 0134
	p.enter(t, "admin@banca.test")
	list := bankPath + "/directory"
	send := func(what string, pairs ...string) *httptest.ResponseRecorder {
		form := url.Values{tokenField: {p.token(t, list)}}
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return p.do(http.MethodPost, list+what, form)
	}
	for _, c := range []struct {
		what   string
		pairs  []string
		status int
		shown  string
	}{
		{"/banks", []string{"action", "add", "code", "9998", "name", "Banco <b>Nuevo</b>", "status", "active"}, http.StatusSeeOther, ""},
		{"/banks", []string{"action", "add", "code", "9998", "name", "Otro", "status", "active"}, http.StatusConflict, `value="Otro"`},
		{"/banks", []string{"action", "add", "code", "99x", "name", "Otro", "status", "active"}, http.StatusUnprocessableEntity, `value="99x"`},
		{"/banks", []string{"action", "change", "code", "9998", "name", "Nuevo", "status", "retired"}, http.StatusSeeOther, ""},
		{"/banks", []string{"action", "remove", "code", "0134"}, http.StatusConflict, `role="alert"`},
		{"/banks", []string{"action", "remove", "code", "9998"}, http.StatusSeeOther, ""},
		{"/banks", []string{"code", "9998"}, http.StatusBadRequest, `role="alert"`},
		{"/codes", []string{"action", "add", "code", "Z9", "meaning", "Otra cosa"}, http.StatusSeeOther, ""},
		{"/codes", []string{"action", "change", "code", "Z9", "meaning", "Otra"}, http.StatusSeeOther, ""},
		{"/codes", []string{"action", "remove", "code", "00"}, http.StatusConflict, `role="alert"`},
		{"/codes", []string{"action", "remove", "code", "Z9"}, http.StatusSeeOther, ""},
	} {
		w := send(c.what, c.pairs...)
		assert.Equal(t, c.status, w.Code, c.pairs)
		assert.Contains(t, w.Body.String(), c.shown, c.pairs)
	}
	assert.Contains(t, p.get(list+"?bank=0134").Body.String(), `value="0134" inputmode="numeric" pattern="[0-9]{4}" maxlength="4" required readonly`)
	assert.NotContains(t, p.get(list).Body.String(), "bank=9998")
}

func TestTheSimulatorCallsAndCredits(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	page := p.get(bankPath + "/simulator").Body.String()
	assert.NotContains(t, page, bankToken, "the configured token is never filled in")
	form := url.Values{tokenField: {p.token(t, bankPath+"/simulator")}}
	for _, input := range regexp.MustCompile(`name="(field\.[A-Za-z]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(input[1], strings.NewReplacer("&#43;", "+").Replace(input[2]))
	}
	target := regexp.MustCompile(`<option value="(http://[^"]+)"`).FindStringSubmatch(page)
	require.Len(t, target, 2)
	form.Set("target", target[1])
	form.Set("phase", "AB")
	form.Set("scenario", "at_once")
	form.Set("field.BancoEmisor", "0134")
	form.Set("token", bankToken)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); p.bank.Run(ctx) }()
	assert.Equal(t, "150,00", form.Get("field.Monto"))
	w := p.simulate(form)
	require.Contains(t, w.Body.String(), `form="simulation"`, "the notification asks")
	assert.Contains(t, w.Body.String(), "<strong>150,00 Bs</strong>")
	form.Set("field.Monto", "151,00")
	p.confirm(t, form, w)
	w = p.simulate(form)
	require.Contains(t, w.Body.String(), "<strong>151,00 Bs</strong>", "another amount asks again")
	form.Set("field.Monto", "150,00")
	w = p.simulate(form)
	stop()
	<-done
	require.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, 1, strings.Count(w.Body.String(), `{&#34;status&#34;:true}</pre>`))
	assert.Equal(t, 1, strings.Count(w.Body.String(), "Sí, puede pagar"))
	assert.Equal(t, 20, strings.Count(w.Body.String(), "Sí, se abonó"))
	assert.NotContains(t, w.Body.String(), bankToken)
	p.requireBooked(t, 1)

	form.Set("target", "http://169.254.169.254")
	form.Del("asked")
	p.confirm(t, form, p.simulate(form))
	w = p.simulate(form)
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Contains(t, w.Body.String(), "No se envió nada")
}

// simulate sends the form of the simulator.
func (p *bankPanel) simulate(form url.Values) *httptest.ResponseRecorder {
	return p.do(http.MethodPost, bankPath+"/simulator", form)
}

// confirm adds the confirmation of the question that the simulator answered.
func (p *bankPanel) confirm(t *testing.T, form url.Values, w *httptest.ResponseRecorder) {
	t.Helper()
	asked := regexp.MustCompile(`name="asked" value="([^"]*)"`).FindStringSubmatch(w.Body.String())
	require.Len(t, asked, 2)
	form.Set("asked", html.UnescapeString(asked[1]))
}
