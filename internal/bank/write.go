package bank

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/storage"
	"banca/tasks/outbox"
)

// paymentLocks returns the lock keys of a batch in the order in which they are taken. A lock key is derived from bank and
// reference, without the date.
func paymentLocks(batch []*pending) []int32 {
	keys := make([]int32, len(batch))
	for i, p := range batch {
		keys[i] = lockKey(p.n.bank + "/" + p.n.reference)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func lockKey(text string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return int32(h.Sum32())
}

// writeBatch runs the transaction of a batch in three round trips: lock the keys and read; lock requests and wallets;
// write and commit. It returns nil if every notification is decided or marked to be decided again.
func (s *Service) writeBatch(ctx context.Context, batch []*pending) error {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	conn, err := s.PG.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // a connection left inside a transaction is closed by the pool
	now := s.Clock.Now().Truncate(time.Microsecond)
	f, err := readFacts(ctx, conn, batch, now)
	if err != nil {
		return storage.Refused(err)
	}
	for i, p := range batch {
		if err := s.decide(f, i, p, now); err != nil {
			return err
		}
	}
	locked, err := lockEffects(ctx, conn, batch)
	if err != nil {
		return storage.Refused(err)
	}
	markDependents(batch)
	if err := s.write(ctx, conn, batch, locked, now); err != nil {
		return err
	}
	for _, p := range batch {
		if !p.again {
			p.answer, p.e.stored = p.answersTrue(), true
		}
	}
	s.Wake()
	return nil
}

// markDependents marks notifications to be decided again if their leader is.
func markDependents(batch []*pending) {
	for _, p := range batch {
		if p.leader != nil && p.leader.again {
			p.again = true
		}
	}
}

const readKnown = `SELECT id, amount, answer, state, event_id, received_at, coalesce(sender_phone, ''), paid_at IS NOT NULL
	FROM bank_payments WHERE id = ANY ($1::uuid[])`

// live selects the requests in the bank's currency that may still be paid: until they expire, or while they are held
// for the bank. The subquery looks up the ticket by its id for each row; as a join it could become a scan of all
// tickets.
const live = `r.status = 'open' AND r.currency_id = $7 AND (r.expires_at > $6 OR r.held_until > $6)
	AND (SELECT t.status FROM tickets t WHERE t.id = r.ticket_id) IS DISTINCT FROM 'cancelled'`

// readCandidates selects at most two requests per tier, which is enough to know whether there is exactly one.
const readCandidates = `SELECT n.i, c.tier, c.id, c.entity_id, c.wallet_id, c.amount
	FROM unnest($1::integer[], $2::text[], $3::text[], $4::bigint[], $5::text[]) AS n (i, bank, reference, amount, phone)
	CROSS JOIN LATERAL (
		(SELECT 1 AS tier, r.id, r.entity_id, r.wallet_id, r.amount FROM payment_requests r
			WHERE r.reference = n.reference AND r.bank_code = n.bank AND ` + live + ` LIMIT 2)
		UNION ALL
		(SELECT 2, r.id, r.entity_id, r.wallet_id, r.amount FROM payment_requests r
			WHERE r.client_phone = n.phone AND r.amount = n.amount AND r.reference IS NULL
				AND (r.bank_code IS NULL OR r.bank_code = n.bank) AND ` + live + ` LIMIT 2)
		UNION ALL
		(SELECT 3, r.id, r.entity_id, r.wallet_id, r.amount FROM payment_requests r
			WHERE r.amount = n.amount AND r.held_until > $6 AND r.reference IS NULL
				AND (r.bank_code IS NULL OR r.bank_code = n.bank) AND ` + live + ` LIMIT 2)
	) c`

// readFacts begins the transaction, locks the keys and reads their payments and candidate requests.
func readFacts(ctx context.Context, conn *pgxpool.Conn, batch []*pending, now time.Time) (*facts, error) {
	f := &facts{known: make(map[uuid.UUID]*known), candidates: make(map[int][]candidate), claimed: make(map[uuid.UUID]bool)}
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(storage.FixPlans())
	b.Queue(storage.LockBankPayment.KeysSQL(), paymentLocks(batch))
	queueKnown(b, batch, f.known)
	numbers, banks, references := make([]int32, len(batch)), make([]string, len(batch)), make([]string, len(batch))
	amounts, phones := make([]int64, len(batch)), make([]string, len(batch))
	for i, p := range batch {
		numbers[i], banks[i], references[i], amounts[i], phones[i] = int32(i), p.n.bank, p.n.reference, int64(p.n.amount), p.n.senderPhone
	}
	b.Queue(readCandidates, numbers, banks, references, amounts, phones, now,
		batch[0].directory.currency.ID).Query(func(rows pgx.Rows) error {
		var at int
		var c candidate
		_, err := pgx.ForEachRow(rows, []any{&at, &c.tier, &c.id, &c.entity, &c.wallet, &c.amount}, func() error {
			f.candidates[at] = append(f.candidates[at], c)
			return nil
		})
		return err
	})
	return f, conn.SendBatch(ctx, b).Close()
}

// queueKnown reads the payments that notifications may repeat.
func queueKnown(b *pgx.Batch, batch []*pending, into map[uuid.UUID]*known) {
	var ids []uuid.UUID
	for _, p := range batch {
		ids = append(append(ids, p.keys()...), p.keysBefore()...)
	}
	b.Queue(readKnown, ids).Query(func(rows pgx.Rows) error {
		var found known
		_, err := pgx.ForEachRow(rows, []any{&found.id, &found.amount, &found.answer, &found.state, &found.event, &found.received, &found.phone, &found.dated}, func() error {
			k := found
			into[k.id] = &k
			return nil
		})
		return err
	})
}

// lockEffects locks the requests to be paid and then the wallets to be credited, each in the order of their ids. It marks
// a notification to be decided again if its request was closed meanwhile.
func lockEffects(ctx context.Context, conn *pgxpool.Conn, batch []*pending) (map[uuid.UUID]*ledger.Wallet, error) {
	var requests, wallets []uuid.UUID
	for _, p := range batch {
		if p.request != nil {
			requests = append(requests, p.request.id)
		}
		if len(p.money) > 0 {
			wallets = append(wallets, p.money[0].Postings[0].WalletID)
		}
	}
	locked := make(map[uuid.UUID]*ledger.Wallet)
	if len(wallets) == 0 {
		return locked, nil
	}
	open := make(map[uuid.UUID]bool)
	b := &pgx.Batch{}
	b.Queue(`SELECT id FROM payment_requests WHERE id = ANY ($1::uuid[]) AND status = 'open' ORDER BY id FOR UPDATE`, requests).
		Query(func(rows pgx.Rows) error {
			var id uuid.UUID
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
				open[id] = true
				return nil
			})
			return err
		})
	ledger.QueueLock(b, wallets, locked)
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	for _, p := range batch {
		p.again = p.again || p.request != nil && !open[p.request.id]
	}
	return locked, nil
}

