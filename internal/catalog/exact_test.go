package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

// A product of multiples is exact, whatever its order, and a prize is rounded once, down.
func TestMultiplesAreExact(t *testing.T) {
	t.Parallel()
	m := Mechanics{
		Kind:      DrawsElement,
		Flags:     []Modifier{{Code: "A", Multiply: 225}, {Code: "B", Multiply: 33}, {Code: "C", Add: 7}},
		Wildcards: []Modifier{{Code: "W", Multiply: 150}},
	}
	for _, c := range []struct {
		outcome Outcome
		stake   money.Amount
		want    money.Amount
		decimal string
	}{
		{Outcome{}, 8_00, 240_00, "1"},
		{Outcome{Flags: []string{"A"}}, 8_00, 540_00, "2.25"},
		{Outcome{Flags: []string{"A"}, Wildcard: "W"}, 8_00, 810_00, "3.375"}, // 808.80 by 3.37
		{Outcome{Flags: []string{"B"}, Wildcard: "W"}, 1, 14, "0.495"},        // 14.85
		{Outcome{Flags: []string{"A", "B", "C"}, Wildcard: "W"}, 1_00, 33_49, "1.11375"},
	} {
		a := m.adjustment(&c.outcome, BetStraight)
		require.Equal(t, c.decimal, a.Decimal())
		require.Equal(t, c.want, a.Prize(c.stake, 30_00), "%+v", c)
	}
	require.False(t, Adjustment{}.Changes(30_00))
	require.True(t, m.adjustment(&Outcome{Flags: []string{"C"}}, BetStraight).Changes(30_00))
}
