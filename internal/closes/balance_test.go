package closes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/prizes"
	"banca/internal/setup/seed"
)

// differences returns the differences of a day with the names of their checks.
func (b *bundle) differences(t testing.TB, entity uuid.UUID, day businessday.Day) (names []string, all []closes.Difference) {
	t.Helper()
	balance, err := b.Balance(t.Context(), b.by, entity, day)
	require.NoError(t, err)
	require.Len(t, balance.Checks, len(closes.CheckNames()))
	for _, d := range balance.Differences {
		names = append(names, d.Check)
	}
	return names, balance.Differences
}

// A day of every kind of event balances, and each kind of difference is named with its rows.
func TestADayBalancesAndDifferencesAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	day, draw := b.today(), b.OpenDraws(t, "")[0]
	cancelled := b.sell(t, point, draw)
	b.cancel(t, cancelled)
	winner := b.winner(t, draw)
	b.move(t, point, 50_00)
	b.finish(t, b.open(t, point), "0")
	b.next()
	_, err := b.Due(t.Context())
	require.NoError(t, err)
	for _, entity := range []uuid.UUID{point, fixture.RootID, fixture.EntityID(seed.CodeAgency), other} {
		found, _ := b.differences(t, entity, day)
		require.Empty(t, found)
	}
	payment := b.Text(t, `SELECT id::text FROM paid_prizes`)
	for name, tt := range map[string]struct {
		sql   string
		args  []any
		check string
		row   string
	}{
		"a total":                 {`UPDATE tickets SET total = total + 1 WHERE id = $1`, []any{winner}, closes.CheckTickets, "tickets " + winner.String()},
		"a booking that is gone":  {`DELETE FROM transactions WHERE id = $1`, []any{winner}, closes.CheckTickets, "tickets " + winner.String()},
		"a reversal that is gone": {`DELETE FROM transactions WHERE reverses_id = $1`, []any{cancelled.ID}, closes.CheckTickets, "tickets " + cancelled.ID.String()},
		"a posting":               {`UPDATE postings SET amount = amount - 1 WHERE transaction_id = $1 AND amount < 0`, []any{winner}, closes.CheckBookings, "transactions " + winner.String()},
		"a posting that is gone":  {`DELETE FROM postings WHERE transaction_id = $1`, []any{winner}, closes.CheckBookings, "transactions " + winner.String()},
		"a balance":               {`UPDATE wallets SET balance = balance + 1 WHERE entity_id = $1 AND currency_id = $2`, []any{point, seed.ID("currency", "VES")}, closes.CheckWallets, "wallets"},
		"a payment":               {`UPDATE paid_prizes SET amount = amount + 1`, nil, closes.CheckPrizes, "paid_prizes " + payment},
		"a payment that is gone":  {`DELETE FROM paid_prizes`, nil, closes.CheckPrizes, "transactions"},
		"a payment of the bank": {`INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, answer, entity_id, wallet_id, transaction_id, event_id, received_at)
			SELECT $1, '0134', '1', $2, 100, currency_id, 'credited', true, entity_id, id, $1, $1, now() FROM wallets WHERE entity_id = $3 AND kind = 'main' AND currency_id = $4`,
			[]any{winner, day, point, seed.ID("currency", "VES")}, closes.CheckPayments, "bank_payments " + winner.String()},
		"a close":             {`UPDATE daily_closes SET prizes = prizes + 1 WHERE entity_id = $1`, []any{point}, closes.CheckCloses, "daily_closes"},
		"a close of a parent": {`UPDATE daily_closes SET tickets = tickets + 1 WHERE entity_id = $1`, []any{fixture.EntityID(seed.CodeAgency)}, closes.CheckCloses, "daily_closes"},
	} {
		before := b.swap(t, tt.sql, tt.args...)
		names, found := b.differences(t, fixture.RootID, day)
		require.Contains(t, names, tt.check, name)
		var rows strings.Builder
		for _, d := range found {
			for _, row := range d.Rows {
				fmt.Fprintf(&rows, "%s %s %s\n", d.Check, row.Table, row.ID)
			}
			require.NotEqual(t, uuid.Nil, d.EntityID, name)
			require.Equal(t, "VES", d.Currency.Code, name)
		}
		require.Contains(t, rows.String(), tt.check+" "+tt.row, name)
		before()
	}
	found, _ := b.differences(t, fixture.RootID, day)
	require.Empty(t, found, "everything is as it was")

	_, err = b.Balance(t.Context(), b.by, uuid.New(), day)
	require.ErrorIs(t, err, closes.ErrEntityNotFound)
	_, err = b.Balance(t.Context(), b.by, point, b.today().AddDays(1))
	require.ErrorIs(t, err, closes.ErrFuture)
}

// winner sells a ticket that wins, and pays its prize.
func (b *bundle) winner(t testing.TB, draw *catalog.Draw) uuid.UUID {
	t.Helper()
	ticket := b.sell(t, point, draw)
	b.settle(t, draw)
	_, err := b.prizes.Pay(t.Context(), b.by, &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode})
	require.NoError(t, err)
	return ticket.ID
}

// swap changes rows with triggers disabled, and returns what restores all tables that a balance reads.
func (b *bundle) swap(t testing.TB, sql string, args ...any) (restore func()) {
	t.Helper()
	tables := []string{"wallets", "tickets", "transactions", "postings", "pending_balances", "paid_prizes", "bank_payments", "daily_closes"}
	run := func(fn func(tx pgx.Tx) error) {
		require.NoError(t, b.PG.Retried(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = 'replica'`); err != nil {
				return err
			}
			return fn(tx)
		}), sql)
	}
	run(func(tx pgx.Tx) error {
		for _, table := range tables {
			if _, err := tx.Exec(t.Context(), `CREATE TABLE kept_`+table+` AS TABLE `+table); err != nil {
				return err
			}
		}
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	})
	return func() {
		run(func(tx pgx.Tx) error {
			for _, table := range tables {
				overriding := ""
				if table == "postings" {
					overriding = ` OVERRIDING SYSTEM VALUE`
				}
				for _, statement := range []string{`DELETE FROM ` + table, `INSERT INTO ` + table + overriding + ` SELECT * FROM kept_` + table, `DROP TABLE kept_` + table} {
					if _, err := tx.Exec(t.Context(), statement); err != nil {
						return fmt.Errorf("%s: %w", statement, err)
					}
				}
			}
			return nil
		})
	}
}
