package risk

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/web/kit"
)

// A used part of a limit is not shown as nothing.
func TestASmallShareIsNotZero(t *testing.T) {
	t.Parallel()
	v := &kit.View{Language: kit.Spanish}
	for sold, want := range map[money.Amount]string{3150: "< 0,1 %", 9_999: "< 0,1 %", 10_000: "0,1 %", 55_000: "0,5 %", 99_999: "0,9 %"} {
		u := &use{Usage: risk.Usage{Sold: sold, Limit: 10_000_000}}
		assert.Equal(t, want, u.shareText(v), sold)
	}
	assert.Equal(t, "limits.share.text", (&use{Usage: risk.Usage{Limit: 1}}).shareText(v), "whole percent, also of nothing")
}
