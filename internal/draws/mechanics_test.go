package draws_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/seed"
)

// What a game draws cannot be taken away while tickets wait for it: a result without the sign that was bet on would have
// them lose without a word.
func TestWhatIsBetOnIsDrawn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.open(t, "triple-zulia")[0]
	ticket := h.sell(t, line(draw, catalog.BetTripleSign, "1", "123", "LEO"))
	change := func(mechanics string) error {
		_, err := h.cat.UpdateGame(t.Context(), seed.ID("game", "triple-zulia"), &catalog.GameChange{Documents: catalog.Documents{
			catalog.FieldMechanics: json.RawMessage(mechanics),
			catalog.FieldRules:     json.RawMessage(`{"bet_types": [{"type": "terminal", "payout": "60"}]}`),
		}})
		return err
	}
	before := h.text(t, `SELECT md5(g::text) FROM games g WHERE id = $1`, draw.GameID)
	require.ErrorIs(t, change(`{"kind": "number", "digits": 3}`), catalog.ErrMechanicsInUse)
	require.Equal(t, before, h.text(t, `SELECT md5(g::text) FROM games g WHERE id = $1`, draw.GameID), "a refused change changes nothing")
	require.NoError(t, change(`{"kind": "number", "digits": 3, "sign": true, "flags": [{"code": "PLUS", "bet_types": ["terminal"], "add": "1", "chance": "0.1"}]}`), "more may be announced")
	h.cat.Forget()
	h.settle(t, draw, catalog.Outcome{Value: "123", Sign: "LEO"})
	require.Equal(t, "won 600000", h.state(t, ticket), "by the rules it was sold under")
	require.NoError(t, change(`{"kind": "number", "digits": 3}`))
}
