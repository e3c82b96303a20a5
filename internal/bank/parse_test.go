package bank

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Amount{
		"1": 100, "0.01": 1, "150.5": 15050, "150.50": 15050, "999999999999.99": 99999999999999, "007.10": 710,
		"": 0, "0": 0, "0.00": 0, "1e9": 0, "1E9": 0, "10,50": 0, "1.234": 0, "1.": 0, ".5": 0, "-1": 0, "+1": 0, " 1": 0, "1 ": 0, "1000000000000": 0,
		"0x10": 0, "١": 0, "NaN": 0, "1.2.3": 0, "1_000": 0,
	} {
		got, err := ParseAmount(text)
		require.Equal(t, want == 0, err != nil, text)
		require.Equal(t, want, got, text)
	}
}

func TestParseIdentifiers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"0134": "0134", "134": "0134", "102": "0102", "34": "", "00134": "", "013a": "", "": ""} {
		got, err := ParseBankCode(text)
		require.Equal(t, want == "", err != nil, text)
		require.Equal(t, want, got)
	}
	for text, ok := range map[string]bool{"0001": true, "000012345678": true, strings.Repeat("9", 36): true, "1": true, "123": true, strings.Repeat("9", 37): false, "12 34": false, "": false} {
		got, err := ParseReference(text)
		require.Equal(t, ok, err == nil, text)
		if ok {
			require.Equal(t, text, got, "kept with leading zeros")
		}
	}
	for text, ok := range map[string]bool{"00": true, "0": true, "51": true, "A1": true, "": false, "00 ": false, "123456789": false, "é": false} {
		_, err := ParseNetworkCode(text)
		require.Equal(t, ok, err == nil, text)
	}
}

func TestParseInstant(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 3, 2, 14, 5, 9, 0, fixture.Caracas)
	for _, text := range []string{
		"2026-03-02T14:05:09-04:00", "2026-03-02T18:05:09Z", "2026-03-02T14:05:09", "2026-03-02 14:05:09", "02/03/2026 14:05:09", "20260302140509", "20260302 140509",
	} {
		got, err := ParseInstant(text, fixture.Caracas)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), text)
	}
	for _, text := range []string{"", "mañana", "2026-13-01", "0001-01-01", "9999-01-01", strings.Repeat("2", 50)} {
		_, err := ParseInstant(text, fixture.Caracas)
		require.ErrorIs(t, err, ErrField, text)
	}
}

