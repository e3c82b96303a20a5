package risk_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A selection is unsold until a ticket of any seller below the highest counted level has it, and again once it is released; other draws and selections are not
// concerned, and without a limit nothing is known.
func TestUnsold(t *testing.T) {
	t.Parallel()
	e := setup(t)
	lines := e.spread()
	unsold := func() (list []bool) {
		for _, left := range e.requireSeparately(t, lines) {
			list = append(list, left.Unsold)
		}
		return list
	}
	e.exec(t, `DELETE FROM risk_limits`)
	require.NotContains(t, unsold(), true, "nothing counts sales")
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES (gen_random_uuid(), $1, $2, 'liability', 90000)`, e.chain[0].ID, e.currency)
	require.NotContains(t, unsold(), false)
	r, err := e.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.NoError(t, err)
	found := unsold()
	require.False(t, found[0])
	require.NotContains(t, found[1:], false)
	require.NoError(t, e.Release(t.Context(), r))
	require.NotContains(t, unsold(), false)
}
