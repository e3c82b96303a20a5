package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/storage"
)

// Transaction is one movement of money with the postings that carry it.
type Transaction struct {
	ID         uuid.UUID
	Type       string
	EntityID   uuid.UUID // whose business it is
	CurrencyID uuid.UUID
	Amount     money.Amount // negative for an undo
	TicketID   uuid.UUID    // Nil when none
	ReversesID uuid.UUID    // Nil when it reverses nothing
	UserID     uuid.UUID    // Nil when a task did it
	Reference  string
	At         time.Time
	Postings   []Posting
}

// Posting is a signed amount on one wallet: positive credits it.
type Posting struct {
	WalletID uuid.UUID
	Amount   money.Amount
}

// Reverse returns the undo of t: the same type, opposite amounts, naming t.
func (t *Transaction) Reverse(userID uuid.UUID, at time.Time) Transaction {
	r := *t
	r.ID, r.ReversesID, r.UserID, r.At, r.Amount = uuid.Must(uuid.NewV7()), t.ID, userID, at, -t.Amount
	r.Postings = make([]Posting, len(t.Postings))
	for i, p := range t.Postings {
		r.Postings[i] = Posting{WalletID: p.WalletID, Amount: -p.Amount}
	}
	return r
}

const (
	insertTransactions = `INSERT INTO transactions (id, type, entity_id, currency_id, amount, ticket_id, reverses_id, user_id, reference, created_at)
		SELECT unnest($1::uuid[]), unnest($2::text[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::bigint[]), unnest($6::uuid[]),
			unnest($7::uuid[]), unnest($8::uuid[]), unnest($9::text[]), unnest($10::timestamptz[])`
	insertPostings = `INSERT INTO postings (transaction_id, wallet_id, amount, direct, created_at)
		SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::boolean[]), unnest($5::timestamptz[])`
	lockWallets = `SELECT id, entity_id, currency_id, kind, status, balance, credit_limit, unlimited FROM wallets WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE`
	sumPending  = `SELECT wallet_id, sum(amount)::bigint FROM pending_balances WHERE wallet_id = ANY ($1::uuid[]) GROUP BY wallet_id`
	foldWallets = `DELETE FROM pending_balances WHERE wallet_id = ANY ($1::uuid[])`
)

// QueueLock queues the locking of wallets, in id order so that two transactions cannot deadlock, and
// fills into with their exact balances when the batch is read. All wallets a transaction debits must
// be locked by one QueueLock before anything is posted on them.
func QueueLock(b *pgx.Batch, ids []uuid.UUID, into map[uuid.UUID]*Wallet) {
	b.Queue(lockWallets, storage.UUIDs(ids)).Query(func(rows pgx.Rows) error {
		var w Wallet
		_, err := pgx.ForEachRow(rows, []any{&w.ID, &w.EntityID, &w.CurrencyID, &w.Kind, &w.Status, &w.Balance, &w.CreditLimit, &w.Unlimited}, func() error {
			locked := w
			into[w.ID] = &locked
			return nil
		})
		return err
	})
	b.Queue(sumPending, storage.UUIDs(ids)).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var amount money.Amount
		_, err := pgx.ForEachRow(rows, []any{&id, &amount}, func() error {
			if w := into[id]; w != nil {
				w.Balance, w.Pending = w.Balance+amount, amount
			}
			return nil
		})
		return err
	})
}

