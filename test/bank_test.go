package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/seed"
)

// The bank's story on the running platform: an announced payment, the query, the notification and its repeat,
// the deposit in the wallet and the trace that an operator sees.
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

// field reads a field of an object within an object; nil where there is none.
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

// bankToken is the token that `banca dev` made and keeps.
func (p *platform) bankToken() string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.dir, "var", "secrets"))
	require.NoError(p.t, err)
	secrets := map[string]string{}
	require.NoError(p.t, json.Unmarshal(raw, &secrets))
	return secrets["bank-webhook-token"]
}
