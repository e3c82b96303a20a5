package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
)

// undecidedSales is the number of sales that are reserved and neither committed nor given up.
type undecidedSales struct{ n int }

// Undecided returns the number for every seller.
func (s *undecidedSales) Undecided(context.Context, *org.Node) (int, error) { return s.n, nil }

// sold books a sale of a ticket point.
func (b *bundle) sold(t *testing.T, point, currency uuid.UUID, amount money.Amount) {
	t.Helper()
	books := b.deps.Services.Ledger
	wallets, err := books.MainWallets(t.Context(), currency, point, b.root.ID)
	require.NoError(t, err)
	id := uuid.Must(uuid.NewV7())
	sale := ledger.Transaction{
		ID: id, Type: models.TransactionSale, EntityID: point, CurrencyID: currency, Amount: amount, TicketID: id, At: time.Now().UTC().Truncate(time.Microsecond),
		Postings: []ledger.Posting{{WalletID: wallets[0], Amount: -amount}, {WalletID: wallets[1], Amount: amount}},
	}
	require.NoError(t, b.env.PG.Retried(t.Context(), func(tx pgx.Tx) error { return books.PostTx(t.Context(), tx, wallets, sale) }))
}

// A day is opened, refused while a sale is undecided, closed once with its variance, and never changed.
func TestADayIsClosedOverTheAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	point, currency := b.entity(t, &b.agency, models.EntityTicketPoint), uuid.New()
	b.exec(t, `INSERT INTO currencies (id, code, name, symbol, digits) VALUES ($1, 'VES', 'Bolívar', 'Bs', 2)`, currency)
	b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit) VALUES (gen_random_uuid(), $1, $2, 100000)`, point.ID, currency)
	b.sold(t, point.ID, currency, 90_00)
	const list = "/sales/daily-closes"
	admin, today := models.RoleAdmin, businessday.Of(time.Now(), time.UTC)
	at := `{"entityId":"` + point.ID.String() + `","currency":"VES"`
	key := map[string]string{"Idempotency-Key": "open"}
	b.run(t, []scenario{
		{name: "missing on a day to come", path: list + "/missing?date=2999-01-01", role: admin, status: 422, code: "DAY_IN_FUTURE"},
		{name: "missing", path: list + "/missing", role: admin, status: 200, has: []string{point.ID.String(), `"close_id":null`}},
		{name: "a partner", path: list, role: models.RoleSocio, body: at + `}`, status: 403, code: "FORBIDDEN"},
		{name: "tomorrow", path: list, role: admin, body: at + `,"day":"` + today.AddDays(1).String() + `"}`, status: 422, code: "DAY_IN_FUTURE"},
		{name: "ten years ago", path: list, role: admin, body: at + `,"day":"` + today.AddDays(-3650).String() + `"}`, status: 422, code: "DAY_TOO_OLD"},
		{name: "too many digits", path: list, role: admin, body: at + `,"opening_cash":"1.001"}`, status: 422, code: "CASH_INVALID"},
		{name: "no such currency", path: list, role: admin, body: `{"entityId":"` + point.ID.String() + `","currency":"XXX"}`, status: 422, code: "CURRENCY_NOT_FOUND"},
		{name: "another entity", path: list, role: admin, body: `{"entityId":"` + b.root.ID.String() + `","currency":"VES"}`, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "open", path: list, role: admin, header: key, body: at + `,"opening_cash":"10.00"}`, status: 201, has: []string{`"status":"open"`, `"sales":"90.00"`, `"expected_cash":"100.00"`}},
		{name: "again", path: list, role: admin, header: key, body: at + `,"opening_cash":"10.00"}`, status: 201, has: []string{`"opening_cash":"10.00"`}},
		{name: "the key with another body", path: list, role: admin, header: key, body: at + `,"opening_cash":"11.00"}`, status: 409, code: "IDEMPOTENCY_KEY_REUSED"},
		{name: "list", path: list + "?status=open&entityId=" + point.ID.String(), role: admin, status: 200, has: []string{`"sales":"90.00"`, `"total":1`}},
		{name: "reversed days", path: list + "?from=2026-02-01&to=2026-01-01", role: admin, status: 422},
	})
	var id uuid.UUID
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT id FROM daily_closes`).Scan(&id))
	day := list + "/" + id.String()
	const counted = `{"cash":{"counts":[{"denomination":"20.00","count":4}],"other":"19.50"},"note":"un billete roto"}`
	closing := map[string]string{"Idempotency-Key": "close"}
	b.sales.n = 1
	b.run(t, []scenario{
		{name: "a sale is undecided", path: day + "/close", role: admin, header: closing, body: counted, status: 409, code: "SALES_PENDING"},
		{name: "still open", path: day, role: admin, status: 200, has: []string{`"status":"open"`, `"counted_cash":null`}},
	})
	b.sales.n = 0
	b.run(t, []scenario{
		{name: "no such denomination", path: day + "/close", role: admin, body: `{"cash":{"counts":[{"denomination":"3.00","count":1}]}}`, status: 422, code: "CASH_INVALID"},
		{name: "too many digits", path: day + "/close", role: admin, body: `{"cash":{"other":"1.001"}}`, status: 422, code: "CASH_INVALID"},
		{name: "a negative count", path: day + "/close", role: admin, body: `{"cash":{"counts":[{"denomination":"20.00","count":-1}]}}`, status: 422},
		{name: "close", path: day + "/close", role: admin, header: closing, body: counted, status: 200,
			has: []string{`"status":"closed"`, `"counted_cash":"99.50"`, `"variance":"-0.50"`, `"note":"un billete roto"`}},
		{name: "again", path: day + "/close", role: admin, header: closing, body: counted, status: 200, has: []string{`"variance":"-0.50"`}},
		{name: "twice", path: day + "/close", role: admin, body: counted, status: 409, code: "DAY_CLOSED"},
		{name: "open it again", path: list, role: admin, body: at + `}`, status: 409, code: "DAY_CLOSED"},
		{name: "no such day", path: list + "/" + uuid.NewString(), role: admin, status: 404},
		{name: "balance", path: "/sales/balance/daily?entityId=" + point.ID.String(), role: admin, status: 200, has: []string{`"check":"closes","differences":0`}},
	})
	b.sold(t, point.ID, currency, 5_00)
	b.run(t, []scenario{{name: "a sale after the close", path: day, role: admin, status: 200, has: []string{`"sales":"90.00"`}, lacks: []string{"95.00"}}})
	picture := b.do(t, (&scenario{path: day + "/receipt", role: admin}).request())
	require.Equal(t, http.StatusOK, picture.Code)
	require.Equal(t, "image/png", picture.Header().Get("Content-Type"))
}
