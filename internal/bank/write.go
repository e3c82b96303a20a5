package bank

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/ledger"
	"banca/models"
	"banca/tasks/outbox"
)

// Two ways a transaction ends badly.
var (
	errRefused        = errors.New("bank: refused by Postgres") // certainly nothing was written
	errUnknownOutcome = errors.New("bank: the commit was not answered")
)

// Classes of advisory locks, which are apart from the draws' by having two parts. The order of locks of the
// whole house: draws, clients of a query, payments by key, payment requests by id, wallets by id, ticket.
const (
	lockClassPayment = 0x62706179
	lockClassClient  = 0x62636c69
)

const lockPayments = `SELECT pg_advisory_xact_lock($1, k) FROM unnest($2::integer[]) k`

// paymentLocks returns the keys of the locks of a batch in the one order in which they are taken. A lock is
// of bank and reference, whatever the day.
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

// writeBatch runs the transaction in three round trips: lock the keys and read; lock requests and wallets;
// write and commit. It returns nil when every notification has been decided or marked to be decided again.
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
		return refused(err)
	}
	for i, p := range batch {
		if err := s.decide(f, i, p, now); err != nil {
			return err
		}
	}
	locked, err := lockEffects(ctx, conn, batch)
	if err != nil {
		return refused(err)
	}
	follow(batch)
	if err := s.write(ctx, conn, batch, locked, now); err != nil {
		return err
	}
	for _, p := range batch {
		if !p.again {
			p.answer, p.e.stored = p.positive(), true
		}
	}
	s.Wake()
	return nil
}

// follow marks what was decided on the ground of a notification of the same batch that must be decided anew.
func follow(batch []*pending) {
	for _, p := range batch {
		if p.leader != nil && p.leader.again {
			p.again = true
		}
	}
}

