package openrisk

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
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

// Only the outcome with the drawn value and sign is marked, and no line that stands for several signs.
func TestTheDrawnOutcome(t *testing.T) {
	t.Parallel()
	for drawn, marked := range map[string][]string{"": nil, "5": {"5"}, "5 MEGA": {"5"}, "042 LEO": {"042 LEO"}, "042 LEO x2": {"042 LEO"}, "042 ARI": {"042 ARI"}} {
		var got []string
		for _, o := range []exposure.Outcome{{Value: "5"}, {Value: "05"}, {Value: "55"}, {Value: "042"}, {Value: "042", Sign: "LEO"}, {Value: "042", Sign: "ARI"}} {
			if isDrawn(&o, drawn) {
				got = append(got, strings.TrimSpace(o.Value+" "+o.Sign))
			}
		}
		assert.Equal(t, marked, got, drawn)
	}
}
