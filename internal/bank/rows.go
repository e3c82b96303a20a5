package bank

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/alerts"
	"banca/internal/bank/bankfield"
	"banca/storage"
)

// queuePaid marks the requests of credited payments as paid.
func queuePaid(b *pgx.Batch, list []*pending, now time.Time) {
	var requests, payments storage.UUIDs
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
	ids, currencies, events := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
	banks, references, senders, merchants := make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n)
	concepts, states, reasons, answers := make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(
		storage.Booleans, n,
	)
	dates, paid, amounts := make([]time.Time, n), make(storage.Timestamps, n), make(storage.Bigints, n)
	conflicts, requests := make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	entities, wallets, deposits := make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	for i, p := range list {
		ids[i], currencies[i], events[i] = p.id, p.directory.currency.ID, p.e.identify()
		banks[i], references[i], senders[i], merchants[i], concepts[i] = p.n.bank, p.n.reference, p.n.senderPhone, p.n.merchantPhone, p.n.stored[bankfield.Concept]
		states[i], reasons[i], answers[i], dates[i], amounts[i] = p.state, p.reason, p.answersTrue(), p.date.UTC(), int64(p.n.amount)
		paid[i], conflicts[i] = p.n.instant, p.conflict
		if p.request != nil {
			requests[i] = p.request.id
		}
		if len(p.money) > 0 {
			entities[i], wallets[i], deposits[i] = p.money[0].EntityID, p.money[0].Postings[0].WalletID, p.money[0].ID
		}
	}
	b.Queue(insertPayments, ids, banks, references, dates, amounts, currencies, senders, merchants, concepts, paid, states, reasons, answers,
		conflicts, requests, entities, wallets, deposits, events, now)
}

// queueRepeats increments the repeats of the events that notifications repeat.
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
	var ids []uuid.UUID
	for id := range counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	numbers := make([]int32, len(ids))
	for i, id := range ids {
		numbers[i] = counts[id]
	}
	b.Queue(`UPDATE bank_events e SET repeats = e.repeats + x.n, last_repeat_at = $3 FROM unnest($1::uuid[], $2::integer[]) AS x (i, n) WHERE e.id = x.i`,
		ids, numbers, now)
}

// queueAlerts writes the alerts of decisions in their transaction.
func queueAlerts(b *pgx.Batch, batch []*pending) {
	for _, p := range batch {
		if p.alert != "" && !p.again {
			alerts.Queue(b, &alerts.Occurrences{
				Kind: p.alert, Source: addressOf(p.e.from), SubjectID: p.subject, Count: 1, First: p.e.at, Last: p.e.at,
			})
		}
	}
}
