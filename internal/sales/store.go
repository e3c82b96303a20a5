package sales

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"banca/internal/apperr"
	"banca/internal/idempotency"
	"banca/internal/ledger"
	"banca/storage"
	"banca/tasks/outbox"
)

// Refusal maps what Postgres refused to a sale or to a payment of a prize, and any failure that a client must not see, to an error that a client may see.
func Refusal(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.ConstraintName == "wallet_covered" {
		return ledger.ErrInsufficientBalance.WithCause(err)
	}
	if _, known := errors.AsType[*apperr.Error](err); known {
		return err
	}
	if pg != nil { // the server answered: BUSY, an outage it tells of, or a defect that no repetition mends
		return apperr.From(err)
	}
	return ErrStore.WithCause(err)
}

func queueTickets(b *pgx.Batch, list []*pendingSale) {
	n := len(list)
	ids, entities, users, wallets, currencies := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
	serials, codes, customers := make(storage.Texts, n), make(storage.Texts, n), make(storage.MaybeUUIDs, n)
	totals, prizes, wants := make(storage.Bigints, n), make(storage.Bigints, n), make(storage.Booleans, n)
	cancels, expires, created := make(storage.Timestamps, n), make(storage.Timestamps, n), make(storage.Timestamps, n)
	for i, p := range list {
		t := &p.ticket
		ids[i], entities[i], users[i], wallets[i], currencies[i] = t.ID, t.EntityID, t.UserID, t.WalletID, t.CurrencyID
		serials[i], codes[i], totals[i], prizes[i], wants[i] = t.SerialCode, t.ValidationCode, t.Total, t.PotentialPrize, t.WantsPaymentInfo
		if t.CustomerID != nil {
			customers[i] = *t.CustomerID
		}
		cancels[i], expires[i], created[i] = t.CancelBefore, t.ExpiresAt, t.CreatedAt
	}
	b.Queue(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, status, total,
			potential_prize, wants_payment_info, cancel_before, expires_at, created_at)
		SELECT unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::uuid[]), unnest($6::uuid[]),
			unnest($7::uuid[]), unnest($8::uuid[]), 'pending', unnest($9::bigint[]), unnest($10::bigint[]), unnest($11::boolean[]),
			unnest($12::timestamptz[]), unnest($13::timestamptz[]), unnest($14::timestamptz[])`,
		ids, serials, codes, entities, users, wallets, currencies, customers, totals, prizes, wants, cancels, expires, created)
}

func queueItems(b *pgx.Batch, list []*pendingSale) {
	n := 0
	for _, p := range list {
		n += len(p.quote.lines)
	}
	tickets, draws, games := make(storage.UUIDs, 0, n), make(storage.UUIDs, 0, n), make(storage.UUIDs, 0, n)
	numbers, versions := make(storage.Smallints, 0, n), make(storage.Integers, 0, n)
	bets, picks, rates := make(storage.Texts, 0, n), make(storage.Texts, 0, n), make(storage.Texts, 0, n)
	amounts, payouts, prizes := make(storage.Bigints, 0, n), make(storage.Bigints, 0, n), make(storage.Bigints, 0, n)
	for _, p := range list {
		for i := range p.quote.lines {
			l := &p.quote.lines[i]
			tickets, draws, games = append(tickets, p.ticket.ID), append(draws, l.DrawID), append(games, l.GameID)
			numbers, versions = append(numbers, int16(i)), append(versions, int32(p.quote.games[i].RuleVersion))
			bets, picks, rates = append(bets, l.BetType), append(picks, l.Selection), append(rates, p.quote.rates[i].text)
			amounts, payouts, prizes = append(amounts, int64(l.Amount)), append(payouts, int64(l.Payout)), append(prizes, int64(l.PotentialPrize))
		}
	}
	b.Queue(`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT unnest($1::uuid[]), unnest($2::smallint[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::text[]),
			unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::integer[]), unnest($11::text[])::integer[]`,
		tickets, numbers, draws, games, bets, picks, amounts, payouts, prizes, versions, rates)
}

// queueKeys stores the keys of the sales that have one.
func queueKeys(b *pgx.Batch, list []*pendingSale) {
	var keys []uuid.UUID
	var answers []*idempotency.Answer
	for _, p := range list {
		if p.use.Key != uuid.Nil {
			keys, answers = append(keys, p.use.Key), append(answers, p.answer())
		}
	}
	idempotency.QueueStore(b, keys, answers)
}

func queueOutbox(b *pgx.Batch, list []*pendingSale) {
	rows := make([]outbox.Row, len(list))
	for i, p := range list {
		rows[i] = p.outbox
	}
	outbox.QueueInsert(b, rows)
}

// encodeCuts keeps what a partial sale cut, so that a repeat is told the same; nothing for a full sale.
func encodeCuts(cuts []Cut) []byte {
	if len(cuts) == 0 {
		return nil
	}
	raw, err := json.Marshal(cuts)
	if err != nil { // integers and text always encode
		return nil
	}
	return raw
}

func decodeCuts(raw []byte) ([]Cut, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var cuts []Cut
	return cuts, json.Unmarshal(raw, &cuts)
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

// distinct sorts ids and drops repeats.
func distinct(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
