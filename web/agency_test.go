package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
	"banca/models"
)

const agencyForm = orgPath + "/agency"

func fortuna() url.Values {
	return url.Values{
		"parent": {seed.CodeSuperAgency}, "agency": {"La Fortuna Ñandú"}, "agency_rate": {"10"}, "point": {"Fortuna Centro"}, "point_code": {"FC-1"}, "point_rate": {"8,5"},
		"currency": {"VES"}, "credit": {"1.234,56"}, "user": {"Luz Marina"}, "identifier": {"luzmarina"}, "password": {"a long secret"},
		"device": {"Caja"}, "fingerprint": {"huella-de-la-caja-1"},
	}
}

// madeOf counts what the form of an agency makes.
func (p *bankPanel) madeOf(t *testing.T) (entities, users, devices, credits int) {
	t.Helper()
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM entities WHERE code IN ('LA-FORTUNA-NANDU', 'FC-1')),
		(SELECT count(*) FROM users WHERE identifier = 'luzmarina'), (SELECT count(*) FROM devices WHERE name = 'Caja'), (SELECT count(*) FROM credit_limit_changes)`).
		Scan(&entities, &users, &devices, &credits))
	return entities, users, devices, credits
}

// rowsOfAgencies counts all rows that the form may write.
func (p *bankPanel) rowsOfAgencies(t *testing.T) (counts string) {
	t.Helper()
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT concat_ws(' ', (SELECT count(*) FROM entities), (SELECT count(*) FROM users),
		(SELECT count(*) FROM devices), (SELECT count(*) FROM credit_limit_changes), (SELECT count(*) FROM wallets),
		(SELECT count(*) FROM activity_logs), (SELECT count(*) FROM idempotency_keys))`).Scan(&counts))
	return counts
}

// agencyKey is the idempotency key of an opened form.
func (p *bankPanel) agencyKey(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(p.get(agencyForm).Body.String())
	require.Len(t, found, 2)
	return found[1]
}

