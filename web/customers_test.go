package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// addCustomer creates a customer of the first ticket point and returns the address of its page.
func (p *bankPanel) addCustomer(t *testing.T, name, phone, document string) string {
	t.Helper()
	to, _ := p.send(t, customersPath+"/new", customersPath+"/new", 303,
		url.Values{"entity": {seed.CodeTicketPoint}, "name": {name}, "phone": {phone}, "id_document": {document}})
	page, _, _ := strings.Cut(to, "?")
	return page
}

func TestCustomersInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	assert.Contains(t, p.get(customersPath).Body.String(), "Aún no hay clientes")
	form := url.Values{"entity": {seed.CodeOperator}, "name": {""}, "phone": {"nonsense"}, "email": {"x"}}
	_, body := p.send(t, customersPath+"/new", customersPath+"/new", 422, form)
	assert.Contains(t, body, `value="nonsense"`, "what was typed stays")
	form.Set("name", "Ana")
	form.Set("phone", "04141234567")
	form.Set("email", "")
	_, body = p.send(t, customersPath+"/new", customersPath+"/new", 422, form)
	assert.Contains(t, body, "Solo las taquillas")
	form.Set("entity", "NOWHERE")
	p.send(t, customersPath+"/new", customersPath+"/new", 404, form)

	page := p.addCustomer(t, "María <b>Ñáñez", "0414-123.45.67", "")
	shown := p.get(page).Body.String()
	assert.Contains(t, shown, "María &lt;b&gt;Ñáñez")
	assert.NotContains(t, shown, "<b>Ñ")
	assert.Contains(t, shown, "&#43;584141234567")
	form.Set("entity", seed.CodeTicketPoint)
	_, body = p.send(t, customersPath+"/new", customersPath+"/new", 409, form)
	assert.Contains(t, body, `href="`+page+`"`, "the customer with the telephone is offered")

	other := p.addCustomer(t, "Maria Nañez", "0424-7654321", "V-12.345.678")
	for _, q := range []string{"nanez", "MARÍA", "0414123", "+58 (414)", "4567"} {
		assert.Contains(t, p.get(customersPath+"?q="+url.QueryEscape(q)).Body.String(), page, q)
	}
	assert.Contains(t, p.get(customersPath+"?q=zz").Body.String(), "Ningún cliente coincide")
	assert.Contains(t, p.get(customersPath+"?entity=NOWHERE").Body.String(), "Esa entidad no existe")
	assert.Contains(t, p.get(customersPath+"?format=csv").Body.String(), "+584247654321")
	_, err := p.env.PG.Pool.Exec(t.Context(), `INSERT INTO customers (id, entity_id, name, search_name, phone) SELECT gen_random_uuid(), $1, 'Zoila', 'zoila', '+58416' || lpad(g::text, 7, '0')
		FROM generate_series(1, 10000) g`, seed.ID("entity", seed.CodeTicketPoint))
	require.NoError(t, err)
	for q, long := range map[string]bool{"?q=zoila": false, "": true} {
		list := p.get(customersPath + q).Body.String()
		assert.Equal(t, long, strings.Contains(list, `name="report" value="customers"`), q)
		assert.Equal(t, !long, strings.Contains(list, "format=csv"), q)
	}
	assert.Equal(t, http.StatusUnprocessableEntity, p.get(customersPath+"?format=csv").Code)
	_, err = p.env.PG.Pool.Exec(t.Context(), `DELETE FROM customers WHERE search_name = 'zoila'`)
	require.NoError(t, err)

	edit := url.Values{"name": {"María Ñáñez"}, "phone": {"04247654321"}}
	_, body = p.send(t, page, page+"/edit", 409, edit)
	assert.Contains(t, body, page+"/merge?with="+strings.TrimPrefix(other, customersPath+"/"), "a merge is offered")
	edit.Set("phone", "04141234567")
	p.send(t, page, page+"/edit", 303, edit)

	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!`)
	for _, at := range []string{customersPath, customersPath + "/new", page, page + "/merge", page + "/merge?with=" + strings.TrimPrefix(other, customersPath+"/"), page + "/tickets", page + "/payments"} {
		for _, language := range []string{english, spanish} {
			separator := "?"
			if strings.Contains(at, "?") {
				separator = "&"
			}
			w := p.get(at + separator + "lang=" + language)
			require.Equal(t, http.StatusOK, w.Code, at)
			assert.NotRegexp(t, missing, w.Body.String(), at)
		}
	}
	for _, at := range []string{"/x", "/" + uuid.NewString(), "/" + uuid.NewString() + "/merge", "/" + uuid.NewString() + "/tickets"} {
		assert.Equal(t, http.StatusNotFound, p.get(customersPath+at).Code, at)
	}
}

// A merge shows both customers and what moves; the address of the merged one leads to the one that remains.
func TestCustomersAreMergedAndForgottenInThePanel(t *testing.T) {
	t.Parallel()
	p, ticket, _ := setupPrizes(t)
	p.enter(t, "admin@banca.test")
	page, other := p.addCustomer(t, "María Ñáñez", "04141234567", ""), p.addCustomer(t, "Maria Nanez", "04247654321", "V12345678")
	assert.Regexp(t, `¿Es la misma persona\? Unir con: <a href="[^"]+">Maria Nanez 0424-765\.43\.21</a>`, p.get(page).Body.String())
	merged := strings.TrimPrefix(other, customersPath+"/")
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE tickets SET customer_id = $1 WHERE id = $2`, uuid.MustParse(merged), ticket)
	require.NoError(t, err)
	assert.Contains(t, p.get(page+"/merge").Body.String(), "/merge?with="+merged, "a namesake is offered")
	both := p.get(page + "/merge?with=" + merged).Body.String()
	for _, text := range []string{"0414-123.45.67, 0424-765.43.21", "V12345678", "<dt>Tickets que pasan</dt><dd>1</dd>", "Conservar a Maria Nanez"} {
		assert.Contains(t, both, text)
	}
	assert.Equal(t, http.StatusNotFound, p.get(page+"/merge?with="+uuid.NewString()).Code)
	_, body := p.send(t, page+"/merge?with="+merged, page+"/merge", 409, url.Values{"customer_id": {strings.TrimPrefix(page, customersPath+"/")}})
	assert.Contains(t, body, "Se unen dos clientes distintos")
	to, _ := p.send(t, page+"/merge?with="+merged, page+"/merge", 303, url.Values{"customer_id": {merged}})
	assert.Equal(t, page+"?done=customer.merged", to)
	shown := p.get(to).Body.String()
	for _, text := range []string{"Los clientes son uno solo", "K7QX9M2P4D6A", "V12345678", "1 cliente<"} {
		assert.Contains(t, shown, text)
	}
	assert.Regexp(t, `(?s)Jugado en 30 días</dt>\s*<dd>10,00 Bs</dd>\s*<dt>Lo que más juega</dt>\s*<dd>5 León</dd>`, shown)
	assert.Equal(t, page, p.get(other).Header().Get("Location"))
	assert.Contains(t, p.get(page+"/tickets").Body.String(), "K7QX9M2P4D6A")
	assert.Contains(t, p.get(page+"/tickets?format=csv").Body.String(), "K7QX9M2P4D6A")

	p.deny(t, auth.SalesRead)
	assert.NotContains(t, p.get(page).Body.String(), "K7QX9M2P4D6A")
	to, _ = p.send(t, page, page+"/delete", 303, nil)
	assert.Equal(t, customersPath+"?done=customer.deleted", to)
	assert.Equal(t, http.StatusNotFound, p.get(page).Code)
	assert.Equal(t, http.StatusNotFound, p.get(other).Code)
	p.send(t, customersPath+"/new", page+"/delete", 404, nil)
	assert.Contains(t, p.get("/admin/activity?module=customers").Body.String(), "Olvidó a un cliente")
}

// A partner sees customers of the subtree and cannot change them.
func TestCustomersRequireThePermission(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	page := p.addCustomer(t, "Ana", "04141234567", "")
	p.enter(t, "taquilla@banca.test")
	assert.Contains(t, p.get(customersPath+"/new").Body.String(), `value="`+seed.CodeTicketPoint+`"`, "a seller's own ticket point")
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE users SET entity_id = $1 WHERE email = 'taquilla@banca.test'`, seed.ID("entity", seed.CodeOtherPoint))
	require.NoError(t, err)
	p.auth.Forget()
	assert.Equal(t, http.StatusNotFound, p.get(page).Code, "of another branch")
	p.deny(t, auth.CustomersWrite)
	p.enter(t, "admin@banca.test")
	shown := p.get(page).Body.String()
	assert.Contains(t, shown, "Ana")
	assert.NotContains(t, shown, "/edit")
	assert.NotContains(t, p.get(customersPath).Body.String(), customersPath+"/new")
}

