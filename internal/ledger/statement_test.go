package ledger_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// historyModel has the postings of each wallet, in plain Go.
type historyModel struct {
	*books
	posted [][]ledger.Entry // by wallet; each has its place and amount
}

// step posts a transaction between two wallets at a time of some day. A locked wallet gets a direct posting.
func (m *historyModel) step(tb testing.TB, t *rapid.T) {
	tb.Helper()
	at := businessday.Date(2026, 11, rapid.IntRange(18, 22).Draw(t, "day")).At(rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 2).Draw(t, "minute"), time.UTC)
	from := rapid.IntRange(0, len(m.wallets)-1).Draw(t, "from")
	to := (from + rapid.IntRange(1, len(m.wallets)-1).Draw(t, "to")) % len(m.wallets)
	amount := money.Amount(rapid.IntRange(1, 500).Draw(t, "amount"))
	tx := m.transfer(map[int]money.Amount{from: -amount, to: amount})
	tx.Type, tx.At = rapid.SampledFrom([]string{"commission", "sale", "deposit"}).Draw(t, "type"), at
	locked := []int{from}
	if rapid.Bool().Draw(t, "lock both") {
		locked = append(locked, to)
	}
	require.NoError(tb, m.post(tb.Context(), locked, tx))
	for wallet, signed := range map[int]money.Amount{from: -amount, to: amount} {
		e := ledger.Entry{Amount: signed, Transactions: 1, Place: ledger.Place{Day: businessday.Of(at, time.UTC), Type: tx.Type}}
		if slices.Contains(locked, wallet) {
			e.Time, e.TransactionID = at, tx.ID
		}
		m.add(wallet, &e)
	}
}

// add adds an entry, or its amount to the sum of its day and type.
func (m *historyModel) add(wallet int, e *ledger.Entry) {
	for i := range m.posted[wallet] {
		if have := &m.posted[wallet][i]; e.IsSum() && have.Place == e.Place {
			have.Amount += e.Amount
			have.Transactions++
			return
		}
	}
	m.posted[wallet] = append(m.posted[wallet], *e)
}

// statement returns the entries of a wallet, newest first, with their balances.
func (m *historyModel) statement(wallet int) []ledger.Entry {
	list := slices.Clone(m.posted[wallet])
	slices.SortFunc(list, func(a, b ledger.Entry) int {
		return cmp.Or(a.Day.Compare(b.Day), sumsLast(a)-sumsLast(b), a.Time.Compare(b.Time), bytes.Compare(a.TransactionID[:], b.TransactionID[:]), cmp.Compare(a.Type, b.Type))
	})
	var balance money.Amount
	for i := range list {
		balance += list[i].Amount
		list[i].Balance = balance
	}
	slices.Reverse(list)
	return list
}

func sumsLast(e ledger.Entry) int {
	if e.IsSum() {
		return 1
	}
	return 0
}

// requireStatement reads the statement of a wallet in pages and compares it with the model.
func (m *historyModel) requireStatement(tb testing.TB, t *rapid.T, wallet int) {
	tb.Helper()
	want := m.statement(wallet)
	f := ledger.StatementFilter{Limit: rapid.IntRange(1, 5).Draw(t, "page")}
	if rapid.Bool().Draw(t, "bounded") {
		f.From, f.To = businessday.Date(2026, 11, rapid.IntRange(17, 20).Draw(t, "from day")), businessday.Date(2026, 11, rapid.IntRange(19, 23).Draw(t, "to day"))
		want = slices.DeleteFunc(want, func(e ledger.Entry) bool { return e.Day.Before(f.From) || e.Day.After(f.To) })
	}
	var got []ledger.Entry
	for {
		page, err := m.Statement(tb.Context(), m.by, m.wallets[wallet], &f)
		require.NoError(tb, err)
		require.LessOrEqual(tb, len(page.Entries), f.Limit)
		got = append(got, page.Entries...)
		if !page.More {
			break
		}
		f.Before, err = m.PlaceOf(got[len(got)-1].Cursor())
		require.NoError(tb, err)
	}
	require.Len(tb, got, len(want))
	for i := range got {
		require.Equal(tb, want[i].Place, got[i].Place, "entry %d", i)
		require.Equal(tb, want[i].Amount, got[i].Amount, "entry %d", i)
		require.Equal(tb, want[i].Balance, got[i].Balance, "entry %d", i)
		require.Equal(tb, want[i].Transactions, got[i].Transactions, "entry %d", i)
	}
}

// requireBalance compares the balance of a wallet at an instant with the model.
func (m *historyModel) requireBalance(tb testing.TB, t *rapid.T, wallet int) {
	tb.Helper()
	at := businessday.Date(2026, 11, rapid.IntRange(17, 23).Draw(t, "at day")).At(rapid.IntRange(0, 24).Draw(t, "at hour"), rapid.IntRange(0, 2).Draw(t, "at minute"), time.UTC)
	var want money.Amount
	rows, err := m.pg.Pool.Query(tb.Context(), `SELECT p.amount, t.created_at FROM postings p JOIN transactions t ON t.id = p.transaction_id WHERE p.wallet_id = $1`, m.wallets[wallet])
	require.NoError(tb, err)
	for rows.Next() {
		var amount money.Amount
		var created time.Time
		require.NoError(tb, rows.Scan(&amount, &created))
		if !created.After(at) {
			want += amount
		}
	}
	require.NoError(tb, rows.Err())
	got, err := m.Wallet(tb.Context(), m.by, m.wallets[wallet], at)
	require.NoError(tb, err)
	require.Equal(tb, want, got.Balance, "at %s", at)
}

// For any postings and any counting of days in between, statements and balances equal a sum over all postings.
func TestStatementsAndBalancesOfThePast(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	rapid.Check(t, func(rt *rapid.T) {
		b.open(t, 3)
		m := &historyModel{books: b, posted: make([][]ledger.Entry, len(b.wallets))}
		rt.Repeat(map[string]func(*rapid.T){
			"post":    func(rt *rapid.T) { m.step(t, rt) },
			"count":   func(rt *rapid.T) { require.NoError(t, m.CountDays(t.Context())) },
			"rebuild": func(rt *rapid.T) { require.NoError(t, m.RebuildDays(t.Context())) },
		})
		for wallet := range m.wallets {
			m.requireStatement(t, rt, wallet)
			m.requireBalance(t, rt, wallet)
		}
		m.requireSound(t)
	})
}

func TestStatementOfAnUnknownWallet(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	_, err := b.Statement(t.Context(), b.by, uuid.New(), &ledger.StatementFilter{Limit: 10})
	require.ErrorIs(t, err, ledger.ErrWalletUnknown)
	other := b.by
	other.Scope = setup(t, 1).by.Scope
	_, err = b.Statement(t.Context(), other, b.wallets[0], &ledger.StatementFilter{Limit: 10})
	require.ErrorIs(t, err, ledger.ErrWalletUnknown, "outside of the scope")
}

func TestCursorsOfNoStatement(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	for _, text := range []string{"", "_", "x", "2026-11-20", "2026-11-20_", "2026-13-20_sale", "2026-11-20T10:00:00Z_x", "2026-11-20T10:00:00Z_" + uuid.Nil.String(), "_sale"} {
		_, err := b.PlaceOf(text)
		require.ErrorIs(t, err, ledger.ErrInvalidCursor, "%q", text)
	}
}
