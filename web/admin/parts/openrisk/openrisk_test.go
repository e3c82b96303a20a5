package openrisk

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/web/kit"
)

// A used part of a limit below one percent is words and no bar, and not shown as nothing.
func TestThePartOfALimitThatIsUsed(t *testing.T) {
	t.Parallel()
	v := &kit.View{Language: kit.Spanish}
	for sold, want := range map[money.Amount]kit.Meter{
		0:      {Label: "limits.share.text"},
		1:      {Label: "limits.share.little"},
		9_999:  {Label: "limits.share.little"},
		10_000: {Percent: 1, Label: "limits.share.text"},
		// a limit with nothing left is spent
		1_000_000: {Percent: 100, Label: "limits.share.spent", Spent: true},
	} {
		assert.Equal(t, want, *MeterOf(v, &risk.Usage{Sold: sold, Limit: 1_000_000}), sold)
	}
}
