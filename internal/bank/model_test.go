package bank

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// For any calls in any order, concurrent on two processes: a reference is credited at most once, equal calls get
// equal answers, every amount answered true is in a wallet, and the books balance.
func TestRandomCallsCreditAReferenceOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*Service{b.Service, b.second(t)}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		references := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 12).Draw(rt, "references")
		amounts := []string{"10.00", "20.00"}
		requests := rapid.SliceOfN(rapid.IntRange(0, 1), 0, 4).Draw(rt, "requests")
		before := b.count(t, "transactions", "type = 'deposit'")
		for _, amount := range requests {
			b.expect(t, func(n *NewRequest) { n.Amount = amounts[amount] })
		}
		bodies := make([]string, len(references))
		for i, reference := range references {
			bodies[i] = notifyBody("Referencia", fmt.Sprintf("%04d%02d", round, reference), "Monto", amounts[rapid.IntRange(0, 1).Draw(rt, "amount")],
				"CodigoRed", rapid.SampledFrom([]string{"00", "00", "00", "51"}).Draw(rt, "code"), "TelefonoEmisor", "04149998877")
		}
		first := atOnce(t, services, bodies)
		said := map[string]string{}
		credited := map[string]bool{}
		for i, body := range bodies {
			if known, ok := said[body]; ok {
				require.Equal(t, known, first[i], body)
			}
			said[body] = first[i]
			if first[i] == `200{"abono":true}` {
				credited[body] = true
			}
		}
		for i, again := range atOnce(t, services, bodies) {
			require.Equal(t, first[i], again, "a repeat gets the same answer: %s", bodies[i])
		}
		require.Equal(t, before+len(credited), b.count(t, "transactions", "type = 'deposit'"))
		_, err := b.PG.Pool.Exec(t.Context(), `UPDATE payment_requests SET status = 'cancelled' WHERE status = 'open'`)
		require.NoError(t, err)
	})
	b.requireSound(t)
}
