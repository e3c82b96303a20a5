package sales

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"banca/internal/apperr"
	"banca/internal/ledger"
	"banca/storage"
	"banca/tasks/outbox"
)

// repeat is what an idempotency key stands for.
type repeat struct {
	hash     [32]byte
	status   int // createdStatus of a sale, okStatus of a cancellation
	ticketID uuid.UUID
	response []byte
}

// answers reports whether the key was used for an equal request of the same kind.
func (r *repeat) answers(hash [32]byte, status int) bool { return r.hash == hash && r.status == status }

const maxKeyLength = 200

// KeyID derives the stored id of an idempotency key: one UUID of entity and key, because a unique
// index on one column keeps its plan under load. The Nil id stands for no key.
func KeyID(entity uuid.UUID, key string) (uuid.UUID, error) {
	if key == "" {
		return uuid.Nil, nil
	}
	if len(key) > maxKeyLength || strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return uuid.Nil, ErrInvalidKey
	}
	return uuid.NewSHA1(entity, []byte(key)), nil
}

func (s *Service) findKey(ctx context.Context, key uuid.UUID) (*repeat, error) {
	rows, err := s.PG.Pool.Query(ctx, readKeys, storage.UUIDs{key})
	if err != nil {
		return nil, fmt.Errorf("find idempotency key: %w", err)
	}
	var found *repeat
	err = each(rows, func() (err error) {
		_, found, err = scanRepeat(rows)
		return err
	})
	return found, err
}

func scanRepeat(rows pgx.Rows) (uuid.UUID, *repeat, error) {
	var id uuid.UUID
	var hash []byte
	var ticket pgtype.UUID
	r := &repeat{}
	if err := rows.Scan(&id, &hash, &r.status, &ticket, &r.response); err != nil {
		return id, nil, err
	}
	copy(r.hash[:], hash)
	r.ticketID = ticket.Bytes
	return id, r, nil
}

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

func queueKeys(b *pgx.Batch, list []*pendingSale) {
	var ids, tickets storage.UUIDs
	var hashes, responses storage.Blobs
	for _, p := range list {
		if p.key != uuid.Nil {
			ids, tickets = append(ids, p.key), append(tickets, p.ticket.ID)
			hashes, responses = append(hashes, p.hash[:]), append(responses, encodeCuts(p.cuts))
		}
	}
	if len(ids) > 0 {
		b.Queue(insertKeys, ids, hashes, tickets, responses, createdStatus)
	}
}

const (
	insertKeys = `INSERT INTO idempotency_keys (id, request_hash, ticket_id, response, status)
		SELECT unnest($1::uuid[]), unnest($2::bytea[]), unnest($3::uuid[]), unnest($4::bytea[]), $5`
	createdStatus = 201
	okStatus      = 200
)

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
