package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

func TestFormatsOfTypedMoney(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]money.Amount{
		"1.234,56": 1234_56, "1234.56": 1234_56, "1234,56": 1234_56, "1,234.56": 1234_56, " 12 ": 12_00, "0,5": 50, "1.234": 1234_00,
		"1.234.567": 1234567_00, "12.345.678,9": 12345678_90, "1,234,567.89": 1234567_89, "150.5": 150_50,
	} {
		got, err := ReadMoney(typed, 2)
		require.NoError(t, err, typed)
		assert.Equal(t, want, got, typed)
	}
	for _, typed := range []string{
		"", "0", "-1", "+1", "1,234", "1.23.456", "12.34,56", "1.2345,6", "1,2,3", "1.234,567", "1..2", ",", ".", "1.", ",5", "1e3", "1 000", "0.123,5", "1,23.4", "Bs 5",
	} {
		_, err := ReadMoney(typed, 2)
		assert.Error(t, err, typed)
	}
}

func FuzzMoneyIsNeverReadTwoWays(f *testing.F) {
	for _, seed := range []string{"1.234,56", "1,234", "0.5", "1.2.3", "12,34.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		amount, err := ReadMoney(typed, 2)
		if err != nil {
			return
		}
		again, err := ReadMoney(amount.Format(2), 2)
		require.NoError(t, err)
		require.Equal(t, amount, again)
		local, err := ReadMoney(amount.FormatLocal(2), 2)
		require.NoError(t, err)
		require.Equal(t, amount, local)
	})
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]money.BasisPoints{"7,5": 7_50, "7.5 %": 7_50, "0": 0, "100": 100_00, "12,34%": 12_34} {
		got, err := ReadPercent(typed)
		require.NoError(t, err, typed)
		assert.Equal(t, want, got, typed)
	}
	for _, typed := range []string{"", "%", "100,01", "-1", "1,234", "x"} {
		_, err := ReadPercent(typed)
		assert.Error(t, err, typed)
	}
}

func TestMinutes(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]time.Duration{
		"90": 90 * time.Minute, "90 min": 90 * time.Minute, "1:30": 90 * time.Minute, "1 h 30": 90 * time.Minute, "2h": 2 * time.Hour, "0": 0, "10080": 7 * 24 * time.Hour,
	} {
		got, err := ReadMinutes(typed)
		require.NoError(t, err, typed)
		assert.Equal(t, want, got, typed)
	}
	for _, typed := range []string{"", "min", "-5", "+5", "1:60", "10081", "169:00", "1,5", "1:2:3", "99999999"} {
		_, err := ReadMinutes(typed)
		assert.Error(t, err, typed)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][]string{
		"8:00, 9:15 pm, 20:00": {"08:00", "20:00", "21:15"}, "12 am 12 pm": {"00:00", "12:00"}, "8 p. m.": {"20:00"}, "11:59p.m.;0:00": {"00:00", "23:59"},
	} {
		got, err := ReadTimes(typed)
		require.NoError(t, err, typed)
		assert.Equal(t, want, got, typed)
	}
	for _, typed := range []string{"", ",", "8", "24:00", "8:60", "13 pm", "0 am", "8:00, 8:00", "8:00 20:00 8 pm", "x", "8 xm", "m", "-1:00"} {
		_, err := ReadTimes(typed)
		assert.Error(t, err, typed)
	}
}

func TestPhoneAndRIF(t *testing.T) {
	t.Parallel()
	got, err := ReadPhone(" 0414-1234567 ")
	require.NoError(t, err)
	assert.Equal(t, "+584141234567", got)
	got, err = ReadRIF("j-40.123.456-7")
	require.NoError(t, err)
	assert.Equal(t, "J401234567", got)
	_, err = ReadRIF("401234567")
	assert.Error(t, err, "a RIF has a letter")
}
