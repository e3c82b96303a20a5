package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// Tickets are found by what people type, and a value that selects nothing is said.
func TestTicketsAreFoundInThePanel(t *testing.T) {
	t.Parallel()
	p, ticket, _ := setupPrizes(t)
	p.enter(t, "admin@banca.test")
	ana := p.addCustomer(t, "Ana", "0414-123.45.67", "")
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE tickets SET customer_id = $1`, ana[len(customersPath)+1:])
	require.NoError(t, err)
	find := func(name, typed string) string {
		w := p.get(ticketsPath + "?" + url.Values{name: {typed}}.Encode())
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	row := ticketsPath + "/" + ticket.String()
	for name, list := range map[string][]string{
		"serial": {"K7QX9M2P4D6A", " k7qx 9m2p-4d6a ", "https://banca.example.com/t/K7QX9M2P4D6A"}, "entity": {seed.CodeTicketPoint, "Agencia El Ávila (AGE-001)", "El Ávila"},
		"amount": {"10,00", "10.00", "10"}, "phone": {"0414-1234567", "+58 414 123 45 67"}, "status": {"won"},
	} {
		for _, typed := range list {
			assert.Contains(t, find(name, typed), row, "%s %s", name, typed)
		}
	}
	for name, typed := range map[string]string{"serial": "K7QX9M2P4D6B", "entity": seed.CodeOtherAgency, "amount": "10,01", "phone": "0424-0000000", "status": "lost"} {
		assert.NotContains(t, find(name, typed), row, "%s %s", name, typed)
	}
	for name, typed := range map[string]string{"serial": "¿?", "entity": "NOWHERE", "amount": "diez", "phone": "nonsense"} {
		shown := find(name, typed)
		assert.NotContains(t, shown, row, "%s %s", name, typed)
		assert.Contains(t, shown, `role="alert"`, "%s %s", name, typed)
	}
	assert.Contains(t, find("format", "csv"), "K7QX9M2P4D6A")
}

// A ticket shows its lines, its story and its receipt, whose validation code only a request of its own shows, which is recorded.
func TestATicketInThePanel(t *testing.T) {
	t.Parallel()
	p, ticket, _ := setupPrizes(t)
	page := ticketsPath + "/" + ticket.String()
	assert.Equal(t, http.StatusSeeOther, p.get(page).Code, "anonymous")
	p.enter(t, "admin@banca.test")
	shown := p.get(page).Body.String()
	for _, text := range []string{"K7QX9M2P4D6A", "Directo", "5 León", "Ganó", "300,00", "Premiado", `href="` + prizesPath + "/" + ticket.String() + `"`, "Taquilla"} {
		assert.Contains(t, shown, text)
	}
	assert.Contains(t, shown, "<dd><strong>300,00 Bs</strong></dd>", "the prize")
	assert.NotContains(t, shown, "<dt>Puede ganar", "of decided draws")
	assert.NotContains(t, shown, "482913")
	assert.NotContains(t, shown, "Pagado con", "exact cash")
	_, err := p.env.PG.Pool.Exec(t.Context(), `INSERT INTO ticket_payments (ticket_id, wallet_id, line_no, means, currency_id, amount, value, rate, rate_base_id, reference, created_at)
		SELECT t.id, t.wallet_id, n, means, coalesce(c.id, t.currency_id), amount, value, CASE WHEN c.id IS NOT NULL THEN 40 * 100000000::bigint END, c.id, reference, now()
		FROM tickets t, (VALUES (0, 'cash', 'USD', 100, 4000, ''), (1, 'card', '', 1000, 1000, '1234'), (2, 'cash', '', -4000, -4000, '')) v (n, means, code, amount, value, reference)
		LEFT JOIN currencies c ON c.code = v.code WHERE t.id = $1`, ticket)
	require.NoError(t, err)
	for _, text := range []string{"Pagado con", "Efectivo 1,00 $ = 40,00 Bs", "Tarjeta 10,00 Bs · referencia 1234", "Vuelto", "Efectivo 40,00 Bs"} {
		assert.Contains(t, p.get(page).Body.String(), text)
	}
	views := func() (n int) {
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE action = 'view_code'`).Scan(&n))
		return n
	}
	for _, picture := range []string{"/picture", "/receipt"} {
		before := views()
		w := p.get(page + picture)
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Equal(t, "image/png", w.Header().Get("Content-Type"))
		assert.Equal(t, picture == "/receipt", views() > before, picture)
	}
	assert.Equal(t, http.StatusNotFound, p.get(ticketsPath+"/"+uuid.NewString()).Code)
	_, body := p.send(t, page, page+"/cancel", http.StatusConflict, url.Values{"key": {uuid.NewString()}})
	assert.Contains(t, body, "Solo se anula un ticket pendiente")
	p.enter(t, "socio@banca.test")
	assert.NotContains(t, p.get(page).Body.String(), "/cancel")
}

// cancelsATicket sells a ticket, finds it by its serial code and cancels it in a browser, with a question that names it.
func (s *testbed) cancelsATicket(t *testing.T, tab *chromium.Tab, server string) {
	t.Helper()
	d := s.newDay(t)
	open := d.onSale(t)
	d.sell(t, open[len(open)-1])
	serial := d.tickets[0].SerialCode
	tab.Wide()
	tab.Visit(server + "/admin/search?q=" + serial)
	tab.Click("details.confirm > summary")
	tab.Until(`document.querySelector("dialog").open`)
	require.Contains(t, tab.Text("dialog"), serial)
	tab.Follow("dialog button.grave")
	assert.Contains(t, tab.Text("main"), "quedó anulado")
	assert.Contains(t, tab.Text("main"), "Anulado")
	assert.Equal(t, "cancelled", s.Text(t, `SELECT status FROM tickets WHERE serial_code = '`+serial+`'`))
}