func TestParseObject(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{}`: true, ` {"a":1} ` + "\n": true, `{"Monto":"1","Otro":{"x":[1]}}`: true,
		``: false, `null`: false, `[]`: false, `"x"`: false, `{"a":1}{}`: false, `{"a":1} x`: false, `{"a":1,}`: false, `{"a"`: false, `{"a":}`: false,
		`{"Monto":"1","Monto":"2"}`: false, `{"Monto":"1","monto":"2"}`: false, `{"Monto":"1","\u004donto":"2"}`: false, `{"k":1,"\u212a":2}`: false,
		"{\"a\":\"\xff\"}": true, `{a:1}`: false, `{'a':1}`: false, "\xef\xbb\xbf{}": true, "\xef\xbb\xbf\xef\xbb\xbf{}": false, "\xff{}": false,
		"{\"a\xe1\":1,\"a\xc1\":2}": false,
	} {
		_, err := parseObject([]byte(text))
		require.Equal(t, ok, err == nil, text)
	}
}

func TestReadFields(t *testing.T) {
	t.Parallel()
	read := func(body string) (*values, error) {
		o, err := parseObject([]byte(body))
		require.NoError(t, err, body)
		return readFields(PhaseNotification, o, fixture.Caracas)
	}
	n, err := read(`{"Referencia":"0012","BancoEmisor":"134","Monto":150.5,"CodigoRed":"00","TelefonoEmisor":"584141234567","Concepto":"a\u0000b","Otro":1,"FechaHora":null}`)
	require.NoError(t, err)
	require.Equal(t, "0012", n.reference)
	require.Equal(t, "0134", n.bank)
	require.EqualValues(t, 15050, n.amount)
	require.Equal(t, "+584141234567", n.senderPhone)
	require.Equal(t, "a b", n.stored["Concepto"])
	for _, pairs := range [][2]any{
		{"Referencia", nil}, {"Referencia", json.Number("1234.0")}, {"Referencia", -1234}, {"Referencia", json.Number("1e9")}, {"Referencia", ""}, {"BancoEmisor", nil}, {"BancoEmisor", 13}, {"Monto", nil}, {"Monto", true},
		{"Monto", "1e9"}, {"Monto", json.Number("1e9")}, {"Monto", "10,50"}, {"Monto", []int{1}}, {"Monto", ""}, {"CodigoRed", nil}, {"CodigoRed", 0}, {"CodigoRed", ""},
	} {
		_, err := read(notifyBody(pairs[0], pairs[1]))
		require.ErrorIs(t, err, ErrField, "%v", pairs)
	}
	_, err = read(notifyBody("monto", "150.00", "Monto", nil))
	require.ErrorIs(t, err, ErrField, "names are exact")
	for _, pairs := range [][2]any{{"IdCliente", nil}, {"IdCliente", 1234}, {"IdCliente", true}, {"TelefonoComercio", nil}, {"TelefonoComercio", 4141112233}, {"TelefonoComercio", ""}, {"Monto", "0"}} {
		o, err := parseObject([]byte(queryBody(pairs[0], pairs[1])))
		require.NoError(t, err)
		_, err = readFields(PhaseQuery, o, fixture.Caracas)
		require.ErrorIs(t, err, ErrField, "%v", pairs)
	}
	for _, number := range []string{"04141112233", "584141112233", "00584141112233", "+584141112233"} {
		o, err := parseObject([]byte(queryBody("TelefonoComercio", number)))
		require.NoError(t, err)
		q, err := readFields(PhaseQuery, o, fixture.Caracas)
		require.NoError(t, err)
		require.Equal(t, "+584141112233", q.merchantPhone)
	}
}

// An optional field that cannot be read never refuses a payment; it is named among the fields of the event.
func TestMalformedOptionalFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	for _, pairs := range [][2]any{
		{"TelefonoEmisor", "123"}, {"TelefonoEmisor", 4141234567}, {"TelefonoEmisor", []int{1}}, {"TelefonoComercio", "x"}, {"TelefonoComercio", true},
		{"FechaHora", "ayer"}, {"FechaHora", map[string]int{}}, {"IdComercio", false}, {"Concepto", 12.5}, {"Concepto", []string{"x"}},
	} {
		o, err := parseObject([]byte(notifyBody(pairs[0], pairs[1])))
		require.NoError(t, err)
		n, err := readFields(PhaseNotification, o, fixture.Caracas)
		require.NoError(t, err, "%v", pairs)
		require.Equal(t, pairs[0], n.stored[ignoredFields], "%v", pairs)
	}
}

// Digits may come as a JSON integer, which stays exact however long it is; texts may be in Latin-1 and behind a byte order mark.
func TestFieldsInTheFormatsThatBanksSend(t *testing.T) {
	t.Parallel()
	o, err := parseObject([]byte("\xef\xbb\xbf" + `{"Referencia":123456789012345678901234567890123456,"BancoEmisor":134,"Monto":150,"CodigoRed":"00",
		"TelefonoEmisor":584141234567,"FechaHora":20261120140509,"Concepto":"Peña y Jos` + "\xe9\",\"A\xf1o\":1}"))
	require.NoError(t, err)
	n, err := readFields(PhaseNotification, o, fixture.Caracas)
	require.NoError(t, err)
	require.Empty(t, n.ignored)
	require.Equal(t, []string{"123456789012345678901234567890123456", "0134", "+584141234567", "Peña y José"}, []string{n.reference, n.bank, n.senderPhone, n.stored["Concepto"]})
	require.Equal(t, time.Date(2026, 11, 20, 14, 5, 9, 0, fixture.Caracas), n.instant)
	require.Contains(t, o, "Año")
	for client, want := range map[any]string{"V-12.345.678": "V12345678", 12345678: "12345678", "j 40123456-7": "J401234567"} {
		o, err := parseObject([]byte(queryBody("IdCliente", client, "TelefonoComercio", 584141112233)))
		require.NoError(t, err)
		q, err := readFields(PhaseQuery, o, fixture.Caracas)
		require.NoError(t, err)
		require.Equal(t, []string{want, "+584141112233"}, []string{q.client.String(), q.merchantPhone})
	}
}

func FuzzParseObject(f *testing.F) {
	f.Add([]byte(notifyBody()))
	f.Add([]byte(`{"a":{"b":[1,2]},"A":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		fields, err := parseObject(raw)
		if err != nil {
			return
		}
		var plain map[string]json.RawMessage
		if err := json.Unmarshal(decodeText(raw), &plain); err != nil || len(plain) != len(fields) {
			t.Fatalf("%q: %v, %d and %d keys", raw, err, len(plain), len(fields))
		}
		_, _ = readFields(PhaseNotification, fields, time.UTC)
		_, _ = readFields(PhaseQuery, fields, fixture.Caracas)
	})
}

func FuzzParseAmount(f *testing.F) {
	f.Add("150.00")
	form := regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,2})?$`)
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := ParseAmount(text)
		if (err == nil) != (form.MatchString(text) && strings.Trim(text, "0.") != "") {
			t.Fatalf("%q: %d, %v", text, amount, err)
		}
		if again, err := ParseAmount(amount.Format(AmountDigits)); amount != 0 && (err != nil || again != amount) {
			t.Fatalf("%q is not stable", text)
		}
	})
}

func FuzzPhone(f *testing.F) {
	f.Add("04141112233")
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(map[string]string{"TelefonoComercio": text, "IdCliente": "V12345678", "Monto": "1"})
		if err != nil {
			return
		}
		fields, err := parseObject(raw)
		if err != nil {
			t.Fatal(err)
		}
		q, err := readFields(PhaseQuery, fields, fixture.Caracas)
		want, refused := phone.Normalise(strings.ToValidUTF8(text, "\ufffd"))
		if (err == nil) != (refused == nil) || (err == nil && q.merchantPhone != want) {
			t.Fatalf("%q: %v, %v", text, err, refused)
		}
	})
}
