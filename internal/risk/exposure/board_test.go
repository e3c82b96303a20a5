package exposure_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/caller"
	"banca/internal/risk/exposure"
	"banca/internal/setup/seed"
)

// signed is a game of numbers with a sign, whose outcomes are 12,000.
const (
	signedMechanics = `{"kind": "number", "digits": 3, "sign": true}`
	signedBetting   = `{"bet_types": [{"type": "triple", "payout": "600"}, {"type": "triple_sign", "payout": "6000"}, {"type": "terminal", "payout": "60"}, {"type": "terminal_sign", "payout": "600"}]}`
)

// The worst outcome of each draw of a board is the first one of its own exposure, for draws that were sold under several versions of the rules and in
// several currencies, and after the grid of a game has changed.
func TestABoardAgreesWithEachDraw(t *testing.T) {
	t.Parallel()
	h := setup(t)
	rng := rand.New(rand.NewPCG(3, 9))
	plain := exposure.DrawOf{DrawID: h.draw, GameID: h.game}
	animals := exposure.DrawOf{DrawID: h.anotherDraw(t, "lotto-activo"), GameID: seed.ID("game", "lotto-activo")}
	withSign := exposure.DrawOf{DrawID: h.anotherDraw(t, "triple-caliente"), GameID: seed.ID("game", "triple-caliente")}
	unsold := exposure.DrawOf{DrawID: h.anotherDraw(t, "la-granjita"), GameID: seed.ID("game", "la-granjita")}
	h.Exec(t, `UPDATE games SET mechanics = $2, betting_rules = $3 WHERE id = $1`, withSign.GameID, signedMechanics, signedBetting)
	number := func(digits int) string {
		return fmt.Sprintf("%0*d", digits, rng.IntN(map[int]int{2: 100, 3: 40}[digits]))
	}
	sell := func(at exposure.DrawOf, bet, selection string, payout int64) {
		h.draw, h.game = at.DrawID, at.GameID
		h.sell(t, []string{"pending", "pending", "cancelled"}[rng.IntN(3)], bet, selection, 100+rng.Int64N(900), payout)
	}
	for range 60 {
		sell(plain, "triple", number(3), 60000)
		sell(plain, "approximation", number(3), 1000)
		sell(plain, "terminal", number(2), 6000)
		sell(animals, "straight", number(2)[1:], 3000)
		sell(withSign, "triple_sign", number(3)+",LEO", 600000)
		sell(withSign, "terminal_sign", number(2)+",ARI", 60000)
		sell(withSign, "triple", number(3), 60000)
	}
	h.Exec(t, `UPDATE games SET betting_rules = '{"bet_types": [{"type": "straight", "payout": "35"}, {"type": "tripleta", "payout": "100", "draws": 11}]}' WHERE id = $1`, animals.GameID)
	for range 20 {
		sell(animals, "straight", number(2)[1:], 3500)
	}
	sell(animals, "tripleta", "1,2,3", 10000)
	h.Forget()
	asked := []exposure.DrawOf{plain, animals, withSign, unsold}
	agrees := func() {
		t.Helper()
		board, err := h.Board(t.Context(), h.by, "VES", asked)
		require.NoError(t, err)
		require.NotContains(t, board.ByDraw, unsold.DrawID)
		for _, draw := range asked[:3] {
			one, err := h.Of(t.Context(), h.by, &exposure.Request{DrawID: draw.DrawID, Currency: "VES", Top: 1})
			require.NoError(t, err)
			found := board.ByDraw[draw.DrawID]
			require.NotNil(t, found)
			worst := *one.Worst()
			worst.Share, worst.Announced = 0, 0
			assert.Equal(t, &worst, found.Worst)
			assert.Equal(t, one.Sales, found.Sales)
			assert.Equal(t, one.Lines, found.Lines)
			assert.Equal(t, one.Windows, found.Windows)
		}
	}
	agrees()
	agrees() // by the kept tables
	h.Exec(t, `UPDATE game_elements SET status = 'retired' WHERE game_id = $1 AND code IN ('3', '4')`, animals.GameID)
	h.Forget()
	agrees()

	empty, err := h.Board(t.Context(), h.by, "USD", asked)
	require.NoError(t, err)
	for _, draw := range asked[:3] {
		require.Zero(t, empty.ByDraw[draw.DrawID].Sales)
		require.Nil(t, empty.ByDraw[draw.DrawID].Worst)
	}
	tickets := h.Number(t, `SELECT count(DISTINCT t.id) FROM tickets t JOIN ticket_items i ON i.ticket_id = t.id WHERE i.draw_id = $1 AND t.status <> 'cancelled'`, plain.DrawID)
	require.Equal(t, tickets, empty.ByDraw[plain.DrawID].Tickets, "tickets are counted in all currencies")
	point, err := h.Org.Scope(t.Context(), seed.ID("entity", seed.CodeOtherPoint))
	require.NoError(t, err)
	none, err := h.Board(t.Context(), caller.Caller{Scope: point}, "VES", asked)
	require.NoError(t, err)
	require.Empty(t, none.ByDraw, "what others sold is not seen")
}

// anotherDraw adds a draw of a game.
func (h *world) anotherDraw(t testing.TB, game string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	h.Exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status) VALUES ($1, $2, 'Y', now()::date, now() + interval '1 hour', now() + interval '1 hour', 'open')`, id, seed.ID("game", game))
	return id
}