// Creating, finding, merging and forgetting customers with a browser.
func TestCustomersInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	for _, person := range [][2]string{{"María Ñáñez", "0414-1234567"}, {"Maria Nanez", "0424 765 4321"}} {
		tab.Visit(server + customersPath)
		tab.Follow(`.head .actions a`)
		tab.Fill("#entity", seed.CodeTicketPoint)
		tab.Fill("#name", person[0])
		tab.Fill("#phone", person[1])
		tab.Follow("main form button")
		assert.Contains(t, tab.Text("main"), "El cliente fue creado")
	}
	tab.Visit(server + customersPath)
	tab.Fill("#q", "nanez 0414")
	tab.Until(`document.querySelectorAll("tbody tr").length === 1`)
	assert.Equal(t, "1 fila", tab.Text(".counted"))
	assert.Contains(t, tab.Text("tbody"), "María Ñáñez")
	assert.NotContains(t, tab.Text("tbody"), "Maria Nanez")
	tab.Follow("tbody a.whole")
	tab.Click(".head .menu > summary")
	tab.Follow(`.menu a[href$="/merge"]`)
	tab.Fill("#q", "4321")
	tab.Until(`location.search.includes("4321") && document.querySelectorAll("tbody tr").length === 1`)
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	tab.Follow("tbody a.whole")
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	assert.Contains(t, tab.Text("main"), "No se puede deshacer")
	tab.Follow("main button.grave")
	assert.Contains(t, tab.Text("main"), "Los clientes son uno solo")
	tab.Narrow()
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	tab.Visit(server + customersPath + "?q=4321")
	assert.Contains(t, tab.Text("main"), "Ningún cliente coincide", "the customer that remains has its own telephone in the list")
	tab.Visit(server + customersPath)
	tab.Follow("tbody a.whole")
	tab.Click(".head .menu > summary")
	tab.Click("#forget > summary")
	tab.Until(`document.querySelector("#forget > dialog").matches(":modal")`)
	assert.Contains(t, tab.Text("#forget > dialog"), "Los tickets y sus asientos")
	tab.Follow("#forget button.grave")
	assert.Contains(t, tab.Text("main"), "El cliente fue olvidado")
	assert.Contains(t, tab.Text("main"), "Aún no hay clientes")
}
