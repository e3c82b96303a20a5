package bank

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// The forms of a credit: digits, or groups of three digits with one separator, and up to two decimals behind another
// one.
var amountForms = []*regexp.Regexp{ //nolint:gochecknoglobals // a constant
	regexp.MustCompile(`^(\d+)(?:[.,](\d{0,2}))?$`),
	regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+)(?:,(\d{0,2}))?$`),
	regexp.MustCompile(`^(\d{1,3}(?:,\d{3})+)(?:\.(\d{0,2}))?$`),
}

// amountOf returns the amount of a text in céntimos by the forms, and reports whether it has one of them.
func amountOf(text string) (money.Amount, bool) {
	for _, form := range amountForms {
		m := form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		whole := strings.NewReplacer(".", "", ",", "").Replace(m[1])
		n, err := strconv.ParseInt(whole+(m[2] + "00")[:2], 10, 64)
		if err != nil || money.Amount(n) > money.MaxAmount {
			return 0, false
		}
		return money.Amount(n), true
	}
	return 0, false
}

// The amount of a credit is read in the forms of banks only, and never a thousand times too large: three decimals are
// no group of thousands.
func TestAmountsOfStatementsAreReadByTheirForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Amount{
		"1234.5": 123450, "12.345,6": 1234560, "12,345.6": 1234560, "1.234.567": 123456700, "1,234,567.89": 123456789, "5.": 500, "5,": 500, "007": 700,
		"1 234 567,89": 123456789, "999.999.999.999.999": 0,
	} {
		got, ok := statementAmount(text)
		require.Equal(t, want != 0, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"1234.567", "1,234.567", "1.234,567", "1,234,56", "1.234.56", ",234", ".234", "1..234", "1.,5", ",", ".", "..", ",5", "(5.00)", "5-", "$5", "5 Bs", "٥", "５", "1e3", "0x1", "1'234", "NaN",
	} {
		_, ok := statementAmount(text)
		require.False(t, ok, text)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[0-9]{0,4}([.,]?[0-9]{1,4}){0,3}[.,]?[0-9]{0,3}`).Draw(rt, "text")
		want, formed := amountOf(text)
		got, ok := statementAmount(text)
		require.Equal(rt, formed || text == "", ok, "%q is %d", text, got)
		require.Equal(rt, want, got, "%q", text)
	})
}

// The days of a statement are in the business zone, also for lines with an instant.
func TestTheDaysOfAStatementAreThoseOfTheBusinessZone(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"2026-03-02": "2026-03-02", "02/03/2026": "2026-03-02", "02-03-2026": "2026-03-02", "20260302": "2026-03-02", "02/03/2026 23:59": "2026-03-02",
		"2026-03-02T23:30:00": "2026-03-02", "2026-03-02T23:30:00-04:00": "2026-03-02", "2026-03-03T03:30:00Z": "2026-03-02", "2026-03-03T04:00:00Z": "2026-03-03",
	} {
		lines, _, err := parseStatement([]byte("date,reference,amount\n"+date+",1,1\n"), fixture.Caracas)
		require.NoError(t, err, date)
		require.Equal(t, want, lines[0].date.String(), date)
	}
	b := setup(t)
	st, err := b.ImportStatement(t.Context(), b.admin, []byte("date,reference,amount\n2026-03-02T23:30:00-04:00,1,1\n2026-03-02T00:30:00-04:00,2,1\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"2026-03-02", "2026-03-02"}, []string{st.From.String(), st.To.String()})
}

// Whatever the order of columns, quotes, separators, line ends and further columns of a file, its credits are read as
// they were written, with their lines.
func TestStatementsAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		columns := rapid.Permutation([]string{"fecha", "referencia", "monto", "banco", "detalle"}).Draw(rt, "columns")
		comma := rapid.SampledFrom([]rune{',', ';'}).Draw(rt, "separator")
		raw := &bytes.Buffer{}
		w := csv.NewWriter(raw)
		w.Comma, w.UseCRLF = comma, rapid.Bool().Draw(rt, "CRLF")
		require.NoError(rt, w.Write(columns))
		var want []statementLine
		debits := 0
		for number := range rapid.IntRange(1, 6).Draw(rt, "lines") {
			line := statementLine{
				number: number + 2, date: businessday.Date(2026, time.March, rapid.IntRange(1, 31).Draw(rt, "day")), bank: rapid.SampledFrom([]string{"", "0134"}).Draw(rt, "bank"),
				reference: rapid.StringMatching(`[0-9]{1,36}`).Draw(rt, "reference"), amount: money.Amount(rapid.IntRange(1, 1_000_000_00).Draw(rt, "amount")),
			}
			amount := line.amount.Format(AmountDigits)
			if rapid.IntRange(0, 3).Draw(rt, "debit") == 0 {
				amount = "-" + amount
				debits++
			} else {
				want = append(want, line)
			}
			cells := map[string]string{
				"fecha": line.date.String(), "referencia": line.reference, "monto": amount, "banco": strings.TrimPrefix(line.bank, "0"),
				"detalle": rapid.SampledFrom([]string{"", `dijo "sí"`, "a;b,c", "señal"}).Draw(rt, "detail"),
			}
			record := make([]string, len(columns))
			for i, name := range columns {
				record[i] = cells[name]
			}
			require.NoError(rt, w.Write(record))
		}
		w.Flush()
		lines, skipped, err := parseStatement(raw.Bytes(), fixture.Caracas)
		require.NoError(rt, err, raw.String())
		require.Equal(rt, want, lines, raw.String())
		require.Equal(rt, debits, skipped)
	})
}

// A line that cannot be read refuses the whole file and is named, whatever is wrong with it.
func TestABadLineRefusesTheStatement(t *testing.T) {
	t.Parallel()
	const good = "2026-03-02,1234,1.00,0134\n"
	for line, field := range map[string]string{
		"2026-03-02,1234,1.00,01345\n": "bank", "2026-03-02,1234,1.00,BNC\n": "bank", "2026-03-02,1234,1.000.00,0134\n": "amount", "2026-03-02,1234,x,0134\n": "amount",
		"2026-02-30,1234,1.00,0134\n": "date", ",1234,1.00,0134\n": "date", "1999-12-31,1234,1.00,0134\n": "date", "2026-03-02,,1.00,0134\n": "reference",
		"2026-03-02,1.2E+11,1.00,0134\n": "reference", "2026-03-02,-1234,1.00,0134\n": "reference", "2026-03-02,١٢٣,1.00,0134\n": "reference",
		"2026-03-02," + strings.Repeat("9", 37) + ",1.00,0134\n": "reference",
	} {
		_, _, err := parseStatement([]byte("date,reference,amount,bank\n"+good+line+good), fixture.Caracas)
		require.ErrorIs(t, err, ErrStatement, line)
		want := apperr.Detail{Location: "line 3", Message: apperr.Message("has no valid " + field)}
		require.Equal(t, []apperr.Detail{want}, apperr.From(err).Details, line)
		require.NotContains(t, fmt.Sprint(apperr.From(err).Details), "9999", "a sent value is not repeated")
	}
}