// refused classifies an error before the commit was sent: an answer of Postgres can be tried again.
func refused(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code[:2] != "57" && pg.Code[:2] != "08" {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return err
}

// fixedPlans has statements planned once a connection and not each time, which takes longer than running them,
// and always by an index: a plan made while a table was small would scan it when it has grown.
const fixedPlans = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`

const readKnown = `SELECT id, amount, answer, state, event_id, received_at, coalesce(sender_phone, ''), paid_at IS NOT NULL
	FROM bank_payments WHERE id = ANY ($1::uuid[])`

// live is a request that may still be paid: before its end, or as long as the bank was told that it may be. The
// ticket is looked up by its id for what was found; as a join it could become a scan of all tickets.
const live = `r.status = 'open' AND (r.expires_at > $6 OR r.held_until > $6)
	AND (SELECT t.status FROM tickets t WHERE t.id = r.ticket_id) IS DISTINCT FROM 'cancelled'`

// readCandidates finds at most two requests per tier, which is enough to know whether there is one.
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

// readFacts begins the transaction, locks the keys and reads what is known under them and which requests
// may be meant.
func readFacts(ctx context.Context, conn *pgxpool.Conn, batch []*pending, now time.Time) (*facts, error) {
	f := &facts{known: make(map[uuid.UUID]*known), candidates: make(map[int][]candidate), claimed: make(map[uuid.UUID]bool)}
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(fixedPlans)
	b.Queue(lockPayments, lockClassPayment, paymentLocks(batch))
	queueKnown(b, batch, f.known)
	numbers, banks, references := make([]int32, len(batch)), make([]string, len(batch)), make([]string, len(batch))
	amounts, phones := make([]int64, len(batch)), make([]string, len(batch))
	for i, p := range batch {
		numbers[i], banks[i], references[i], amounts[i], phones[i] = int32(i), p.n.bank, p.n.reference, int64(p.n.amount), p.n.senderPhone
	}
	b.Queue(readCandidates, numbers, banks, references, amounts, phones, now).Query(func(rows pgx.Rows) error {
		return each(rows, func() error {
			var at int
			var c candidate
			err := rows.Scan(&at, &c.tier, &c.id, &c.entity, &c.wallet, &c.amount)
			f.candidates[at] = append(f.candidates[at], c)
			return err
		})
	})
	return f, conn.SendBatch(ctx, b).Close()
}

// queueKnown reads the payments that notifications may be repeats of.
func queueKnown(b *pgx.Batch, batch []*pending, into map[uuid.UUID]*known) {
	var ids [][16]byte
	for _, p := range batch {
		ids = append(ids, p.keys()...)
	}
	b.Queue(readKnown, ids).Query(func(rows pgx.Rows) error {
		return each(rows, func() error {
			k := &known{}
			err := rows.Scan(&k.id, &k.amount, &k.answer, &k.state, &k.event, &k.received, &k.phone, &k.dated)
			into[k.id] = k
			return err
		})
	})
}

// lockEffects locks the requests to be paid and then the wallets to be credited, each in id order, and marks
// the notifications whose request somebody else has closed meanwhile.
func lockEffects(ctx context.Context, conn *pgxpool.Conn, batch []*pending) (map[uuid.UUID]*ledger.Wallet, error) {
	var requests, wallets [][16]byte
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
			return each(rows, func() error {
				var id uuid.UUID
				err := rows.Scan(&id)
				open[id] = true
				return err
			})
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

// write inserts what was decided and commits, in one round trip.
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
	err := conn.SendBatch(ctx, b).Close()
	if err == nil {
		return nil
	}
	if err := refused(err); errors.Is(err, errRefused) {
		return err
	}
	return fmt.Errorf("%w: %w", errUnknownOutcome, err) // an operator's stop or a lost link may follow the commit
}

// queuePaid closes the requests that payments are for.
func queuePaid(b *pgx.Batch, list []*pending, now time.Time) {
	var requests, payments [][16]byte
	for _, p := range list {
		if p.request != nil {
			requests, payments = append(requests, p.request.id), append(payments, p.id)
		}
	}
	if len(requests) > 0 {
		b.Queue(`UPDATE payment_requests r SET status = 'paid', payment_id = x.p, closed_at = $3
			FROM unnest($1::uuid[], $2::uuid[]) AS x (r, p) WHERE r.id = x.r`, requests, payments, now)
	}
}

const insertPayments = `INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, sender_phone, merchant_phone, concept,
		paid_at, state, reason, answer, conflict_of, request_id, entity_id, wallet_id, transaction_id, event_id, received_at)
	SELECT i, b, re, d, a, c, nullif(sp, ''), nullif(mp, ''), nullif(co, ''), pa, s, rs, an, cf, rq, en, w, t, e, $20
	FROM unnest($1::uuid[], $2::text[], $3::text[], $4::date[], $5::bigint[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::timestamptz[],
		$11::text[], $12::text[], $13::boolean[], $14::uuid[], $15::uuid[], $16::uuid[], $17::uuid[], $18::uuid[], $19::uuid[])
		AS x (i, b, re, d, a, c, sp, mp, co, pa, s, rs, an, cf, rq, en, w, t, e)`

// queuePayments queues the insertion of payments.
func queuePayments(b *pgx.Batch, list []*pending, now time.Time) {
	if len(list) == 0 {
		return
	}
	n := len(list)
	ids, currencies, events := make([][16]byte, n), make([][16]byte, n), make([][16]byte, n)
	banks, references, senders, merchants, concepts := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	states, reasons, answers := make([]string, n), make([]string, n), make([]bool, n)
	dates, paid, amounts := make([]time.Time, n), make([]*time.Time, n), make([]int64, n)
	conflicts, requests, entities, wallets, deposits := make([]pgtype.UUID, n), make([]pgtype.UUID, n), make([]pgtype.UUID, n), make([]pgtype.UUID, n), make([]pgtype.UUID, n)
	for i, p := range list {
		ids[i], currencies[i], events[i] = p.id, p.directory.currency.ID, p.e.identify()
		banks[i], references[i], senders[i], merchants[i], concepts[i] = p.n.bank, p.n.reference, p.n.senderPhone, p.n.merchantPhone, p.n.concept
		states[i], reasons[i], answers[i], dates[i], amounts[i] = p.state, p.reason, p.positive(), p.date, int64(p.n.amount)
		if !p.n.instant.IsZero() {
			paid[i] = &p.n.instant
		}
		conflicts[i] = nullable(p.conflict)
		if p.request != nil {
			requests[i] = nullable(p.request.id)
		}
		if len(p.money) > 0 {
			entities[i], wallets[i], deposits[i] = nullable(p.money[0].EntityID), nullable(p.money[0].Postings[0].WalletID), nullable(p.money[0].ID)
		}
	}
	b.Queue(insertPayments, ids, banks, references, dates, amounts, currencies, senders, merchants, concepts, paid, states, reasons, answers,
		conflicts, requests, entities, wallets, deposits, events, now)
}

// queueRepeats counts repeats on the events of those they repeat.
func queueRepeats(b *pgx.Batch, batch []*pending, now time.Time) {
	counts := make(map[uuid.UUID]int32)
	for _, p := range batch {
		if p.repeatOf != nil && !p.again {
			counts[p.repeatOf.event]++
		}
	}
	if len(counts) == 0 {
		return
	}
	var ids [][16]byte
	for id := range counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b [16]byte) int { return slices.Compare(a[:], b[:]) })
	numbers := make([]int32, len(ids))
	for i, id := range ids {
		numbers[i] = counts[id]
	}
	b.Queue(`UPDATE bank_events e SET repeats = e.repeats + x.n, last_repeat_at = $3 FROM unnest($1::uuid[], $2::integer[]) AS x (i, n) WHERE e.id = x.i`,
		ids, numbers, now)
}

// queueAlerts writes the alerts that a decision raised, with it.
func queueAlerts(b *pgx.Batch, batch []*pending) {
	for _, p := range batch {
		if p.alert != "" && !p.again {
			b.Queue(upsertAlert, uuid.Must(uuid.NewV7()), p.alert, addressOf(p.e.from), p.subject, p.e.at.Truncate(time.Hour), 1, p.e.at, p.e.at)
		}
	}
}

// resolve asks what became of a transaction whose commit was not answered. It takes the keys' locks first: a
// transaction that is still running holds them.
func (s *Service) resolve(ctx context.Context, batch []*pending, unknown error) error {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	written := make(map[uuid.UUID]*known)
	err := s.PG.InTx(ctx, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(lockPayments, lockClassPayment, paymentLocks(batch))
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
		switch {
		case p.again:
		case written[id] != nil:
			p.answer, p.e.stored = p.positive(), true
		default: // not written, or it has no payment to look for: the bank asks again
			p.err = ErrStore.WithCause(unknown)
		}
	}
	return nil
}

// each calls fn for every row and closes rows.
func each(rows pgx.Rows, fn func() error) error {
	defer rows.Close()
	for rows.Next() {
		if err := fn(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// nullable is null for the Nil id.
func nullable(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: id != uuid.Nil} }

// optional is nil for the Nil id.
func optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// unresolvedStates are those in which a payment waits for an operator.
func unresolvedStates() []string {
	return []string{models.PaymentUnmatched, models.PaymentSuspense, models.PaymentConflict}
}
