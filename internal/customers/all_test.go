package customers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/customers"
)

// All returns the customers of all pages from one snapshot, within the caller's scope.
func TestAllCustomersAreReadInOneSnapshot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const n = 500
	b.exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) SELECT gen_random_uuid(), CASE WHEN g % 2 = 0 THEN $1::uuid ELSE $2 END, 'Ana', 'ana ' || g, '+58414' || lpad(g::text, 7, '0')
		FROM generate_series(1, $3::integer) g`, b.point.ID, b.second.ID, n)
	b.exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) VALUES (gen_random_uuid(), $1, 'Ana', 'ana', '+584145555555')`, b.foreign.EntityID)
	want, _, err := b.List(t.Context(), b.admin, &customers.Filter{Limit: n})
	require.NoError(t, err)
	rows, total, err := b.All(t.Context(), b.admin, &customers.Filter{Search: "ana"})
	require.NoError(t, err)
	require.EqualValues(t, n, total)
	var got []customers.Customer
	for c, err := range rows {
		require.NoError(t, err)
		if len(got) == n/2 {
			b.exec(t, `UPDATE customers SET search_name = 'zzz', name = 'Zoila' WHERE entity_id = $1`, b.point.ID)
			b.exec(t, `DELETE FROM customers WHERE entity_id = $1`, b.second.ID)
		}
		require.Contains(t, []string{"TA1", "TA2"}, c.Code)
		got = append(got, c.Customer)
	}
	require.Equal(t, want, got)
	_, total, err = b.All(t.Context(), b.seller, &customers.Filter{EntityID: b.second.ID})
	require.NoError(t, err)
	require.Zero(t, total)
}
