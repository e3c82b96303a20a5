package sales_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A ticket of release 0.2, which has no path, is read as any other one.
func TestATicketWithoutAPathIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sold, err := b.Sell(t.Context(), b.request(b.draw(t, "lotto-activo", 0), "5", "10.00"))
	require.NoError(t, err)
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE tickets SET path_id = NULL WHERE id = $1`, sold.Ticket.ID)
	require.NoError(t, err)
	read, err := b.Get(t.Context(), viewer(), sold.Ticket.ID)
	require.NoError(t, err)
	require.Equal(t, sold.Ticket.Total, read.Total)
	require.Len(t, read.Lines, 1)
}