// write inserts the decided rows and commits, in one round trip.
func (s *Service) write(ctx context.Context, conn *pgxpool.Conn, batch []*pending, locked map[uuid.UUID]*ledger.Wallet, now time.Time) error {
	b := &pgx.Batch{}
	var transactions []ledger.Transaction
	var events []*event
	var tasks []outbox.Row
	var payments []*pending
	for _, p := range batch {
		if p.again {
			continue
		}
		if p.repeatOf == nil {
			p.e.answer = p.answersTrue() // written in the transaction of the effect
			events = append(events, p.e)
		}
		if p.id != uuid.Nil {
			payments = append(payments, p)
		}
		if p.request != nil {
			tasks = append(tasks, p.task)
		}
		transactions = append(transactions, p.money...)
	}
	queuePaid(b, payments, now)
	queuePayments(b, payments, now)
	if err := queueEvents(b, events, s.Clock.Now()); err != nil {
		return err
	}
	queueRepeats(b, batch, now)
	queueAlerts(b, batch)
	outbox.QueueInsert(b, tasks)
	if len(transactions) > 0 {
		ledger.QueuePost(b, transactions, locked)
	}
	b.Queue("commit")
	return storage.CommitError(conn.SendBatch(ctx, b).Close())
}

// findBatch reads the outcome of a transaction whose commit was not answered, and sets the answer or error of each of its
// notifications. A payment counts as written only if it refers to this call's event, because another process may have
// written the same payment.
func (s *Service) findBatch(ctx context.Context, batch []*pending, unknown error) error {
	written := make(map[uuid.UUID]*known)
	err := s.PG.FindOutcome(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return storage.LockBankPayment.TakeKeys(ctx, tx, paymentLocks(batch)...)
	}, func(ctx context.Context, tx pgx.Tx) error {
		b := &pgx.Batch{}
		queueKnown(b, batch, written)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return errors.Join(unknown, err)
	}
	for _, p := range batch {
		id := p.id
		if p.repeatOf != nil {
			id = p.repeatOf.id
		}
		switch found := written[id]; {
		case p.again:
		case found != nil && (p.repeatOf != nil || found.event == p.e.id):
			p.answer, p.e.stored = found.answer, true
		default: // not written by this transaction, or without a payment to look for: the bank repeats the call
			p.err = apperr.ErrStore.WithCause(unknown)
		}
	}
	return nil
}
