package sheet

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// Cells are in the order of their values, those without one last.
func TestOrderOfCells(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 25, 8, 0, 0, 0, time.UTC)
	for name, pair := range map[string][2]Cell{
		"texts":            {Text("a"), Text("b")},
		"numbers":          {Integer(-3), Integer(2)},
		"other decimals":   {Money(150, 2), Integer(2)},
		"large numbers":    {Integer(1 << 61), Money(1<<62, 0)},
		"days":             {Day(businessday.Date(2026, 11, 24)), Day(businessday.Date(2026, 11, 25))},
		"instants":         {Time(at), Time(at.Add(time.Second))},
		"no text":          {Text("z"), Text("")},
		"no instant":       {Time(at), Time(time.Time{})},
		"a text, a number": {Text("z"), Integer(1)},
	} {
		assert.Negative(t, pair[0].Compare(pair[1], strings.Compare), name)
		assert.Positive(t, pair[1].Compare(pair[0], strings.Compare), name)
		assert.Zero(t, pair[0].Compare(pair[0], strings.Compare), name)
	}
	assert.Zero(t, Money(200, 2).Compare(Integer(2), strings.Compare))
	assert.Zero(t, Text("").Compare(Cell{}, strings.Compare))
}

// Numbers with decimals are compared exactly.
func TestOrderOfNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		want := Integer(a).Compare(Integer(b), strings.Compare)
		assert.Equal(t, want, Money(money.Amount(a), 2).Compare(Money(money.Amount(b), 2), strings.Compare))
		if a >= -1<<56 && a < 1<<56 {
			assert.Equal(t, want, Money(money.Amount(a*100), 2).Compare(Integer(b), strings.Compare))
		}
	})
}
