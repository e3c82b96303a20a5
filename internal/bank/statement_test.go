package bank

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

func TestStatementAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Amount{
		"150.00": 15000, "150,00": 15000, "1.234,56": 123456, "1,234.56": 123456, "1.234": 123400, "1 234,5": 123450, "+7": 700, "0,00": 0, "": 0, "-5,00": 0,
	} {
		got, ok := statementAmount(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"abc", "1e9", "1,2,x", "1,2,3", "12.34,567", "1.23.456,00"} {
		_, ok := statementAmount(text)
		require.False(t, ok, text)
	}
}

// Both sides' differences, found again whenever they are asked for.
func TestStatementShowsWhatOnlyOneSideHas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	require.True(t, b.notify(t))
	require.False(t, b.notify(t, "Referencia", "777777"))
	csv := "\xef\xbb\xbfFecha;Referencia;Monto;Banco\n02/03/2026;12345678;150,00;0134\n03/03/2026;555555;1.000,00;\n02/03/2026;1;-20,00;\n"
	st, err := b.ImportStatement(t.Context(), b.admin, []byte(csv))
	require.NoError(t, err)
	require.Equal(t, []int64{2, 1, 1, 1, 1}, []int64{int64(st.Lines), int64(st.Skipped), st.Matched, st.MissingHere, st.MissingBank})
	_, err = b.ImportStatement(t.Context(), b.admin, []byte(csv))
	require.ErrorIs(t, err, ErrStatementKnown)
	here, total, err := b.Differences(t.Context(), b.admin, st.ID, SideBank, 10, 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.Equal(t, "555555", here[0].Reference)
	require.Equal(t, 3, here[0].LineNo)
	require.EqualValues(t, 1_000_00, here[0].Amount)
	there, total, err := b.Differences(t.Context(), b.admin, st.ID, SideBanca, 10, 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.Equal(t, "777777", there[0].Reference)
	_, _, err = b.Refund(t.Context(), b.admin, &Resolution{PaymentID: there[0].PaymentID, Note: "x"})
	require.NoError(t, err)
	list, _, err := b.Statements(t.Context(), b.admin, 10, 0)
	require.NoError(t, err)
	require.Zero(t, list[0].MissingBank, "given back: not expected on the account")
	for _, bad := range []string{"", "a,b\n1,2\n", "date,reference,amount\n", "date,reference,amount\nx,1,1\n", "date,reference,amount\n2026-01-01,x,1\n", strings.Repeat("\"", 3)} {
		_, err := b.ImportStatement(t.Context(), b.admin, []byte(bad))
		require.ErrorIs(t, err, ErrStatement, bad)
	}
}

// Errors name lines as an editor counts them, blank ones included, and columns are not confused.
func TestStatementNamesItsLines(t *testing.T) {
	t.Parallel()
	lines, _, err := parseStatement([]byte("date,reference,amount\r\n\r\n2026-01-01,1234,1.00\r\n"), fixture.Caracas)
	require.NoError(t, err)
	require.Equal(t, 3, lines[0].number)
	lines, _, err = parseStatement([]byte("fecha;descripci\xf3n;referencia;cr\xe9dito\n01/01/2026;se\xf1a;1234;1,00\n"), fixture.Caracas)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	for text, want := range map[string]apperr.Detail{
		"date,reference,amount\n\n2026-01-01,x,1\n":                                            {Location: "line 3", Message: "has no valid reference"},
		"date,reference,amount\n\n2026-01-01,1234\n":                                           {Location: "line 3", Message: "cannot be read"},
		"fecha,referencia,monto,abono\n2026-01-01,1234,5.00,7.00\n":                            {Location: "heading", Message: "has two columns amount"},
		"date,reference,amount\n" + strings.Repeat("2026-01-01,1234,1\n", maxStatementLines+1): {Location: "line 50002", Message: "cannot be read"},
	} {
		_, _, err := parseStatement([]byte(text), fixture.Caracas)
		require.ErrorIs(t, err, ErrStatement)
		require.Equal(t, []apperr.Detail{want}, apperr.From(err).Details)
	}
}

func FuzzParseStatement(f *testing.F) {
	f.Add([]byte("date,reference,amount,bank\n2026-01-01,1234,1.00,0134\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		lines, _, err := parseStatement(raw, fixture.Caracas)
		for _, l := range lines {
			if err != nil || l.amount <= 0 || l.reference == "" || !isDigits(l.reference) || l.date.IsZero() {
				t.Fatalf("%q: %+v, %v", raw, l, err)
			}
		}
	})
}

func TestTrimKeepsThePayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t, "TelefonoEmisor", "04149998877"))
	p := b.onlyPayment(t)
	e := b.lastEvent(t)
	require.NotEmpty(t, e.Raw)
	require.NotEmpty(t, e.Phone)
	b.Clock.Advance(25 * time.Hour)
	_, err := b.Trim(t.Context())
	require.NoError(t, err)
	e, err = b.event(t.Context(), e.ID)
	require.NoError(t, err)
	require.Nil(t, e.Raw)
	require.Nil(t, e.Fields)
	require.Empty(t, e.Phone)
	require.Equal(t, OutcomeUnmatched, e.Outcome)
	require.False(t, b.notify(t, "Referencia", "424242", "Concepto", "secret"))
	recent := b.lastEvent(t)
	require.NoError(t, b.EraseEvent(t.Context(), b.admin, recent.ID))
	trace, err := b.Trace(t.Context(), b.admin, recent.ID)
	require.NoError(t, err)
	require.Nil(t, trace.Event.Raw)
	require.NotNil(t, trace.Payment)
	b.Clock.Advance(31 * 24 * time.Hour)
	_, err = b.Trim(t.Context())
	require.NoError(t, err)
	require.Zero(t, b.count(t, "bank_events", "true"))
	_, err = b.Payment(t.Context(), b.admin, p.ID)
	require.NoError(t, err)
	_, err = b.Trace(t.Context(), b.admin, recent.ID)
	require.ErrorIs(t, err, ErrEventNotFound)
}

func TestEventSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, reference := range []string{"1111", "2222", "3333"} {
		require.False(t, b.notify(t, "Referencia", reference, "TelefonoEmisor", "0414000000"+reference[:1], "BancoEmisor", []string{"0102", "0134", "0134"}[i]))
		b.Clock.Advance(12 * time.Hour)
	}
	found := func(f EventFilter) (list []string) {
		f.Limit = 10
		events, total, err := b.Events(t.Context(), b.admin, &f)
		require.NoError(t, err)
		require.Len(t, events, int(total))
		for _, e := range events {
			require.Nil(t, e.Raw, "lists carry no bodies")
			list = append(list, e.Reference)
		}
		return list
	}
	require.Equal(t, []string{"3333", "2222", "1111"}, found(EventFilter{}))
	require.Equal(t, []string{"2222"}, found(EventFilter{Reference: "2222"}))
	require.Equal(t, []string{"1111"}, found(EventFilter{Phone: SearchPhone("04140000001")}))
	require.Equal(t, []string{"3333", "2222"}, found(EventFilter{Bank: "0134"}))
	require.Equal(t, []string{"2222", "1111"}, found(EventFilter{Date: businessday.Date(2026, time.March, 2)}))
	require.Empty(t, found(EventFilter{Phase: PhaseQuery}))
}

// The comparison of a statement reads the payments of its days by their index.
func TestAStatementReadsThePaymentsOfItsDays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tx, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), `SET LOCAL enable_seqscan = off`)
	require.NoError(t, err)
	for side, bound := range map[string]string{missingHere: "$0", missingBank: "st.from_date"} { // not of each line
		rows, err := tx.Query(t.Context(), `EXPLAIN SELECT count(*) `+side, uuid.New())
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.Contains(t, strings.Join(plan, "\n"), "Index Cond: ((local_date >= "+bound, side)
	}
}
