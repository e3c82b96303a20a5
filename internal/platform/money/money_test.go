package money_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/platform/money"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text   string
		digits int
		want   money.Amount
		ok     bool
	}{
		{"12.50", 2, 1250, true}, {"12.5", 2, 1250, true}, {"12", 2, 1200, true}, {"0.01", 2, 1, true},
		{"5", 0, 5, true}, {"007", 2, 700, true}, {"1000000000000", 2, 1_000_000_000_000_00, true},
		{"", 2, 0, false}, {"0", 2, 0, false}, {"0.00", 2, 0, false}, {"-1", 2, 0, false}, {"+1", 2, 0, false},
		{"1.234", 2, 0, false}, {"1.", 2, 0, false}, {".5", 2, 0, false}, {"1e3", 2, 0, false}, {"1,5", 2, 0, false},
		{" 1", 2, 0, false}, {"1.0", 0, 0, false}, {"1.2.3", 2, 0, false}, {"NaN", 2, 0, false},
		{"1000000000000.01", 2, 0, false}, {strings.Repeat("9", 40), 2, 0, false}, {"٣", 2, 0, false},
	}
	for _, tt := range tests {
		got, err := money.Parse(tt.text, tt.digits)
		if !tt.ok {
			require.ErrorIs(t, err, money.ErrAmount, "%q", tt.text)
			continue
		}
		require.NoError(t, err, "%q", tt.text)
		require.Equal(t, tt.want, got, "%q", tt.text)
	}
}

func TestParseOrZero(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "0.00", "00", "0.0"} {
		got, err := money.ParseOrZero(text, 2)
		require.NoError(t, err, text)
		require.Zero(t, got, text)
	}
	for _, text := range []string{"", "-0", "-1", "+0", "0.", ".0", "0.000", "0e1", " 0"} {
		_, err := money.ParseOrZero(text, 2)
		require.ErrorIs(t, err, money.ErrNegative, text)
	}
	got, err := money.ParseOrZero("12.5", 2)
	require.NoError(t, err)
	require.EqualValues(t, 1250, got)
}

func TestFormatParseRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 4).Draw(t, "digits")
		a := money.Amount(rapid.Int64Range(1, int64(money.MaxAmount)).Draw(t, "amount"))
		got, err := money.Parse(a.Format(digits), digits)
		require.NoError(t, err)
		require.Equal(t, a, got)
		require.Equal(t, "-"+a.Format(digits), (-a).Format(digits))
	})
}

func TestFormat(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0.00", money.Amount(0).Format(2))
	require.Equal(t, "0.05", money.Amount(5).Format(2))
	require.Equal(t, "-9223372036854775808", money.Amount(-1<<63).Format(0))
	require.Equal(t, "10.000,00", money.Amount(1_000_000).FormatLocal(2))
	require.Equal(t, "-1.234.567", money.Amount(-1_234_567).FormatLocal(0))
	require.Equal(t, "60", money.Payout(6000).String())
	require.Equal(t, "2.5", money.Payout(250).String())
	require.Equal(t, "0.05", money.Payout(5).String())
}

// The worked example of the commission rule: sales of 10,000 at 18/15/13/10 %.
func TestSplitByMarginsWorkedExample(t *testing.T) {
	t.Parallel()
	parts := money.SplitByMargins(10_000_00, []money.BasisPoints{1800, 1500, 1300, 1000})
	require.Equal(t, []money.Amount{300_00, 200_00, 300_00, 1000_00}, parts)
}

func TestSplitByMarginsSumsExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := money.Amount(rapid.Int64Range(1, int64(money.MaxAmount)).Draw(t, "amount"))
		rates := make([]money.BasisPoints, rapid.IntRange(0, 6).Draw(t, "levels"))
		top := int32(money.FullRate)
		for i := range rates {
			top = rapid.Int32Range(0, top).Draw(t, "rate")
			rates[i] = money.BasisPoints(top)
		}
		var sum money.Amount
		for i, part := range money.SplitByMargins(amount, rates) {
			exact := rates[i]
			if i+1 < len(rates) {
				exact -= rates[i+1]
			}
			require.GreaterOrEqual(t, part, exact.Share(amount))
			require.LessOrEqual(t, part, exact.Share(amount)+1)
			sum += part
		}
		if len(rates) > 0 {
			require.Equal(t, rates[0].Share(amount), sum)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("12.50", 2)
	f.Fuzz(func(t *testing.T, text string, digits int) {
		if digits < 0 || digits > 4 {
			return
		}
		if a, err := money.Parse(text, digits); err == nil && (a <= 0 || a > money.MaxAmount) {
			t.Fatalf("%q parsed to %d", text, a)
		}
	})
}
