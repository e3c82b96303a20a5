package ledger

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/storage"
)

// Entry is a line of a wallet's statement: one transaction, or the sum of a day's transactions of one type. The
// commissions of an entity on the sales below it, and the operator's side of all transactions, are summed.
type Entry struct {
	Place

	Amount       money.Amount // posted on the wallet
	Balance      money.Amount // after the entry
	Transactions int64        // 1, or the number that is summed

	// Of one transaction only.
	EntityID   uuid.UUID // whose business it is
	TicketID   uuid.UUID // Nil if it is about no ticket
	ReversesID uuid.UUID // Nil if it reverses none
	UserID     uuid.UUID // Nil if a task did it
	Reference  string
	Movement   string // its kind, if a person made it on this wallet
	Note       string // of the movement
	Reversed   bool   // another transaction reverses it
}

// Concept says what an entry is: the kind of its movement, its type, or "reversal." and the type of what it reverses.
func (e *Entry) Concept() string {
	switch {
	case e.ReversesID != uuid.Nil:
		return "reversal." + e.Type
	case e.Movement != "":
		return e.Movement
	default:
		return e.Type
	}
}

// StatementFilter selects entries of a statement. A zero day does not bound it.
type StatementFilter struct {
	From, To businessday.Day // both included
	Before   *Place          // only entries before this one; nil for the newest
	Limit    int
}

// Statement is a part of a wallet's history.
type Statement struct {
	Wallet  Wallet
	Entries []Entry // newest first
	More    bool    // there are earlier entries

	KeptFrom businessday.Day // the first day in the tables, earlier ones are archived; zero if none are
}

// Statement returns entries of a wallet in the caller's scope, newest first, each with the balance after it. Errors:
// ErrWalletUnknown, months.ErrPeriodArchived.
func (s *Service) Statement(
	ctx context.Context, by caller.Caller, wallet uuid.UUID, f *StatementFilter,
) (st Statement, err error) {
	err = s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		w, err := walletInScope(ctx, tx, by, wallet)
		if err != nil {
			return err
		}
		st, err = s.statement(ctx, tx, wallet, *f)
		st.Wallet = w
		return err
	})
	return st, err
}

// keptPart bounds a filter to the days that are in the tables, and returns the first of them. Errors:
// months.ErrPeriodArchived.
func (s *Service) keptPart(ctx context.Context, tx pgx.Tx, f *StatementFilter) (kept businessday.Day, err error) {
	if !f.From.IsZero() {
		from, _ := f.From.Bounds(s.options.Zone)
		var before time.Time
		if !f.To.IsZero() {
			_, before = f.To.Bounds(s.options.Zone)
		}
		return kept, months.RequireKept(ctx, tx, from, before)
	}
	if kept, err = months.KeptFrom(ctx, tx); err == nil {
		f.From = kept
	}
	return kept, err
}

// entriesPage is how many entries Entries reads at once.
const entriesPage = 1_000

// Entries returns all entries of a filter, newest first, each with the balance after it. They are read in pages of
// one snapshot, so that entries which are posted meanwhile change none. Errors: ErrWalletUnknown,
// months.ErrPeriodArchived.
func (s *Service) Entries(
	ctx context.Context, by caller.Caller, wallet uuid.UUID, all StatementFilter,
) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f := all
		f.Limit = entriesPage
		storage.Paged(ctx, s.pg, func(tx pgx.Tx) ([]Entry, bool, error) {
			if _, err := walletInScope(ctx, tx, by, wallet); err != nil {
				return nil, false, err
			}
			st, err := s.statement(ctx, tx, wallet, f)
			if n := len(st.Entries); n > 0 {
				f.Before = &st.Entries[n-1].Place
			}
			return st.Entries, st.More, err
		})(yield)
	}
}

// statement returns a part of the history of a wallet, without the wallet. tx sees one snapshot. Errors:
// months.ErrPeriodArchived.
func (s *Service) statement(
	ctx context.Context, tx pgx.Tx, wallet uuid.UUID, f StatementFilter,
) (st Statement, err error) {
	if st.KeptFrom, err = s.keptPart(ctx, tx, &f); err != nil {
		return st, err
	}
	counted, err := feed.PositionOf(ctx, tx, daysFeed)
	if err != nil {
		return st, err
	}
	list, err := s.singleEntries(ctx, tx, wallet, &f)
	if err != nil {
		return st, err
	}
	sums, err := s.daySums(ctx, tx, wallet, &f, counted)
	if err != nil {
		return st, err
	}
	list = append(list, sums...)
	slices.SortFunc(list, func(a, b Entry) int { return b.compare(a.Place) })
	if st.More = len(list) > f.Limit; st.More {
		list = list[:f.Limit]
	}
	if len(list) == 0 {
		return st, nil
	}
	balance, err := s.balanceAfter(ctx, tx, wallet, list[0].Place, counted)
	if err != nil {
		return st, err
	}
	for i := range list {
		list[i].Balance = balance
		balance -= list[i].Amount
	}
	st.Entries = list
	return st, nil
}