// reason returns the text at a refused field, "" if it is not refused.
func reason(body, field string) string {
	found := regexp.MustCompile(`<p class="hint wrong" id="h-` + field + `">([^<]*)</p>`).FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// An agency is made with all it needs in one form. Two clicks make one agency, and both answers show it; one of them has the key.
func TestAnAgencyIsMadeByTheWizard(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	token, key := p.token(t, agencyForm), p.agencyKey(t)
	var sent sync.WaitGroup
	bodies := make([]string, 2)
	for i := range bodies {
		sent.Go(func() {
			form := fortuna()
			form.Set(tokenField, token)
			form.Set("key", key)
			w := p.do(http.MethodPost, agencyForm, form)
			assert.Equal(t, http.StatusOK, w.Code)
			bodies[i] = w.Body.String()
		})
	}
	sent.Wait()
	entities, users, devices, credits := p.madeOf(t)
	assert.Equal(t, []int{2, 1, 1, 1}, []int{entities, users, devices, credits})
	both := strings.Join(bodies, "")
	assert.Equal(t, 1, strings.Count(both, "It is shown only once."))
	assert.Equal(t, 1, strings.Count(both, "It was shown once, when the agency was created"))
	assert.Equal(t, 1, strings.Count(both, "This form had been sent before"))
	assert.Equal(t, 1, strings.Count(both, "The agency is ready to sell."))
	assert.NotContains(t, both, "a long secret")
	var point uuid.UUID
	var credit int64
	var rates, role string
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT e.id, w.credit_limit, e.finance_info->'commissions'->0->>'percent', u.role FROM entities e
		JOIN wallets w ON w.entity_id = e.id JOIN users u ON u.entity_id = e.id WHERE e.code = 'FC-1'`).Scan(&point, &credit, &rates, &role))
	for _, body := range bodies {
		assert.Contains(t, body, `href="`+orgPath+"/"+point.String()+`">Fortuna Centro</a>`)
	}
	assert.Equal(t, int64(123456), credit)
	assert.Equal(t, "8.50", rates)
	assert.Equal(t, models.RoleTaquilla, role)

	other := fortuna()
	other.Set("key", key)
	other.Set("agency", "Otra")
	other.Set("point_code", "FC-2")
	before := p.rowsOfAgencies(t)
	status, body := p.submit(t, agencyForm, "", other)
	assert.Equal(t, http.StatusConflict, status)
	assert.Contains(t, body, "This form was sent before with other values")
	assert.NotContains(t, body, key, "the form can be sent again for another agency")
	assert.Equal(t, before, p.rowsOfAgencies(t))
}

// A refused part leaves nothing behind, marks its field and says why; the mended form works with the rates that were typed last.
func TestARefusedAgencyLeavesNothing(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	taken := fortuna()
	for field, value := range map[string]string{"agency": "Primera", "point_code": "FC-0", "identifier": "ocupada", "fingerprint": "huella-de-la-caja-0"} {
		taken.Set(field, value)
	}
	status, body := p.submit(t, agencyForm, "", taken)
	require.Equal(t, http.StatusOK, status, body)
	before, key := p.rowsOfAgencies(t), p.agencyKey(t)
	for name, tt := range map[string]struct {
		field, typed, marked string
		status               int
		says                 string
	}{
		"no parent":            {"parent", "", "parent", 422, "This is missing."},
		"unknown parent":       {"parent", "Nadie", "parent", 422, "with this name or code"},
		"low parent":           {"parent", seed.CodeTicketPoint, "parent", 422, "lower type"},
		"no name":              {"agency", "", "agency", 422, "This is missing."},
		"no percentage":        {"agency_rate", "diez", "agency_rate", 422, "From 0 to 100"},
		"percentage above all": {"point_rate", "101", "point_rate", 422, "From 0 to 100"},
		"agency's rate":        {"agency_rate", "18,5", "agency_rate", 422, "The agency asks for 18.5 % and Superagencia Oriente grants 18 %."},
		"ticket point's rate":  {"point_rate", "12", "point_rate", 422, "The ticket point asks for 12 % and the agency has 10 %."},
		"taken code":           {"agency_code", seed.CodeAgency, "agency_code", 409, "Another entity has this code"},
		"invalid code":         {"point_code", "a b", "point_code", 422, ""},
		"equal codes":          {"point_code", "LA-FORTUNA-NANDU", "point_code", 422, "different codes"},
		"amount":               {"credit", "mil", "credit", 422, ""},
		"identifier":           {"identifier", "x y", "identifier", 422, "without spaces"},
		"taken identifier":     {"identifier", "ocupada", "identifier", 409, "Taken."},
		"no password":          {"password", "", "password", 422, "Write a password"},
		"weak password":        {"password", "12345678", "password", 422, "8 to 72"},
		"half a device":        {"device", "", "fingerprint", 422, "name and the identification code"},
		"short fingerprint":    {"fingerprint", "corta", "fingerprint", 422, ""},
	} {
		form := fortuna()
		form.Set("key", key)
		form.Set(tt.field, tt.typed)
		status, body := p.submit(t, agencyForm, "", form)
		assert.Equal(t, tt.status, status, name)
		assert.Contains(t, body, `href="#`+tt.marked+`"`, name)
		why := reason(body, tt.marked)
		assert.Contains(t, why, tt.says, name)
		assert.NotEmpty(t, why, name)
		assert.NotContains(t, body, ">"+html.EscapeString(why)+`</p><p class="hint" id="h-`+tt.marked+`-rule">`+html.EscapeString(why), name)
		rule := regexp.MustCompile(`id="h-` + tt.marked + `-rule">([^<]*)<`).FindStringSubmatch(body)
		if rule != nil {
			assert.NotEqual(t, rule[1], html.EscapeString(why), "%s: the hint is not the error", name)
		}
		assert.Contains(t, body, `value="`+key+`"`, "%s: the mended form has the same key", name)
		assert.NotContains(t, body, "a long secret", name)
		require.Equal(t, before, p.rowsOfAgencies(t), name)
	}
	mended := fortuna()
	mended.Set("key", key)
	mended.Set("agency_rate", "12,25")
	status, body = p.submit(t, agencyForm, "", mended)
	require.Equal(t, http.StatusOK, status, body)
	var rate string
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT finance_info->'commissions'->0->>'percent' FROM entities WHERE code = 'LA-FORTUNA-NANDU'`).Scan(&rate))
	assert.Equal(t, "12.25", rate)
}

