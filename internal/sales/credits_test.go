package sales_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/tickets"
	"banca/storage"
)

// Exact cash costs no statement, and the credit of a mobile payment is found by an index among those of years.
func TestStatementsOfPayments(t *testing.T) {
	t.Parallel()
	batch := &pgx.Batch{}
	tickets.QueuePayments(batch, nil)
	require.Zero(t, batch.Len())

	b := paying(t)
	b.Exec(t, `INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, answer, entity_id, wallet_id, transaction_id, event_id, received_at)
		SELECT gen_random_uuid(), '0134', (1000000 + n * 7919 % 8999999)::text, current_date - n / 1000, (1 + n % 50) * 1000, w.currency_id, 'credited', true, $1, w.id,
			gen_random_uuid(), w.entity_id, now() FROM generate_series(1, 100000) n, wallets w WHERE w.entity_id = $1 AND w.kind = 'main' AND w.currency_id = (SELECT id FROM currencies WHERE code = 'VES')`,
		fixture.EntityID(seed.CodeTicketPoint))
	b.Exec(t, `ANALYZE bank_payments`)
	currency, err := b.Ledger.Currency(t.Context(), "VES")
	require.NoError(t, err)
	plan, err := storage.Collect(t.Context(), b.PG.Pool, "plan", pgx.RowTo[string], `EXPLAIN (ANALYZE, BUFFERS) `+sales.FittingSQL,
		fixture.EntityID(seed.CodeTicketPoint), currency.ID, int64(10_00), "5678", businessday.Of(b.Clock.Now(), b.Options.Zone).AddDays(-3), 100)
	require.NoError(t, err)
	require.Contains(t, strings.Join(plan, "\n"), "bank_payments_tail")
	t.Log(strings.Join(plan, "\n"))
}
