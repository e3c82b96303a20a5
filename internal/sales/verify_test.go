package sales_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/verification"
)

// Each kind of damage, done behind every trigger's back, is found by the check made for it.
func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	sold, err := b.Sell(t.Context(), keyed(b.request(draw, "5", "10.00"), "k"))
	require.NoError(t, err)
	cancelled := b.sell(t, straight(draw, "5", "10.00"))
	_, err = b.Cancel(t.Context(), b.cancel(cancelled.ID))
	require.NoError(t, err)
	b.requireSound(t)
	for _, tt := range []struct{ check, damage string }{
		{"every ticket's total is the sum of its lines", `UPDATE tickets SET total = total + 1 WHERE id = $1`},
		{"every ticket's total is the sum of its lines", `UPDATE tickets SET potential_prize = potential_prize - 1 WHERE id = $1`},
		{"every ticket's total is the sum of its lines", `DELETE FROM ticket_items WHERE ticket_id = $1`},
		{"every line has its ticket, draw and game", `DELETE FROM tickets WHERE id = $1`},
		{"every line has its ticket, draw and game", `UPDATE ticket_items SET draw_id = gen_random_uuid() WHERE ticket_id = $1`},
		{"every line has its ticket, draw and game", `UPDATE ticket_items SET game_id = gen_random_uuid() WHERE ticket_id = $1`},
		{"every ticket has its entity, user, wallet and customer", `UPDATE tickets SET user_id = gen_random_uuid() WHERE id = $1`},
		{"every ticket has its entity, user, wallet and customer", `UPDATE tickets SET customer_id = gen_random_uuid() WHERE id = $1`},
		{"every ticket has its entity, user, wallet and customer", `UPDATE tickets SET wallet_id = (SELECT id FROM wallets w WHERE w.id <> wallet_id LIMIT 1) WHERE id = $1`},
		{"every ticket was booked for its total, and again after each refund", `UPDATE transactions SET amount = amount + 1 WHERE ticket_id = $1 AND type = 'sale'`},
		{"every ticket was booked for its total, and again after each refund", `DELETE FROM transactions WHERE ticket_id = $1`},
		{"the bookings of a ticket sum to its total less its refunds, and to zero once it is cancelled", `UPDATE tickets SET status = 'cancelled' WHERE id = $1`},
		{"a ticket has one booking that is not reversed, and none once it is cancelled", `UPDATE tickets SET status = 'cancelled' WHERE id = $1`},
		{"the bookings of a ticket sum to its total less its refunds, and to zero once it is cancelled", `UPDATE tickets SET refunded = 1 WHERE id = $1`},
		{"a ticket counts and sums the refunds of draw_refunds", `UPDATE tickets SET refunds = 1 WHERE id = $1`},
		{"every booking of a sale has its ticket", `DELETE FROM tickets WHERE id = $1`},
		{"every idempotency key has its ticket", `DELETE FROM tickets WHERE id = $1`},
	} {
		found := b.damaged(t, b.Verify, tt.damage, sold.Ticket.ID)
		require.Positive(t, found[tt.check], "%s: %v", tt.damage, found)
	}
	b.requireSound(t)
}

// damaged runs the checks while some damage is done and undoes the damage.
func (b *bundle) damaged(t testing.TB, verify func(context.Context) ([]verification.Check, error), sql string, args ...any) map[string]int64 {
	t.Helper()
	b.Exec(t, `CREATE SCHEMA spare`)
	for _, table := range []string{"tickets", "ticket_items", "transactions"} {
		b.Exec(t, `CREATE TABLE spare.`+table+` AS SELECT * FROM public.`+table)
	}
	unguarded := func(statements ...string) {
		require.NoError(t, b.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			for i, statement := range append([]string{`SET LOCAL session_replication_role = replica`}, statements...) {
				with := args
				if i == 0 || len(statements) > 1 {
					with = nil
				}
				if _, err := tx.Exec(t.Context(), statement, with...); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	unguarded(sql)
	checks, err := verify(t.Context())
	require.NoError(t, err)
	unguarded(`DELETE FROM tickets`, `DELETE FROM ticket_items`, `DELETE FROM transactions`, `INSERT INTO tickets SELECT * FROM spare.tickets`,
		`INSERT INTO ticket_items SELECT * FROM spare.ticket_items`, `INSERT INTO transactions SELECT * FROM spare.transactions`)
	b.Exec(t, `DROP SCHEMA spare CASCADE`)
	found := map[string]int64{}
	for _, c := range checks {
		found[c.Name] = c.Broken
	}
	return found
}