// The line above the commissions says what is granted and what is left, also without a script.
func TestTheRatesOfANewAgency(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	p.header["Accept-Language"] = "es"
	line := func(parent, agency, point string) string {
		body := p.get(agencyForm + "?" + url.Values{"parent": {parent}, "agency_rate": {agency}, "point_rate": {point}}.Encode()).Body.String()
		found := regexp.MustCompile(`id="rates"[^>]*>([^<]*)<`).FindStringSubmatch(body)
		require.Len(t, found, 2)
		return html.UnescapeString(found[1])
	}
	super := seed.CodeSuperAgency
	const begin = "Superagencia Oriente concede 18 % → agencia "
	assert.Equal(t, begin+"15 % → taquilla 10 %: a la agencia le quedan 5 %", line(super, "15", "10"))
	assert.Equal(t, begin+"18 % (hereda) → taquilla 10,5 %: a la agencia le quedan 7,5 %", line(super, "", "10,5"))
	assert.Equal(t, begin+"15 % → taquilla 15 % (hereda): a la agencia le quedan 0 %", line(super, "15", ""))
	assert.Equal(t, begin+"2 % → taquilla 12 %. La taquilla pide 12 % y la agencia tiene 2 %.", line(super, "2", "12"))
	assert.Equal(t, begin+"19 % → taquilla 12 %. La agencia pide 19 % y Superagencia Oriente concede 18 %.", line(super, "19", "12"))
	assert.Contains(t, line(seed.CodeOperator, "", ""), "concede 100 % → agencia 0 % (hereda) → taquilla 0 % (hereda)")
	assert.Equal(t, "No hay una entidad con este nombre o código en su parte de la red.", line("Nadie", "1", "1"))
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE entities SET finance_info = jsonb_set(finance_info, '{commissions}',
		finance_info->'commissions' || '[{"bet_type": "TRIPLETA", "percent": "12"}]') WHERE code = $1`, super)
	require.NoError(t, err)
	assert.Equal(t, "Superagencia Oriente concede 12 % a 18 % → agencia 12 % a 18 % (hereda) → taquilla 10 %: a la agencia le quedan 2 % a 8 %", line(super, "", "10"))
	form := fortuna()
	form.Set("agency_rate", "15")
	status, body := p.submit(t, agencyForm, "", form)
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Equal(t, "La agencia pide 15 % y Superagencia Oriente concede 12 %.", reason(body, "agency_rate"))
	assert.Contains(t, body, "Superagencia Oriente concede 12 % a 18 % → agencia 15 % → taquilla 8,5 %", "the answer shows the line")
}

// The page of a new agency ends with what its seller needs to know.
func TestTheCardOfANewAgency(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	form := fortuna()
	form.Set("password", "")
	form.Set("phone", "0414-1112233")
	status, body := p.submit(t, agencyForm, "", form)
	require.Equal(t, http.StatusOK, status, body)
	share := regexp.MustCompile(`href="(https://wa\.me/[^"]+)"`).FindStringSubmatch(body)
	require.Len(t, share, 2)
	address, err := url.Parse(html.UnescapeString(share[1]))
	require.NoError(t, err)
	assert.Equal(t, "/584141112233", address.Path)
	assert.NotContains(t, address.RawQuery, "+", "messengers show a plus sign as it is")
	text := address.Query().Get("text")
	for _, has := range []string{"La Fortuna Ñandú · Fortuna Centro", "http://127.0.0.1:8080/vender", "luzmarina", "+584141112233"} {
		assert.Contains(t, text, has)
		assert.Contains(t, html.UnescapeString(body), has)
	}
	second := fortuna()
	for field, value := range map[string]string{"agency": "Segunda", "point_code": "FC-2", "identifier": "segunda", "fingerprint": ""} {
		second.Set(field, value)
	}
	second.Del("device")
	status, body = p.submit(t, agencyForm, "", second)
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `href="https://wa.me/?text=`)
	assert.Contains(t, body, "The password is given by the person who created the user")
	assert.NotContains(t, body, "a long secret")
	assert.NotContains(t, body, "Key of the device", "no device was asked for")

	third := fortuna()
	for field, value := range map[string]string{"agency": "Tercera", "point_code": "FC-3", "identifier": "tercera", "phone": "0414-1112234", "key": p.agencyKey(t)} {
		third.Set(field, value)
	}
	for _, password := range []string{"a long secret", ""} { // the page shows no password again, so a repeat has none
		third.Set("password", password)
		status, body = p.submit(t, agencyForm, "", third)
		require.Equal(t, http.StatusOK, status, body)
		assert.Contains(t, body, "The password is given by the person who created the user")
	}
	assert.Contains(t, body, "The password and the device are those of the first time.")
}

