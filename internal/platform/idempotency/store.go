package idempotency

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Answer is stored with a key.
type Answer struct {
	Meaning  []byte
	TicketID uuid.UUID // Nil for an operation without a ticket
	Response []byte    // data of the answer to a repeat that the rows of the operation lack
}

// ID returns the id that Response holds: an operation with one row answers a repeat from that row.
func (a *Answer) ID() (uuid.UUID, error) {
	id, err := uuid.FromBytes(a.Response)
	if err != nil {
		return uuid.Nil, fmt.Errorf("stored answer: %w", err)
	}
	return id, nil
}

// Use is the use of a key by one request. Without a key it finds and stores nothing.
type Use struct {
	Key     uuid.UUID
	Meaning Meaning
}

const (
	findSQL  = `SELECT id, request_hash, ticket_id, response FROM idempotency_keys WHERE id = ANY ($1::uuid[])`
	storeSQL = `INSERT INTO idempotency_keys (id, request_hash, ticket_id, response, status)
		SELECT unnest($1::uuid[]), unnest($2::bytea[]), unnest($3::uuid[]), unnest($4::bytea[]), 200` // status has no reader
	primaryKey = "idempotency_keys_pkey"
)

// Find returns the answer that is stored with the key, and false if the key is unused. Errors: ErrKeyReused, with true;
// ErrUnknownOutcome if the keys cannot be read.
func (u *Use) Find(ctx context.Context, q storage.Querier) (*Answer, bool, error) {
	if u.Key == uuid.Nil {
		return nil, false, nil
	}
	rows, err := q.Query(ctx, findSQL, storage.UUIDs{u.Key})
	if err != nil {
		return nil, false, ErrUnknownOutcome.WithCause(err)
	}
	found := make(map[uuid.UUID]*Answer, 1)
	if err := scan(rows, found); err != nil {
		return nil, false, ErrUnknownOutcome.WithCause(err)
	}
	a := found[u.Key]
	if a == nil {
		return nil, false, nil
	}
	return a, true, Compare(a.Meaning, u.Meaning)
}

// StoreTx stores the key with its answer in the transaction of the operation. Errors: ErrKeyReused if another
// transaction has stored it meanwhile; the caller rolls back and finds its answer.
func (u *Use) StoreTx(ctx context.Context, tx pgx.Tx, a *Answer) error {
	if u.Key == uuid.Nil {
		return nil
	}
	a.Meaning = u.Meaning[:]
	b := &pgx.Batch{}
	QueueStore(b, []uuid.UUID{u.Key}, []*Answer{a})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		if storage.Violates(err, primaryKey) {
			return ErrKeyReused.WithCause(err)
		}
		return fmt.Errorf("store idempotency key: %w", err)
	}
	return nil
}

// QueueFind adds to a batch the reading of keys; those that are used have their answers in into when the batch has run.
func QueueFind(b *pgx.Batch, keys []uuid.UUID, into map[uuid.UUID]*Answer) {
	if len(keys) > 0 {
		b.Queue(findSQL, storage.UUIDs(keys)).Query(func(rows pgx.Rows) error { return scan(rows, into) })
	}
}

// QueueStore adds to a batch the storing of keys with their answers. The batch must run in the transaction of their
// operations.
func QueueStore(b *pgx.Batch, keys []uuid.UUID, answers []*Answer) {
	if len(keys) == 0 {
		return
	}
	n := len(keys)
	hashes, tickets, responses := make(storage.Blobs, n), make(storage.MaybeUUIDs, n), make(storage.Blobs, n)
	for i, a := range answers {
		hashes[i], tickets[i], responses[i] = a.Meaning, a.TicketID, a.Response
	}
	b.Queue(storeSQL, storage.UUIDs(keys), hashes, tickets, responses)
}

func scan(rows pgx.Rows, into map[uuid.UUID]*Answer) error {
	var key uuid.UUID
	var ticket uuid.NullUUID
	var found Answer
	_, err := pgx.ForEachRow(rows, []any{&key, &found.Meaning, &ticket, &found.Response}, func() error {
		a := found
		a.TicketID = ticket.UUID
		into[key] = &a
		return nil
	})
	return err
}
