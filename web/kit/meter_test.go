package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestCreditMeter(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	for _, try := range []struct {
		balance, limit money.Amount
		percent        int64
	}{{0, 500_00, 0}, {100_00, 500_00, 0}, {-250_00, 500_00, 50}, {-499_99, 500_00, 99}, {-500_00, 500_00, 100}, {-600_00, 500_00, 100}, {-1, 0, 100}, {-1, 3, 33}, {1 - money.MaxAmount, money.MaxAmount, 99}} {
		m := v.CreditMeter(try.balance, try.limit)
		assert.Equal(t, try.percent, m.Percent, try)
	}
	assert.Nil(t, v.CreditMeter(5_00, 0))
	assert.Contains(t, render(t, v, "meter", v.CreditMeter(-1_00, 2_00)), `value="50" aria-label="50 % usado"`)
	assert.Empty(t, render(t, v, "meter", v.CreditMeter(0, 0)))
}