func TestANewAgencyIsCopiedFromAnother(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	status, body := p.submit(t, agencyForm, "", fortuna())
	require.Equal(t, http.StatusOK, status, body)
	body = p.get(agencyForm + "?copy=LA-FORTUNA-NANDU").Body.String()
	for field, value := range map[string]string{
		"parent": "Superagencia Oriente (" + seed.CodeSuperAgency + ")", "agency_rate": "10.00", "point_rate": "8.50", "credit": "1,234.56", "agency": "", "identifier": "",
	} {
		assert.Contains(t, body, `id="`+field+`" name="`+field+`" value="`+value+`"`, field)
	}
	assert.Contains(t, body, `<option value="VES" selected>`)
	assert.Contains(t, body, "grants 18 % → agency 10 % → ticket point 8.5 %: the agency keeps 1.5 %")
	for _, none := range []string{"Nadie", seed.CodeTicketPoint} {
		assert.Contains(t, p.get(agencyForm+"?copy="+none).Body.String(), "No agency of your part of the organisation", none)
	}
}

func TestTheWizardInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupOrg(t, models.RoleAdmin)
	tab, server := enterInBrowser(t, p.engine)
	tab.Allow("htmx:sendAbort") // of a check that a later key replaces, where the answer is slower than the typing
	tab.Allow("htmx:afterRequest, [object HTMLParagraphElement]")
	tab.Visit(server + orgPath)
	tab.Follow(`.head .actions a.button`)
	for field, text := range map[string]string{
		"parent": seed.CodeSuperAgency, "agency": "La Fortuna", "point": "Fortuna Centro", "user": "Luz Marina", "identifier": "luz-" + uuid.NewString()[:8], "password": "a long secret",
	} {
		tab.Fill("#"+field, text)
	}
	tab.Fill("#agency_rate", "15")
	tab.Fill("#point_rate", "10")
	const right = `document.querySelector("#rates:not(.wrong)")?.textContent.endsWith("agencia 15 % → taquilla 10 %: a la agencia le quedan 5 %")`
	tab.Until(right)
	tab.Fill("#point_rate", "16,5")
	tab.Until(`document.querySelector("#rates.wrong").textContent.endsWith("La taquilla pide 16,5 % y la agencia tiene 15 %.")`)
	tab.Fill("#point_rate", "10")
	tab.Until(right) // the answer to the last key, as one still awaited is aborted by leaving the page
	assert.NotContains(t, chromium.Value[string](tab, `performance.getEntriesByType("resource").map(r => r.name).join(" ")`), "password", "no secret is in an address")
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	tab.Follow(`main form.edits .row button`)
	assert.Contains(t, tab.Text("main"), "La agencia está lista para vender")
}
