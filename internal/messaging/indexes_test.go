package messaging_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A receipt changes its status twice on its way to the provider, which writes an entry of every index that has the row.
// The other indexes are partial.
func TestAStatusOfAReceiptIsWrittenToFewIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.queue(t)
	var text []byte
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `EXPLAIN (ANALYZE, WAL, FORMAT JSON) UPDATE message_logs
		SET status = 'sending', lease_until = now(), channel_id = $2 WHERE id = $1`, id, b.entity).Scan(&text))
	var plans []struct {
		Plan struct {
			Records int `json:"WAL Records"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &plans))
	const row, indexes = 2, 6 // with its page; id, entity, unfinished, ticket, recipient, channel
	require.LessOrEqual(t, plans[0].Plan.Records, row+indexes)
}