// QueuePost queues the insertion of transactions with their postings: two statements, whatever their number. The
// balances of locked wallets change with them, and Postgres refuses a posting that is not covered; postings on other
// wallets are pending until they are folded.
func QueuePost(b *pgx.Batch, list []Transaction, locked map[uuid.UUID]*Wallet) {
	n := len(list)
	ids, types, entities, currencies := make(storage.UUIDs, n), make(storage.Texts, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
	amounts, tickets, reverses, users := make(storage.Bigints, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	references, times := make(storage.Texts, n), make(storage.Timestamps, n)
	for i := range list {
		t := &list[i]
		ids[i], types[i], entities[i], currencies[i], amounts[i] = t.ID, t.Type, t.EntityID, t.CurrencyID, int64(t.Amount)
		tickets[i], reverses[i], users[i] = t.TicketID, t.ReversesID, t.UserID
		references[i], times[i] = t.Reference, t.At
	}
	b.Queue(insertTransactions, ids, types, entities, currencies, amounts, tickets, reverses, users, references, times)
	queuePostings(b, list, locked)
}

func queuePostings(b *pgx.Batch, list []Transaction, locked map[uuid.UUID]*Wallet) {
	n := 0
	for i := range list {
		n += len(list[i].Postings)
	}
	owners, wallets := make(storage.UUIDs, 0, n), make(storage.UUIDs, 0, n)
	amounts, direct, times := make(storage.Bigints, 0, n), make(storage.Booleans, 0, n), make(storage.Timestamps, 0, n)
	for i := range list {
		for _, p := range list[i].Postings {
			if p.Amount == 0 { // a level without margin moves nothing
				continue
			}
			_, isLocked := locked[p.WalletID]
			owners, wallets = append(owners, list[i].ID), append(wallets, p.WalletID)
			amounts, direct, times = append(amounts, int64(p.Amount)), append(direct, isLocked), append(times, list[i].At)
		}
	}
	b.Queue(insertPostings, owners, wallets, amounts, direct, times)
}

// QueueFold queues the folding of locked wallets with pending credits, so that Postgres counts them as cover for the
// next postings. Pending debits are left to the task: Covers counts them.
func QueueFold(b *pgx.Batch, locked map[uuid.UUID]*Wallet) {
	var ids storage.UUIDs
	for id, w := range locked {
		if w.Pending > 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		b.Queue(foldWallets, ids)
	}
}

// PostTx posts transactions in the caller's Postgres transaction. The wallets in debited are locked first and must
// cover their postings. Errors: ErrNoWallet, ErrInsufficientBalance.
func (s *Service) PostTx(ctx context.Context, tx pgx.Tx, debited []uuid.UUID, list ...Transaction) error {
	locked, err := lockTx(ctx, tx, debited)
	if err != nil {
		return err
	}
	return postTx(ctx, tx, debited, locked, list)
}

// lockTx locks wallets and returns them with their exact balances. Errors: ErrNoWallet.
func lockTx(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) (map[uuid.UUID]*Wallet, error) {
	locked := make(map[uuid.UUID]*Wallet, len(ids))
	lock := &pgx.Batch{}
	QueueLock(lock, ids, locked)
	if err := tx.SendBatch(ctx, lock).Close(); err != nil {
		return nil, fmt.Errorf("lock wallets: %w", err)
	}
	for _, id := range ids {
		if locked[id] == nil {
			return nil, ErrNoWallet
		}
	}
	return locked, nil
}

// postTx posts transactions whose debited wallets are locked. Errors: ErrInsufficientBalance.
func postTx(ctx context.Context, tx pgx.Tx, debited []uuid.UUID, locked map[uuid.UUID]*Wallet, list []Transaction) error {
	for _, id := range debited {
		if !locked[id].Covers(ChangeOf(id, list)) {
			return ErrInsufficientBalance
		}
	}
	post := &pgx.Batch{}
	QueueFold(post, locked)
	QueuePost(post, list, locked)
	if err := tx.SendBatch(ctx, post).Close(); err != nil {
		return fmt.Errorf("post: %w", err)
	}
	return nil
}

// ChangeOf sums what transactions post on a wallet.
func ChangeOf(wallet uuid.UUID, list []Transaction) money.Amount {
	var sum money.Amount
	for i := range list {
		for _, p := range list[i].Postings {
			if p.WalletID == wallet {
				sum += p.Amount
			}
		}
	}
	return sum
}
