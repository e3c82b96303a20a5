package bank

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
)

// credit is a line of a statement or a payment, as the comparison sees it.
type credit struct {
	day       int
	bank      string // "" if the statement does not name it
	reference string
	amount    money.Amount
	state     string // of a payment
}

// same reports whether a line of a statement is a payment: equal amount, reference without leading zeros and, if named, bank,
// and a day's difference at most.
func (c *credit) same(p *credit) bool {
	apart := c.day - p.day
	return c.amount == p.amount && strings.TrimLeft(c.reference, "0") == strings.TrimLeft(p.reference, "0") && (c.bank == "" || c.bank == p.bank) &&
		-1 <= apart && apart <= 1
}

func randomCredit(rnd *rand.Rand, banks ...string) *credit {
	return &credit{
		day: 10 + rnd.IntN(5), bank: pick(rnd, banks...), reference: pick(rnd, "7", "07", "0007", "70", "8"), amount: pick[money.Amount](rnd, 100, 123_450),
	}
}

// Random statements are compared with random payments as plain Go compares them, whatever the form of the file.
func TestStatementsAreComparedLikeTheirModel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	number := rand.Uint64()
	t.Log("seed", number)
	rnd := rand.New(rand.NewPCG(number, 0))
	for range 12 {
		b.Exec(t, `DELETE FROM bank_payments`)
		var payments, lines []*credit
		for range 12 {
			p := randomCredit(rnd, "0134", "0102")
			p.state = pick(rnd, models.PaymentUnmatched, models.PaymentUnmatched, models.PaymentRefunded, models.PaymentConflict)
			if _, err := b.PG.Pool.Exec(t.Context(), `INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, reason, answer, event_id, received_at)
				VALUES ($1, $2, $3, $4, $5, (SELECT id FROM currencies WHERE code = 'VES'), $6, 'no_request', false, $1, $7)`,
				uuid.New(), p.bank, p.reference, fmt.Sprintf("2026-03-%02d", p.day), int64(p.amount), p.state, b.Clock.Now()); err == nil {
				payments = append(payments, p)
			}
		}
		require.NotEmpty(t, payments)
		for range 1 + rnd.IntN(8) {
			lines = append(lines, randomCredit(rnd, "", "0134", "0102"))
		}
		st, err := b.ImportStatement(t.Context(), b.admin, statementFile(rnd, lines))
		require.NoError(t, err)
		here, there := missing(lines, payments)
		require.EqualValues(t, len(here), st.MissingHere)
		require.EqualValues(t, len(there), st.MissingBank)
		require.EqualValues(t, len(lines)-len(here), st.Matched)
		require.Equal(t, []int{len(lines), 1}, []int{st.Lines, st.Skipped})
		require.ElementsMatch(t, here, shown(t, b, st.ID, SideBank))
		require.ElementsMatch(t, there, shown(t, b, st.ID, SideBanca))
	}
}

// missing returns the lines without a payment, and the payments within the statement's days without a line.
func missing(lines, payments []*credit) (here, there []string) {
	first, last := lines[0].day, lines[0].day
	for _, l := range lines {
		first, last = min(first, l.day), max(last, l.day)
		if !slices.ContainsFunc(payments, func(p *credit) bool { return p.state != models.PaymentRefunded && l.same(p) }) {
			here = append(here, l.String())
		}
	}
	for _, p := range payments {
		expected := p.state != models.PaymentRefunded && p.state != models.PaymentConflict && first <= p.day && p.day <= last
		if expected && !slices.ContainsFunc(lines, func(l *credit) bool { return l.same(p) }) {
			there = append(there, p.String())
		}
	}
	return here, there
}

func (c *credit) String() string {
	return fmt.Sprintf("2026-03-%02d %s %s %s", c.day, c.bank, c.reference, c.amount.Format(AmountDigits))
}

// shown lists the differences of a side, read in pages of two.
func shown(t *testing.T, b *bundle, statement uuid.UUID, side string) (list []string) {
	t.Helper()
	for {
		page, total, err := b.Differences(t.Context(), b.admin, statement, side, 2, len(list))
		require.NoError(t, err)
		for _, d := range page {
			require.Equal(t, side == SideBanca, d.PaymentID != uuid.Nil)
			list = append(list, fmt.Sprintf("%s %s %s %s", d.Date, d.Bank, d.Reference, d.Amount.Format(AmountDigits)))
		}
		if len(page) == 0 {
			require.EqualValues(t, len(list), total)
			return list
		}
	}
}

// statementFile writes a statement with a debit in one of the forms of banks.
func statementFile(rnd *rand.Rand, lines []*credit) []byte {
	heading, separator, date, amounts := "Date,Reference,Amount,Bank", ",", time.DateOnly, map[money.Amount]string{100: "1.00", 123_450: `"1,234.50"`}
	if rnd.IntN(2) == 0 {
		heading, separator, date, amounts = " Banco ;FECHA;Crédito;Referencia", ";", "02/01/2006", map[money.Amount]string{100: "1", 123_450: "1.234,50"}
	}
	text := heading + "\n"
	row := func(c *credit, amount string) {
		day := businessday.Of(time.Date(2026, 3, c.day, 12, 0, 0, 0, time.UTC), time.UTC).At(0, 0, time.UTC).Format(date)
		cells := []string{day, c.reference, amount, c.bank}
		if separator == ";" {
			cells = []string{c.bank, day, amount, c.reference}
		}
		text += strings.Join(cells, separator) + "\n"
	}
	row(&credit{day: 28, reference: strconv.FormatUint(rnd.Uint64(), 10)}, "-5") // also makes the file differ from others
	for _, l := range lines {
		row(l, amounts[l.amount])
	}
	if rnd.IntN(2) == 0 {
		return []byte(strings.ReplaceAll(text, "é", "\xe9")) // Latin-1
	}
	return []byte("\xef\xbb\xbf" + text)
}
