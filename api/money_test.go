package api

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"banca/internal/platform/sheet"
	"banca/models"
)

func TestMoneyOfABranch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	point := b.entity(t, &b.agency, models.EntityTicketPoint)
	currency, parent, child := uuid.New(), uuid.New(), uuid.New()
	b.exec(t, `INSERT INTO currencies (id, code, name, symbol, digits) VALUES ($1, 'VES', 'Bolívar', 'Bs', 2), (gen_random_uuid(), 'USD', 'Dollar', '$', 2)`, currency)
	b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit) VALUES ($1, $2, $5, 100000), ($3, $4, $5, 0)`, parent, b.agency.ID, child, point.ID, currency)
	at, own := "/wallets/"+child.String(), "/wallets/"+parent.String()
	key := map[string]string{"Idempotency-Key": "k1"}
	const deposit = `{"amount":"250.5","reference":"=R-1","note":"cash"}`
	admin := models.RoleAdmin
	b.run(t, []scenario{
		{name: "a seller", path: at + "/deposits", role: models.RoleTaquilla, body: deposit, status: 403, code: "FORBIDDEN"},
		{name: "deposit", path: at + "/deposits", role: admin, header: key, body: deposit, status: 201, has: []string{`"amount":"250.50"`, `"balance":"250.50"`, `"kind":"deposit"`}},
		{name: "again", path: at + "/deposits", role: admin, header: key, body: deposit, status: 201, has: []string{`"balance":"250.50"`}},
		{name: "the key with another body", path: at + "/deposits", role: admin, header: key, body: `{"amount":"1","reference":"x"}`, status: 409, code: "IDEMPOTENCY_KEY_REUSED"},
		{name: "the reference without a key", path: at + "/deposits", role: admin, body: deposit, status: 409, code: "REFERENCE_USED"},
		{name: "the own wallet", path: own + "/deposits", role: admin, body: deposit, status: 403, code: "WALLET_NOT_BELOW"},
		{name: "beyond the balance", path: at + "/withdrawals", role: admin, body: `{"amount":250.51,"reference":"w"}`, status: 422, code: "INSUFFICIENT_BALANCE"},
		{name: "too many digits", path: at + "/withdrawals", role: admin, body: `{"amount":"1.001","reference":"w"}`, status: 422, code: "INVALID_AMOUNT"},
		{name: "another currency", path: at + "/withdrawals", role: admin, body: `{"amount":"1","currency":"USD","reference":"w"}`, status: 422, code: "CURRENCY_MISMATCH"},
		{name: "no direction", path: at + "/transfers", role: admin, body: `{"amount":"1","reference":"t"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "transfer", path: at + "/transfers", role: admin, body: `{"amount":"50.50","reference":"t","direction":"to_parent"}`, status: 201, has: []string{`"type":"withdrawal"`, `"balance":"200.00"`}},
		{name: "reversal", path: at + "/reversals", role: admin, body: `{"reference":"t"}`, status: 201, has: []string{`"kind":"reversal"`, `"balance":"250.50"`}},
		{name: "twice", path: at + "/reversals", role: admin, body: `{"reference":"t"}`, status: 409, code: "ALREADY_REVERSED"},
		{name: "limit", method: http.MethodPut, path: at + "/credit-limit", role: admin, body: `{"amount":"0.01","reason":"a test"}`, status: 200, has: []string{`"credit_limit":"0.01"`}},
		{name: "limits", path: at + "/credit-limits", role: admin, status: 200, has: []string{`"new_limit":"0.01"`, `"old_limit":"0.00"`, `"reason":"a test"`}},
		{name: "a currency is the operator's", path: "/currencies", role: admin, body: `{"code":"EUR","name":"Euro","digits":2}`, status: 403, code: "FORBIDDEN"},
		{name: "by code", path: "/currencies/USD", role: admin, status: 200, has: []string{`"code":"USD"`}},
		{name: "no such code", path: "/currencies/XXX", role: admin, status: 404, code: "CURRENCY_UNKNOWN"},
		{name: "the past", path: "/wallets?as_of=2020-01-01T00:00:00Z", role: admin, status: 200, has: []string{`"balance":"0.00"`}, lacks: []string{"250.50"}},
		{name: "the future", path: "/wallets?as_of=2999-01-01T00:00:00Z", role: admin, status: 422, code: "INSTANT_IN_FUTURE"},
		{name: "one in the future", path: at + "?as_of=2999-01-01T00:00:00Z", role: admin, status: 422, code: "INSTANT_IN_FUTURE"},
		{name: "of an entity without one, in a currency", path: "/wallets?currency=USD&entityId=" + point.ID.String(), role: admin, status: 200, has: []string{`"currency":"USD"`, `"balance":"0.00"`, `"total":1`}},
		{name: "above the caller", path: "/wallets?entityId=" + b.root.ID.String(), role: admin, status: 200, has: []string{`"total":0`}},
		{name: "search", path: "/wallets?search=ticket_p&currency=VES", role: admin, status: 200, has: []string{`"total":1`}},
		{name: "no format", path: at + "/transactions?format=pdf", role: admin, status: 422, code: "VALIDATION_FAILED"},
	})
	require.Zero(t, b.broken(t))

	file := b.do(t, (&scenario{path: at + "/transactions?format=csv", role: admin, header: map[string]string{"Accept-Language": "es"}}).request())
	require.Equal(t, http.StatusOK, file.Code, file.Body)
	assert.Equal(t, sheet.CSVType, file.Header().Get("Content-Type"))
	assert.Equal(t, `attachment; filename="statement-VES.csv"`, file.Header().Get("Content-Disposition"))
	assert.Contains(t, file.Body.String(), "Fecha;Hora;Tipo;Monto;Saldo;Moneda;")
	assert.Contains(t, file.Body.String(), ";deposit;250,50;250,50;VES;1;'=R-1;cash;")
	file = b.do(t, (&scenario{path: "/wallets?format=xlsx&currency=VES", role: admin, header: map[string]string{"Accept-Language": "en"}}).request())
	require.Equal(t, http.StatusOK, file.Code, file.Body)
	book, err := excelize.OpenReader(bytes.NewReader(file.Body.Bytes()))
	require.NoError(t, err)
	defer func() { require.NoError(t, book.Close()) }()
	rows, err := book.GetRows("wallets")
	require.NoError(t, err)
	require.Len(t, rows, 6)
	assert.Equal(t, []string{"Balances and quotas"}, rows[0])
	assert.Regexp(t, `^Made: \d{4}-\d\d-\d\d \d\d:\d\d, .+$`, rows[1][0])
	assert.Equal(t, []string{"Entity", "Currency", "Kind", "Status", "Balance", "Credit limit"}, rows[3][:6])
	assert.Equal(t, []string{"TICKET_POINT", "VES", "main", "active", "250.50", "0.01"}, rows[5][:6])
	file = b.do(t, (&scenario{path: "/wallets/" + uuid.NewString() + "/transactions?format=csv", role: admin}).request())
	assertProblem(t, file, http.StatusNotFound, "WALLET_UNKNOWN")
}

// broken returns how many rows break an invariant of the books.
func (b *bundle) broken(t *testing.T) (n int64) {
	t.Helper()
	checks, err := b.deps.Services.Ledger.Verify(t.Context())
	require.NoError(t, err)
	for _, c := range checks {
		n += c.Broken
	}
	return n
}
