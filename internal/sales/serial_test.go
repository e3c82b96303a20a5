package sales_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/sales"
)

func TestSerialsAreWellFormedAndUnique(t *testing.T) {
	t.Parallel()
	require.Len(t, sales.SerialAlphabet, 31)
	require.NotContains(t, sales.SerialAlphabet, "0")
	for _, lookalike := range "0O1IL" {
		require.NotContains(t, sales.SerialAlphabet, string(lookalike))
	}
	seen := make(map[string]bool)
	for range 20_000 {
		serial := sales.NewSerial()
		require.Len(t, serial, 12)
		require.Empty(t, strings.Trim(serial, sales.SerialAlphabet))
		require.True(t, sales.ValidSerial(serial))
		require.False(t, seen[serial])
		seen[serial] = true
	}
	require.Regexp(t, `^[0-9]{6}$`, sales.NewValidationCode())
	for _, text := range []string{"", "2", strings.Repeat("2", 11), strings.Repeat("2", 13), "22222!222222", "ññññññññññññ", strings.ToLower(sales.NewSerial()) + "2"} {
		require.False(t, sales.ValidSerial(text), text)
	}
}

// The first character keeps the serial codes of 31 months apart: the database keeps them unique in a month of UTC only.
func TestSerialsOfDifferentMonthsDiffer(t *testing.T) {
	t.Parallel()
	months := map[byte]int{}
	for month := range 31 {
		first := time.Date(2026, time.Month(12+month), 1, 0, 0, 0, 0, time.UTC)
		code := sales.NewSerialAt(first)[0]
		require.NotContains(t, months, code)
		months[code] = month
		require.Equal(t, code, sales.NewSerialAt(first.AddDate(0, 1, 0).Add(-time.Nanosecond).In(time.FixedZone("VET", -4*60*60)))[0])
	}
}

// Every letter of the alphabet is drawn as often as any other, within wide bounds.
func TestSerialCharactersAreUniformlyDistributed(t *testing.T) {
	t.Parallel()
	counts := map[rune]int{}
	for range 20_000 {
		for _, c := range sales.NewSerial()[1:11] {
			counts[c]++
		}
	}
	require.Len(t, counts, 31)
	for c, n := range counts {
		require.InDelta(t, 20_000*10/31, n, 600, string(c))
	}
}

func TestTheCheckCharacterDetectsTypingErrors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		serial := []byte(sales.NewSerial())
		at := rapid.IntRange(0, len(serial)-1).Draw(t, "position")
		wrong := sales.SerialAlphabet[rapid.IntRange(0, len(sales.SerialAlphabet)-1).Draw(t, "character")]
		typo := append([]byte(nil), serial...)
		typo[at] = wrong
		require.Equal(t, wrong == serial[at], sales.ValidSerial(string(typo)), "one wrong character")
		for i := range len(serial) - 1 {
			swapped := append([]byte(nil), serial...)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			require.Equal(t, serial[i] == serial[i+1], sales.ValidSerial(string(swapped)), "two swapped")
		}
	})
}

func TestSerialsAreReadFromWhatIsTypedAndScanned(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"k7qx 9m2p-4d6a": "K7QX9M2P4D6A", "https://banca.example.com/t/K7QX9M2P4D6A": "K7QX9M2P4D6A", "HTTPS://BANCA.EXAMPLE.COM/T/K7QX9M2P4D6A": "K7QX9M2P4D6A",
		"": "", "León": "", "12": "", "a/t/": "", "María Pérez de la Cruz": "", "K7QX9M2P4D6A'--": "",
	} {
		require.Equal(t, want, sales.TypedSerial(typed), typed)
	}
}
