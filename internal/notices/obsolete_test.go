package notices_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/notices"
	"banca/internal/org"
	"banca/models"
)

// The state of the ticket and of the customer since a message was queued decides whether it is still sent.
func TestMessagesThatMustNotBeSent(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	exec := func(sql string, args ...any) {
		_, err := env.PG.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	point, ticket := uuid.New(), uuid.New()
	const phone = "+584141234567"
	exec(`INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'x', 'X', '/' || $1::text || '/')`, point)
	exec(`INSERT INTO customers (id, entity_id, name, phone) VALUES ($1, $2, 'Ana', $3)`, uuid.New(), point, phone)
	exec(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total,
		potential_prize, cancel_before, expires_at, created_at)
		VALUES ($1, 'S', 'V', $2, $1, $1, $1, 'won', 1, 1, $3, $3, $3)`, ticket, point, time.Now())
	obsolete := notices.Obsolescence{Pool: env.PG.Pool, Org: org.New(env.PG.Gorm, org.Options{})}
	code := func(kind string) string {
		m := messaging.Queued{ID: uuid.New(), EntityID: point, TicketID: ticket, Kind: kind, Recipient: phone}
		codes, err := obsolete.Codes(t.Context(), []messaging.Queued{m})
		require.NoError(t, err)
		require.NoError(t, codes[0].Err)
		return codes[0].Code
	}
	require.Empty(t, code(models.MessageReceipt)+code(models.MessagePrize)+code(models.MessageCode))
	exec(`UPDATE tickets SET status = 'paid'`)
	require.Equal(t, "TICKET_NOT_WON", code(models.MessagePrize))
	exec(`UPDATE tickets SET status = 'cancelled'`)
	require.Equal(t, messaging.CodeTicketCancelled, code(models.MessageReceipt))
	require.Empty(t, code(models.MessageCancellation))
	exec(`UPDATE customers SET opt_out_at = now(), opt_out_scope = entity_id`)
	require.Equal(t, "OPTED_OUT", code(models.MessageCancellation))
	require.Empty(t, code(models.MessageCode)+code(models.MessageOptOut), "codes, and the confirmation itself")
	require.Equal(t, messaging.CodeTicketCancelled, code(models.MessageReceipt), "also of a customer without messages")

	breaker := env.Breaker(t)
	obsolete.Pool = breaker.PG.Pool
	require.Equal(t, 1, breaker.Each(t, func() error {
		m := messaging.Queued{EntityID: point, TicketID: ticket, Kind: models.MessageReceipt, Recipient: phone}
		_, err := obsolete.Codes(t.Context(), []messaging.Queued{m})
		return err
	}, func(error) {}), "tickets and opt-outs are read at once")
}
