package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/setup/seed"
)

// The bank's calls on the running platform: a payment request, the query, the notification and its repeat, the
// deposit in the wallet and the trace that an operator sees.
func TestBankPaysIntoAWalletEndToEnd(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.start()
	token := p.login("taquilla@banca.test")
	asked := p.post("/bank/payment-requests", token, map[string]any{"amount": "150.00", "client_id": "V-11.222.333", "client_phone": "04149998877"}, "request-1")
	require.Equal(t, http.StatusCreated, asked.status, string(asked.raw))
	require.Equal(t, seed.MerchantPhone, field(asked.data(), "pay_to", "phone"))
	again := p.post("/bank/payment-requests", token, map[string]any{"amount": "150.00", "client_id": "V-11.222.333", "client_phone": "04149998877"}, "request-1")
	require.Equal(t, asked.data()["id"], again.data()["id"])
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))

	require.Equal(t, `200 {"status":true}`, p.bank("/BancoConsulta", map[string]any{"IdCliente": "V11222333", "Monto": "150.00", "TelefonoComercio": "58" + seed.MerchantPhone[1:]}))
	notification := map[string]any{"Referencia": "000012345678", "BancoEmisor": "134", "Monto": 150, "CodigoRed": "00"}
	for range 3 {
		require.Equal(t, `200 {"abono":true}`, p.bank("/BancoNotifica", notification))
	}
	balance := ""
	for _, w := range p.get("/wallets", token).list() {
		if w["currency"] == "VES" && w["kind"] == "main" {
			balance, _ = w["balance"].(string)
		}
	}
	require.Equal(t, "150.00", balance)
	require.Equal(t, "paid", p.get(fmt.Sprint("/bank/payment-requests/", asked.data()["id"]), token).data()["status"])
	p.sellsByMobilePayment(token)

	admin := p.login("admin@banca.test")
	events := p.get("/bank/events?reference=000012345678", admin).list()
	require.Len(t, events, 1)
	require.EqualValues(t, 2, events[0]["repeats"])
	trace := p.get(fmt.Sprint("/bank/events/", events[0]["id"]), admin).data()
	require.Equal(t, "150.00", field(trace, "deposit", "amount"))
	require.Equal(t, "held", field(trace, "query", "outcome"))
	require.Equal(t, http.StatusForbidden, p.get("/bank/events", token).status)
	require.NoError(t, p.interrupt())
}

// sellsByMobilePayment sells a ticket for a credit of the bank and a card, once.
func (p *platform) sellsByMobilePayment(token string) {
	p.t.Helper()
	sale := map[string]any{
		"currency": "VES", "items": []map[string]any{{"draw_id": p.openDraw(token), "bet_type": "straight", "selection": "5", "amount": "200.00"}},
		"payments": []map[string]any{{"means": "mobile", "amount": "150.00", "reference": "5678"}, {"means": "card", "amount": "60.00"}},
	}
	wrong := p.post("/sales/tickets", token, sale, "paid-wrong")
	require.Equal(p.t, http.StatusUnprocessableEntity, wrong.status)
	require.Contains(p.t, string(wrong.raw), `"PAYMENTS_DIFFER"`)
	require.Contains(p.t, string(wrong.raw), `"code":"PAYMENT_EXCESS"`)
	sale["payments"] = []map[string]any{{"means": "mobile", "amount": "150.00", "reference": "5678"}, {"means": "card", "amount": "50", "reference": "0042"}}
	sold := p.post("/sales/tickets", token, sale, "paid-by-bank")
	require.Equal(p.t, http.StatusCreated, sold.status, string(sold.raw))
	require.Contains(p.t, string(sold.raw), `"payments":[{"means":"mobile","currency":"VES","amount":"150.00","value":"150.00","reference":"5678"},{"means":"card","currency":"VES","amount":"50.00","value":"50.00","reference":"0042"}]`)
	read := p.get(fmt.Sprint("/sales/tickets/", sold.data()["id"]), token)
	require.Equal(p.t, sold.data()["payments"], read.data()["payments"])
	again := p.post("/sales/tickets", token, sale, "paid-again")
	require.Equal(p.t, http.StatusConflict, again.status)
	require.Contains(p.t, string(again.raw), `"PAYMENT_USED"`)
}

