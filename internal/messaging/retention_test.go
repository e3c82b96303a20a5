package messaging_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging"
	"banca/internal/messaging/channel"
)

// What is old is deleted, whatever became of it, but for messages that are still to be sent; attempts go with their
// message only.
func TestOldMessagesAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t, with(func(_ context.Context, m channel.Message) (channel.Receipt, error) {
		return channel.Receipt{ProviderID: "p-" + m.ID.String()}, nil
	}), func(c *messaging.Deps) { c.Retention = 30 * 24 * time.Hour })
	kept, waiting := b.queue(t), b.queue(t)
	var old [3]uuid.UUID
	for i := range old {
		old[i] = b.queue(t)
		require.NoError(t, b.Send(t.Context(), old[i]))
		require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{report("p-"+old[i].String(), "delivered")}))
	}
	require.NoError(t, b.Send(t.Context(), kept))
	_, err := b.PG.Pool.Exec(t.Context(), `DELETE FROM message_attempts`)
	require.ErrorContains(t, err, "not allowed")
	count := func(table string) (n int) {
		require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		return n
	}
	n, err := b.Trim(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Equal(t, 4, count("message_attempts"))
	// Forty days earlier: ids have the time in their first 48 bits.
	const earlier = `(lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint - 40::bigint * 24 * 3600 * 1000), 12, '0') || right(replace(id::text, '-', ''), 20))::uuid`
	b.exec(t, `ALTER TABLE message_attempts DISABLE TRIGGER message_attempts_append_only`)
	b.exec(t, `ALTER TABLE message_attempts DROP CONSTRAINT message_attempts_message_id_fkey, ADD CONSTRAINT message_attempts_message_id_fkey
		FOREIGN KEY (message_id) REFERENCES message_logs (id) ON UPDATE CASCADE ON DELETE CASCADE`)
	b.exec(t, `UPDATE message_logs SET id = `+earlier+`, created_at = created_at - interval '40 days' WHERE id <> $1`, kept)
	b.exec(t, `ALTER TABLE message_attempts ENABLE TRIGGER message_attempts_append_only`)
	b.exec(t, `UPDATE message_reports SET id = `+earlier+`, created_at = created_at - interval '40 days'`)
	b.exec(t, `INSERT INTO message_resends (id, entity_id, user_id, user_name, scope, filter, last_id, cursor, total, created_at, finished_at)
		SELECT `+earlier+`, $2, $2, '', '/', '{}', $2, $2, 0, now() - interval '40 days', CASE WHEN n = 1 THEN now() END FROM (SELECT $1::uuid AS id, 1 AS n UNION ALL SELECT $3::uuid, 2) x`,
		kept, uuid.Nil, waiting)
	n, err = b.Trim(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3+3+1, n)
	require.Equal(t, []int{2, 1, 0, 1}, []int{count("message_logs"), count("message_attempts"), count("message_reports"), count("message_resends")})
	require.Equal(t, 1, count("message_logs WHERE status = 'queued'"), "it is still to be sent")
}
