package draws_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/storage"
)

// The outcomes of a game cannot be reduced while tickets wait for them: a result without the sign that was bet on
// would make those bets lose.
func TestOutcomesWithOpenBetsCannotBeRemoved(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "triple-zulia")[0]
	ticket := h.sell(t, fixture.Line(draw, catalog.BetTripleSign, "1", "123", "LEO"))
	change := func(mechanics string) error {
		_, err := h.Catalog.UpdateGame(t.Context(), seed.ID("game", "triple-zulia"), &catalog.GameChange{Documents: catalog.Documents{
			catalog.FieldMechanics: json.RawMessage(mechanics),
			catalog.FieldRules:     json.RawMessage(`{"bet_types": [{"type": "terminal", "payout": "60"}]}`),
		}})
		return err
	}
	before := h.Text(t, `SELECT md5(g::text) FROM games g WHERE id = $1`, draw.GameID)
	require.ErrorIs(t, change(`{"kind": "number", "digits": 3}`), catalog.ErrMechanicsInUse)
	require.Equal(t, before, h.Text(t, `SELECT md5(g::text) FROM games g WHERE id = $1`, draw.GameID), "a refused change changes nothing")
	require.NoError(t, change(`{"kind": "number", "digits": 3, "sign": true, "flags": [{"code": "PLUS", "bet_types": ["terminal"], "add": "1", "chance": "0.1"}]}`), "more may be announced")
	h.Catalog.Forget()
	h.settle(t, draw, catalog.Outcome{Value: "123", Sign: "LEO"})
	require.Equal(t, "won 600000", h.state(t, ticket), "by the rules it was sold under")
	require.NoError(t, change(`{"kind": "number", "digits": 3}`))
}

// A prize is the exact product of stake, payout and all multiples, rounded down once; the effect of a correction is
// computed alike.
func TestAPrizeIsTheExactProduct(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `UPDATE games SET mechanics = '{"kind": "element", "flags": [{"code": "A", "multiply": "2.25"}], "wildcards": [{"code": "W", "multiply": "1.5"}]}' WHERE short_code = 'mega-animal-40'`)
	draw := h.OpenDraws(t, "mega-animal-40")[0]
	even, odd := h.sell(t, fixture.Line(draw, catalog.BetStraight, "8", "5")), h.sell(t, fixture.Line(draw, catalog.BetStraight, "8.01", "6"))
	won := func(stake int64, payout int64) string {
		return "won " + strconv.FormatInt(stake*payout*3375/100_000, 10)
	}
	r := h.settle(t, draw, catalog.Outcome{Value: "5", Wildcard: "W", Flags: []string{"A"}})
	require.Equal(t, won(8_00, int64(even.Lines[0].Payout)), h.state(t, even))
	other := catalog.Outcome{Value: "6", Wildcard: "W", Flags: []string{"A"}}
	_, shown, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, other, "read wrongly", true)
	require.NoError(t, err)
	h.correct(t, r, other)
	require.Equal(t, won(8_01, int64(odd.Lines[0].Payout)), h.state(t, odd))
	require.Equal(t, h.state(t, odd), "won "+strconv.FormatInt(int64(shown.Currencies[0].After), 10))
	h.requireSound(t)
}

// A change of mechanics waits for sales that are committing, and another process with the old rules cached sells
// nothing by them afterwards.
func TestNoSaleByReplacedRules(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "triple-zulia")[0]
	h.sell(t, fixture.Line(draw, catalog.BetTriple, "1", "123")) // the rules are in memory
	h.Exec(t, `DELETE FROM ticket_items`)
	other := h.Process(h.Clock).Catalog
	_, err := h.Catalog.Game(t.Context(), draw.GameID)
	require.NoError(t, err)
	var change *running
	h.holding(t, func() {
		change = start(func() error {
			_, err := other.UpdateGame(t.Context(), draw.GameID, &catalog.GameChange{Documents: catalog.Documents{
				catalog.FieldMechanics: json.RawMessage(`{"kind": "number", "digits": 3}`),
				catalog.FieldRules:     json.RawMessage(`{"bet_types": [{"type": "terminal", "payout": "60"}]}`),
			}})
			return err
		})
		h.stopped(t, 1, change.done)
		require.False(t, change.done(), "it waits for the sale")
	}, storage.ShareDrawsSQL, storage.DrawLocks([]uuid.UUID{draw.ID}))
	change.require(t)
	_, err = h.sales.Sell(t.Context(), cashier(), &sales.SellRequest{
		EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES",
		Items: []sales.Item{fixture.Line(draw, catalog.BetTripleSign, "1", "123", "LEO")},
	})
	require.ErrorIs(t, err, sales.ErrInvalidTicket)
	require.Zero(t, h.Number(t, `SELECT count(*) FROM ticket_items WHERE bet_type = 'triple_sign'`))
	h.sell(t, fixture.Line(draw, catalog.BetTerminal, "1", "23"))
}