// singleEntries returns at most one entry more than the filter's limit.
func (s *Service) singleEntries(ctx context.Context, tx pgx.Tx, wallet uuid.UUID, f *StatementFilter) ([]Entry, error) {
	w := &storage.Where{}
	w.And(`p.wallet_id = ` + w.Arg(wallet) + ` AND p.direct`)
	if !f.From.IsZero() {
		from, _ := f.From.Bounds(s.options.Zone)
		w.And(`p.created_at >= ` + w.Arg(from))
	}
	if !f.To.IsZero() {
		_, end := f.To.Bounds(s.options.Zone)
		w.And(`p.created_at < ` + w.Arg(end))
	}
	switch b := f.Before; {
	case b == nil:
	case b.IsSum():
		_, end := b.Day.Bounds(s.options.Zone)
		w.And(`p.created_at < ` + w.Arg(end))
	default:
		w.And(`(p.created_at, p.transaction_id) < (` + w.Arg(b.Time) + `, ` + w.Arg(b.TransactionID) + `)`)
	}
	var list []Entry
	e := Entry{Transactions: 1}
	var ticket, reverses, user uuid.NullUUID
	into := []any{
		&e.TransactionID, &e.Type, &e.Time, &e.Amount, &e.EntityID, &ticket, &reverses, &user, &e.Reference,
		&e.Movement, &e.Note, &e.Reversed,
	}
	err := storage.Each(ctx, tx, "statement", into, func() error {
		e.Time, e.Day = e.Time.UTC(), businessday.Of(e.Time, s.options.Zone)
		e.TicketID, e.ReversesID, e.UserID = ticket.UUID, reverses.UUID, user.UUID
		list = append(list, e)
		return nil
	}, `SELECT p.transaction_id, t.type, p.created_at, p.amount, t.entity_id, t.ticket_id, t.reverses_id, t.user_id, t.reference,
			coalesce(m.kind, ''), coalesce(m.note, ''),
			EXISTS (SELECT FROM transaction_reversals r WHERE r.reverses_id = t.id)
		FROM postings p JOIN transactions t ON t.id = p.transaction_id
			LEFT JOIN wallet_movements m ON m.transaction_id = p.transaction_id AND m.wallet_id = p.wallet_id `+w.SQL()+`
		ORDER BY p.created_at DESC, p.transaction_id DESC LIMIT `+w.Arg(f.Limit+1), w.Args()...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// daySums returns the sums of the filter's days, at most one more than its limit.
func (s *Service) daySums(
	ctx context.Context, tx pgx.Tx, wallet uuid.UUID, f *StatementFilter, counted feed.Position,
) ([]Entry, error) {
	w := &storage.Where{}
	from := s.sums(w, wallet, counted)
	if !f.From.IsZero() {
		w.And(`day >= ` + w.Arg(f.From))
	}
	if !f.To.IsZero() {
		w.And(`day <= ` + w.Arg(f.To))
	}
	switch b := f.Before; {
	case b == nil:
	case b.IsSum():
		w.And(`(day, type) < (` + w.Arg(b.Day) + `, ` + w.Arg(b.Type) + `)`)
	default:
		w.And(`day < ` + w.Arg(b.Day))
	}
	var list []Entry
	var e Entry
	err := storage.Each(ctx, tx, "statement", []any{&e.Day, &e.Type, &e.Amount, &e.Transactions}, func() error {
		list = append(list, e)
		return nil
	}, `SELECT day, type, sum(amount)::bigint, sum(postings)::bigint `+from+w.SQL()+
		` GROUP BY day, type ORDER BY day DESC, type DESC LIMIT `+w.Arg(f.Limit+1), w.Args()...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// sums returns a FROM clause with the columns day, type, amount and postings: the sums of wallet_days, and the
// postings since.
func (s *Service) sums(w *storage.Where, wallet uuid.UUID, counted feed.Position) string {
	id := w.Arg(wallet)
	return `FROM (
			SELECT day, type, amount, postings FROM wallet_days WHERE wallet_id = ` + id + ` AND NOT direct
			UNION ALL
			SELECT (t.created_at AT TIME ZONE ` + w.Arg(s.options.Zone.String()) + `)::date, t.type, p.amount, 1 FROM transactions t JOIN postings p ON p.transaction_id = t.id
			WHERE t.xid >= ` + w.Arg(counted.Xid) + ` AND p.wallet_id = ` + id + ` AND NOT p.direct
		) sums`
}

// balanceAfter returns the balance of a wallet after the entry at a place.
func (s *Service) balanceAfter(
	ctx context.Context, tx pgx.Tx, wallet uuid.UUID, place Place, counted feed.Position,
) (money.Amount, error) {
	balance, err := s.balanceBefore(ctx, tx, wallet, place.Day, counted)
	if err != nil {
		return 0, err
	}
	from, end := place.Day.Bounds(s.options.Zone)
	at, id := place.Time, place.TransactionID
	if place.IsSum() {
		at = end // all transactions of a day are before its sums
	}
	var single, summed money.Amount
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(amount), 0) FROM postings WHERE wallet_id = $1 AND direct
		AND created_at >= $2 AND (created_at, transaction_id) <= ($3, $4) AND created_at < $5`, wallet, from, at, id, end).Scan(&single)
	if err != nil {
		return 0, fmt.Errorf("statement: %w", err)
	}
	if place.IsSum() {
		w := &storage.Where{}
		from := s.sums(w, wallet, counted)
		w.And(`day = ` + w.Arg(place.Day) + ` AND type <= ` + w.Arg(place.Type))
		if err := tx.QueryRow(ctx, `SELECT coalesce(sum(amount), 0) `+from+w.SQL(), w.Args()...).Scan(&summed); err != nil {
			return 0, fmt.Errorf("statement: %w", err)
		}
	}
	return balance + single + summed, nil
}