// A ticket paid by bank through the API alone: the sale has the buyer's document, the message names the account, the
// bank asks and notifies, and the selling entity's wallet is credited.
func TestBankPaysATicketEndToEnd(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.start()
	token := p.login("taquilla@banca.test")
	sold := p.post("/sales/tickets", token, map[string]any{
		"currency": "VES", "wants_payment_info": true,
		"customer": map[string]string{"name": "María Ñáñez", "phone": "0414-999.88.77", "id_document": "v-11.222.333"},
		"items":    []map[string]any{{"draw_id": p.openDraw(token), "bet_type": "straight", "selection": "5", "amount": "35.50"}},
	}, "ticket-by-bank")
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	before := p.balance(token)
	reused := p.post("/bank/payment-requests", token, map[string]any{"amount": "35.50", "client_id": "V11222333"}, "ticket-by-bank")
	require.Equal(t, http.StatusConflict, reused.status, "the key is the sale's: %s", reused.raw)

	require.Eventually(t, func() bool { return len(p.outbox("584149998877")) == 1 }, testkit.WaitTimeout, 50*time.Millisecond)
	caption, _ := p.outbox("584149998877")[0]["caption"].(string)
	require.Contains(t, caption, "Pago móvil\nBanco: 0134\nTeléfono: "+seed.MerchantPhone+"\nC.I./RIF: "+seed.OperatorDocument+"\nMonto: Bs 35,50")

	var request map[string]any
	require.Eventually(t, func() bool {
		for _, r := range p.get("/bank/payment-requests?origin=ticket", token).list() {
			if r["ticket_id"] == sold.data()["id"] {
				request = r
			}
		}
		return request != nil
	}, testkit.WaitTimeout, 50*time.Millisecond)
	require.Equal(t, "V11222333", request["client_id"])
	require.Equal(t, "open", request["status"])

	require.Equal(t, `200 {"status":true}`, p.bank("/BancoConsulta", map[string]any{"IdCliente": "V11222333", "Monto": "35.50", "TelefonoComercio": seed.MerchantPhone}))
	require.Equal(t, `200 {"abono":true}`, p.bank("/BancoNotifica", map[string]any{
		"Referencia": "000098765432", "BancoEmisor": "0102", "Monto": "35.50", "CodigoRed": "00", "TelefonoEmisor": "04149998877",
	}))
	paid := p.get(fmt.Sprint("/bank/payment-requests/", request["id"]), token).data()
	require.Equal(t, "paid", paid["status"])
	require.NotEmpty(t, paid["payment_id"])
	require.Equal(t, before+3550, p.balance(token), "the payment is credited to the entity that sold")
	require.NoError(t, p.interrupt())
}

// balance returns the main VES wallet's balance of the caller's entity, in céntimos.
func (p *platform) balance(token string) int64 {
	p.t.Helper()
	for _, w := range p.get("/wallets", token).list() {
		if w["currency"] == "VES" && w["kind"] == "main" {
			text, _ := w["balance"].(string)
			amount, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
			require.NoError(p.t, err)
			return amount
		}
	}
	require.Fail(p.t, "no main VES wallet")
	return 0
}

// field reads a field of an object within an object, or nil.
func field(body map[string]any, object, name string) any {
	inner, _ := body[object].(map[string]any)
	return inner[name]
}

// bank sends a call as the bank does and returns status and body.
func (p *platform) bank(path string, body map[string]any) string {
	p.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(p.t, err)
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, "http://"+p.addr+path, bytes.NewReader(raw))
	require.NoError(p.t, err)
	req.Header.Set("Authorization", p.bankToken())
	a := p.send(req)
	return fmt.Sprint(a.status, " ", string(a.raw))
}

// bankToken is the token that `banca-dev dev` made and keeps.
func (p *platform) bankToken() string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.dir, dataDir, "secrets"))
	require.NoError(p.t, err)
	secrets := map[string]string{}
	require.NoError(p.t, json.Unmarshal(raw, &secrets))
	return secrets["bank-webhook-token"]
}
