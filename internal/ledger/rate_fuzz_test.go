package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/ledger"
)

// FuzzParseRate: a rate that is taken is positive, and is written as it is read.
func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"36.5", "0", "0.00000001", "999999999.99999999", "1.", ".5", "1e3", "-1", "1,5", "١"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := ledger.ParseRate(text)
		if err != nil {
			require.ErrorIs(t, err, ledger.ErrRateInvalid)
			return
		}
		require.Positive(t, int64(rate))
		again, err := ledger.ParseRate(rate.String())
		require.NoError(t, err)
		require.Equal(t, rate, again)
	})
}
