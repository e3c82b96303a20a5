package iddoc

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"V12345678": "V12345678", "v12345678": "V12345678", "12345678": "12345678", "J401234567": "J401234567", "V012345678": "V12345678",
		"00012345": "12345", "V0000012": "V00012", "12345": "12345", "1234567890": "1234567890",
		"V-12.345.678": "V12345678", "v 12345678": "V12345678", "j 40123456-7": "J401234567", " V12345678 ": "V12345678",
		"": "", "V": "", "-": "", "1234": "", "12345678901": "", "X12345678": "", "VV1234567": "", "00000": "", "１２３４５": "", "Ñ12345": "",
		"V12345678\x00": "", "V12_345_678": "", "V-1.2.3.4.5.6.7.8-9-0": "",
	} {
		id, err := Parse(text)
		if want == "" {
			require.ErrorIs(t, err, ErrInvalid, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, id.String(), text)
		again, err := Parse(want)
		require.NoError(t, err)
		require.Equal(t, id, again, "the normal form is read as the same document")
	}
	require.True(t, ID{"", "1"}.Fits(ID{"V", "1"}))
	require.False(t, ID{"J", "1"}.Fits(ID{"V", "1"}))
	require.False(t, ID{"V", "2"}.Fits(ID{"V", "1"}))
}

func TestWritten(t *testing.T) {
	t.Parallel()
	for normal, want := range map[string]string{
		"V12345678": "V-12.345.678", "E812345": "E-812.345", "V00012": "V-12", "J401234567": "J401234567", "12345678": "12345678", "": "",
	} {
		require.Equal(t, want, Written(normal))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("V-12.345.678")
	form, normal := regexp.MustCompile(`^[VEJGPvejgp]?[0-9]{5,10}$`), regexp.MustCompile(`^[VEJGP]?[0-9]{5,10}$`)
	f.Fuzz(func(t *testing.T, text string) {
		id, err := Parse(text)
		bare := strings.NewReplacer("-", "", ".", "", " ", "").Replace(text)
		if (err == nil) != (len(text) <= MaxLength && form.MatchString(bare) && strings.Trim(bare, "VEJGPvejgp0") != "") {
			t.Fatalf("%q: %v, %v", text, id, err)
		}
		if again, _ := Parse(id.String()); err == nil && (again != id || !normal.MatchString(id.String())) {
			t.Fatalf("%q became %q", text, id)
		}
	})
}
