package idempotency

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	t.Parallel()
	same := []string{"a", "b"}
	require.Equal(t, Of("pay", "a", "b"), Of("pay", same...))
	seen := map[Meaning]bool{}
	for _, fields := range [][]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {"a"}, {"a", "b", ""}, {"b", "a"}, {}} {
		for _, operation := range []string{"pay", "cancel"} {
			m := Of(operation, fields...)
			require.False(t, seen[m], "%s %v", operation, fields)
			seen[m] = true
		}
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10": "10", "10.0": "10", "10.00": "10", "010.00": "10", "10.50": "10.5", "0": "0", "0.00": "0", "00.10": "0.1", "100": "100",
		"": "", ".5": ".5", "5.": "5.", "1e1": "1e1", "-1": "-1", "1.2.3": "1.2.3", "x": "x", "10 ": "10 ",
	} {
		require.Equal(t, want, Decimal(text), text)
	}
}
