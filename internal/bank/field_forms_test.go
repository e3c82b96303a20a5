package bank

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/bank/bankfield"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
)

// fieldForm is the form of a required field in docs/bank.md: the accepted texts, and the accepted JSON values of
// other types.
type fieldForm struct {
	name   string
	phase  Phase
	text   *regexp.Regexp
	zero   bool // a text of zeros matches text and is refused
	number *regexp.Regexp
	drawn  string // of the texts that the test draws, near the form
}

// forms returns the required fields. A number of nil refuses every JSON number.
func forms() []fieldForm {
	integer := regexp.MustCompile(`^[0-9]+$`)
	decimal := regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,2})?$`)
	return []fieldForm{
		{"Referencia", PhaseNotification, regexp.MustCompile(`^[0-9]{1,36}$`), false, integer, `[0-9]{0,37}[ .x]?`},
		{"BancoEmisor", PhaseNotification, regexp.MustCompile(`^[0-9]{3,4}$`), false, integer, `[0-9]{0,5}[ .x]?`},
		{"Monto", PhaseNotification, decimal, true, decimal, `[0-9]{0,13}([.,][0-9]{0,3})?[e+ ]?`},
		{"Monto", PhaseQuery, decimal, true, decimal, `-?[0-9]{0,13}([.,][0-9]{0,3})?`},
		{"CodigoRed", PhaseNotification, regexp.MustCompile(`^[0-9A-Za-z]{1,8}$`), false, nil, `[0-9A-Za-zñ_ ]{0,9}`},
		{"IdCliente", PhaseQuery, regexp.MustCompile(`^[-. ]*[VEJGPvejgp]?([-. ]*[0-9]){5,10}[-. ]*$`), true, integer, `[-. ]?[VEJGPvejgpxñ]?[-. ]?[0-9]{3,11}[-. ]?[0-9]?`},
		{"TelefonoComercio", PhaseQuery, regexp.MustCompile(`^(0[0-9]{10}|(\+|00)?58[0-9]{10})$`), false, integer, `(0|58|0058|\+58|5)?4[0-9]{9}[0-9x]?`},
	}
}

// read parses a body with one field replaced by a JSON value.
func (f *fieldForm) read(t require.TestingT, value string) error {
	body := queryBody(f.name, json.RawMessage(value))
	if f.phase == PhaseNotification {
		body = notifyBody(f.name, json.RawMessage(value))
	}
	o, err := parseObject([]byte(body))
	require.NoError(t, err, body)
	if f.phase == PhaseNotification {
		_, err = readFields(PhaseNotification, o, fixture.Caracas)
	} else {
		_, err = readFields(PhaseQuery, o, fixture.Caracas)
	}
	return err
}

// accepts reports whether a text is in the form.
func (f *fieldForm) accepts(text string, form *regexp.Regexp) bool {
	if form == nil || !form.MatchString(text) {
		return false
	}
	return !f.zero || strings.ContainsAny(text, "123456789")
}

// A required field is read if and only if it has its form, as a text or as a number, and a refusal names it.
func TestRequiredFieldsAreReadByTheirForms(t *testing.T) {
	t.Parallel()
	for _, f := range forms() {
		t.Run(fmt.Sprint(f.phase, " ", f.name), func(t *testing.T) {
			t.Parallel()
			accepted := map[bool]int{}
			rapid.Check(t, func(rt *rapid.T) {
				for _, text := range rapid.SliceOfN(rapid.StringMatching(f.drawn), 8, 8).Draw(rt, "texts") {
					quoted, err := json.Marshal(text)
					require.NoError(rt, err)
					want := f.accepts(text, f.text)
					accepted[want]++
					if err := f.read(rt, string(quoted)); want {
						require.NoError(rt, err, "%q", text)
					} else {
						require.ErrorIs(rt, err, ErrField, "%q", text)
						require.Contains(rt, fmt.Sprint(apperr.From(err).Details), f.name, "%q", text)
					}
					if json.Valid([]byte(text)) && !strings.Contains(text, " ") { // also as a number
						want = f.accepts(text, f.text) && f.accepts(text, f.number)
						require.Equal(rt, want, f.read(rt, text) == nil, "the number %s", text)
					}
				}
			})
			require.Positive(t, accepted[true])
			require.Positive(t, accepted[false])
			for _, value := range []string{`null`, `true`, `false`, `[]`, `{}`, `""`, `" "`, `["1"]`, `1e3`, `1E400`, `-1`, `0.1e1`, `"\u0000"`, `"1\u00002"`} {
				require.ErrorIs(t, f.read(t, value), ErrField, value)
			}
		})
	}
}

// Each field that is declared for a phase is read from its example and stored under its name, and docs/bank.md lists it
// where the bank looks for it.
func TestDeclaredFieldsAreStoredAndDocumented(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/bank.md")
	require.NoError(t, err)
	rows := map[string][]string{} // cells of a row of a table, by its first cell
	for line := range strings.Lines(string(document)) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		rows[strings.TrimSpace(cells[0])] = cells
	}
	for first, cells := range rows {
		for name := range strings.SplitSeq(first, ", ") { // a row of several fields
			rows[name] = cells
		}
	}
	for column, phase := range []Phase{PhaseQuery, PhaseNotification} {
		body, names := map[string]string{}, []string{}
		for _, f := range bankfield.All() {
			name := "`" + f.Name + "`"
			require.Contains(t, rows, name, "docs/bank.md, table of fields")
			switch phase.Use(&f) {
			case bankfield.Absent:
				continue
			case bankfield.Required:
				require.Regexp(t, f.Pattern, f.Example)
				require.Contains(t, rows["asks for"][column+1], name, "docs/bank.md")
			case bankfield.Optional:
				require.Contains(t, rows["may add"][column+1], name, "docs/bank.md")
			}
			body[f.Name], names = f.Example, append(names, f.Name)
		}
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		read, err := readFields(phase, mustParse(t, string(raw)), fixture.Caracas)
		require.NoError(t, err)
		require.ElementsMatch(t, names, slices.Collect(maps.Keys(read.stored)), "all examples are valid")
	}
}

// Digits of other scripts are no digits in any field, although Unicode counts them as such.
func TestDigitsOfOtherScriptsAreRefused(t *testing.T) {
	t.Parallel()
	for _, zero := range []rune{'٠', '۰', '०', '０', '𝟎', '᠐'} {
		other := func(text string) string {
			return strings.Map(func(r rune) rune {
				if '0' <= r && r <= '9' {
					return zero + r - '0'
				}
				return r
			}, text)
		}
		for _, f := range forms() {
			good := map[string]string{
				"Referencia": "1234", "BancoEmisor": "0134", "Monto": "150.00", "CodigoRed": "00", "IdCliente": "V11222333", "TelefonoComercio": "04141112233",
			}[f.name]
			require.NoError(t, f.read(t, `"`+good+`"`))
			require.ErrorIs(t, f.read(t, `"`+other(good)+`"`), ErrField, "%s %s", f.name, other(good))
			mixed := good[:len(good)-1] + other(good[len(good)-1:])
			require.ErrorIs(t, f.read(t, `"`+mixed+`"`), ErrField, "%s %s", f.name, mixed)
		}
		n, err := readFields(PhaseNotification, mustParse(t, notifyBody("FechaHora", other("2026-03-02"), "TelefonoEmisor", other("04149998877"))), fixture.Caracas)
		require.NoError(t, err)
		require.Equal(t, []string{"TelefonoEmisor", "FechaHora"}, n.ignored)
	}
}

// escaped writes a JSON string in which every character is escaped.
func escaped(text string) string {
	var out strings.Builder
	for _, r := range text {
		fmt.Fprintf(&out, `\u%04x`, r)
	}
	return `"` + out.String() + `"`
}

// A notification means the same however its JSON is written: order, blanks, escapes, a byte order mark, further
// fields, and digits as texts or numbers.
func TestANotificationMeansTheSameInEveryWriting(t *testing.T) {
	t.Parallel()
	want, err := readFields(PhaseNotification, mustParse(t, notifyBody(
		"Referencia", "1234567890123456789", "Monto", "150.50", "TelefonoEmisor", "+584149998877", "Concepto", "café", "FechaHora", "2026-03-02T14:05:09",
	)), fixture.Caracas)
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		values := map[string][]string{
			"Referencia":     {`"1234567890123456789"`, `1234567890123456789`, escaped("1234567890123456789")},
			"BancoEmisor":    {`"0134"`, `"134"`, `134`, escaped("0134")},
			"Monto":          {`"150.50"`, `"150.5"`, `150.50`, `150.5`, `"0150.50"`},
			"CodigoRed":      {`"00"`, escaped("00")},
			"TelefonoEmisor": {`"04149998877"`, `"584149998877"`, `584149998877`, `"0414-999.88.77"`, `"(0414) 999 8877"`, `"00584149998877"`, `"+58 414 9998877"`},
			"Concepto":       {`"café"`, `"caf\u00e9"`, `" café "`, "\"caf\xe9\"", `"café\u0000"`},
			"FechaHora":      {`"2026-03-02T14:05:09"`, `"02/03/2026 14:05:09"`, `20260302140509`, `"2026-03-02T18:05:09Z"`, `"2026-03-02T14:05:09.000-04:00"`},
			"Otro":           {`1e400`, `{"Monto":"1"}`, `[[]]`, `null`},
			"IdComercio":     {`null`, `""`},
		}
		blank := func() string { return rapid.SampledFrom([]string{"", " ", "\r\n\t"}).Draw(rt, "blank") }
		names := rapid.Permutation([]string{"Referencia", "BancoEmisor", "Monto", "CodigoRed", "TelefonoEmisor", "Concepto", "FechaHora", "Otro", "IdComercio"}).Draw(rt, "order")
		var members []string
		for _, name := range names {
			key := rapid.SampledFrom([]string{`"` + name + `"`, escaped(name)}).Draw(rt, "key")
			members = append(members, blank()+key+blank()+":"+blank()+rapid.SampledFrom(values[name]).Draw(rt, name)+blank())
		}
		body := rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(rt, "mark") + blank() + "{" + strings.Join(members, ",") + "}" + blank()
		o, err := parseObject([]byte(body))
		require.NoError(rt, err, body)
		got, err := readFields(PhaseNotification, o, fixture.Caracas)
		require.NoError(rt, err, body)
		require.Empty(rt, got.ignored, body)
		require.True(rt, want.instant.Equal(got.instant), body)
		got.instant = want.instant
		require.Equal(rt, want, got, body)
	})
}

// Keys that differ in case are one key twice, in every script and writing, and a body with too many keys is refused.
func TestAKeyGivenTwiceRefusesTheBody(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"Monto", "Monto"}, {"Monto", "MONTO"}, {"Monto", "mOnTo"}, {"Monto", `\u004donto`}, {"CodigoRed", "codigored"}, {"Año", "AÑO"}, {"ſ", "S"}, {"K", "\u212a"}, {"σ", "ς"}, {"", ""},
	} {
		for _, body := range []string{`{"%s":"1","%s":"1"}`, `{"%s":null,"x":{},"%s":"1"}`, `{"%s":{"%[1]s":1},"%s":1}`} {
			_, err := parseObject([]byte(fmt.Sprintf(body, pair[0], pair[1])))
			require.ErrorIs(t, err, ErrMalformed, "%q", pair)
		}
	}
	_, err := parseObject([]byte(`{"Monto":{"Monto":1},"Monto ":1,"Mönto":1,"Monto0":1}`))
	require.NoError(t, err, "inner keys and other names are no duplicates")
	for n, ok := range map[int]bool{maxKeys: true, maxKeys + 1: false} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf(`"k%d":%d`, i, i)
		}
		_, err := parseObject([]byte("{" + strings.Join(keys, ",") + "}"))
		require.Equal(t, ok, err == nil, n)
	}
	_, err = parseObject([]byte(`{"a":` + strings.Repeat("[", MaxBody-6)))
	require.ErrorIs(t, err, ErrMalformed, "deeply nested")
}

// An instant is read as it was written in every documented form, to the second, and its day is in the zone.
func TestInstantsAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		at := time.Unix(rapid.Int64Range(946_785_600, 7_258_000_000).Draw(rt, "second"), 0).In(fixture.Caracas) // years 2000 to 2199
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "02/01/2006 15:04:05", "20060102150405", time.RFC3339} {
			got, err := ParseInstant(at.Format(layout), fixture.Caracas)
			require.NoError(rt, err, layout)
			require.True(rt, at.Equal(got), "%s: %s, %s", layout, at, got)
		}
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(rt, "offset"))
		got, err := ParseInstant(at.In(zone).Format(time.RFC3339), fixture.Caracas)
		require.NoError(rt, err)
		require.True(rt, at.Equal(got), "an offset counts")
		for _, layout := range []string{time.DateOnly, "02/01/2006", "02-01-2006", "20060102"} {
			got, err := ParseInstant(at.Format(layout), fixture.Caracas)
			require.NoError(rt, err, layout)
			require.Equal(rt, businessday.Of(at, fixture.Caracas), businessday.Of(got, fixture.Caracas), layout)
		}
	})
}
