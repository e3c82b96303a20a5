package customers

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Wish is what a person wrote from a telephone: no more messages, or messages again, of an entity and those below.
type Wish struct {
	EntityID uuid.UUID
	Scope    caller.Scope // of the entity
	Phone    string
	OptOut   bool
	At       time.Time // when it was written
}

// maxWishes bounds the customers that one wish changes; a telephone is one customer of each ticket point.
const maxWishes = 1_000

// standingSQL reads what holds for a telephone in an entity, the wish of the nearest entity above, and whether a wish
// is newer than an instant.
const standingSQL = `SELECT coalesce((array_agg(w.opted_out ORDER BY length(o.path) DESC))[1], false), coalesce(bool_or(w.wished_at > $3), false)
	FROM message_wishes w JOIN entities o ON o.id = w.entity_id WHERE w.phone = $1 AND starts_with($2, o.path)`

// customersSQL finds the customers with a telephone, and those they are merged into, whose state is another and older
// one, in the order of their locks.
const customersSQL = `SELECT id FROM customers WHERE deleted_at IS NULL AND (opt_out_at IS NULL) = $3 AND (consent_at IS NULL OR consent_at <= $5) AND id IN (
		SELECT unnest(ARRAY[c.id, c.merged_into]) FROM customers c JOIN entities e ON e.id = c.entity_id WHERE c.phone = $1 AND e.path LIKE $2)
	ORDER BY id LIMIT $4 FOR UPDATE`

// ApplyTx stores a wish and reports whether it changed what holds for the telephone. One that is older than what
// holds changes nothing. A telephone that is no customer's has its wish, too: it holds for messages to the number and
// for customers that get it later.
func ApplyTx(ctx context.Context, tx pgx.Tx, w *Wish) (changed bool, err error) {
	var out, newer bool
	if err := tx.QueryRow(ctx, standingSQL, w.Phone, w.Scope.Path(), w.At).Scan(&out, &newer); err != nil {
		return false, fmt.Errorf("standing wish: %w", err)
	}
	if newer {
		return false, nil
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE message_wishes w SET opted_out = $3, wished_at = $4 FROM entities e WHERE e.id = w.entity_id AND w.phone = $1 AND e.path LIKE $2 AND w.wished_at <= $4`,
		w.Phone, w.Scope.Pattern(), w.OptOut, w.At)
	b.Queue(`INSERT INTO message_wishes (phone, entity_id, opted_out, wished_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, w.Phone, w.EntityID, w.OptOut, w.At)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return false, fmt.Errorf("store wish: %w", err)
	}
	customers, err := applyToCustomers(ctx, tx, w)
	if err != nil {
		return false, err
	}
	if changed = out != w.OptOut || customers > 0; changed && customers == 0 {
		err = recordWish(ctx, tx, w, w.EntityID, "")
	}
	return changed, err
}

func applyToCustomers(ctx context.Context, tx pgx.Tx, w *Wish) (int, error) {
	ids, err := storage.Collect(ctx, tx, "find customers of a wish", pgx.RowTo[uuid.UUID],
		customersSQL, w.Phone, w.Scope.Pattern(), w.OptOut, maxWishes, w.At)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	type changed struct{ ID, EntityID uuid.UUID }
	list, err := storage.Collect(ctx, tx, "store wish", pgx.RowToStructByPos[changed],
		`UPDATE customers SET opt_out_at = CASE WHEN $2 THEN $4::timestamptz END, opt_out_scope = CASE WHEN $2 THEN $3::uuid END, consent_at = $4, updated_at = now()
		WHERE id = ANY($1) RETURNING id, entity_id`, storage.UUIDs(ids), w.OptOut, w.EntityID, w.At)
	if err != nil {
		return 0, err
	}
	for _, c := range list {
		if err := recordWish(ctx, tx, w, c.EntityID, c.ID.String()); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// recordWish adds an entry to the activity log; target is a customer, "" for an unknown telephone.
func recordWish(ctx context.Context, tx pgx.Tx, w *Wish, entity uuid.UUID, target string) error {
	action := activity.CustomersOptIn
	if w.OptOut {
		action = activity.CustomersOptOut
	}
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: entity, Target: target, Details: map[string]any{"by": "message"},
	})
}

// Recipient is a telephone that gets a message of an entity. Path is the entity's, with the ids of the entities above.
type Recipient struct {
	EntityID uuid.UUID
	Path     string
	Phone    string
}

// optedOutSQL asks the customer of the entity, if it ever decided, and else for the wish of the nearest entity above.
const optedOutSQL = `SELECT coalesce(
	(SELECT opt_out_at IS NOT NULL FROM customers WHERE entity_id = x.entity AND phone = x.phone AND (consent_at IS NOT NULL OR opt_out_at IS NOT NULL)),
	(SELECT opted_out FROM message_wishes WHERE phone = x.phone AND strpos(x.path, entity_id::text) > 0 ORDER BY strpos(x.path, entity_id::text) DESC LIMIT 1), false)
	FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS x (entity, path, phone, n) ORDER BY x.n`

// QueueOptedOut adds a read to a batch that reports of each recipient whether the person with the telephone wants no
// messages of the entity. out has the answers after the batch.
func QueueOptedOut(b *pgx.Batch, list []Recipient, out *[]bool) {
	if len(list) == 0 {
		return
	}
	entities, paths, phones := make(storage.UUIDs, len(list)), make(storage.Texts, len(list)), make(storage.Texts, len(list))
	for i, r := range list {
		entities[i], paths[i], phones[i] = r.EntityID, r.Path, r.Phone
	}
	b.Queue(optedOutSQL, entities, paths, phones).Query(func(rows pgx.Rows) (err error) {
		*out, err = pgx.CollectRows(rows, pgx.RowTo[bool])
		return err
	})
}

// forgetWishes deletes the wishes to get messages of deleted customers. That somebody wants none stays, so that it is
// heeded.
const forgetWishes = `DELETE FROM message_wishes w USING customers k JOIN entities e ON e.id = k.entity_id
	WHERE k.id = ANY($1) AND w.phone = k.phone AND starts_with(e.path, (SELECT o.path FROM entities o WHERE o.id = w.entity_id)) AND NOT w.opted_out`
