package phone_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/phone"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"04141234567": "+584141234567", "584141234567": "+584141234567", "00584141234567": "+584141234567",
		"+58 414-123.45.67": "+584141234567", "(0414) 1234567": "+584141234567", "+573001234567": "+573001234567",
		"4141234567": "", "": "", "0414123456": "", "+0414123456": "", "abc": "", "+58414123456": "", "０４１４１２３４５６７": "",
		"+1234567": "", "+1234567890123456": "",
	} {
		got, err := phone.Normalise(text)
		if want == "" {
			require.ErrorIs(t, err, phone.ErrInvalid, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("04141234567")
	form := regexp.MustCompile(`^\+[1-9][0-9]{7,14}$`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := phone.Normalise(text)
		if err == nil && !form.MatchString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		if again, err := phone.Normalise(got); got != "" && (err != nil || again != got) {
			t.Fatalf("%q is not stable", got)
		}
	})
}

func TestMask(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"+584141234567": "+58********67", "+1234": "*****", "": ""} {
		require.Equal(t, want, phone.Mask(number))
	}
}
