package customers

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/storage"
)

// Forget erases personal data of deleted customers from the tables of another domain, in the transaction of the
// deletion.
type Forget func(ctx context.Context, tx pgx.Tx, customers []uuid.UUID) error

// Service creates, finds, changes, merges and deletes customers.
type Service struct {
	pg     *storage.Postgres
	forget []Forget
}

// New returns the service. A deletion calls each forget, in the order of their locks, before it changes customers.
func New(pg *storage.Postgres, forget ...Forget) *Service { return &Service{pg: pg, forget: forget} }

// record adds an entry about a customer to the activity log. The details hold no personal data.
func record(ctx context.Context, tx pgx.Tx, action activity.Action, c *Customer, details map[string]any) error {
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: c.EntityID, Target: c.ID.String(), Details: details,
	})
}

// wishOf is since when the telephone of a customer k, who decided nothing since, gets no messages, by the wish of the
// nearest entity above.
const wishOf = `SELECT CASE WHEN w.opted_out THEN w.wished_at END FROM message_wishes w JOIN entities o ON o.id = w.entity_id JOIN entities own ON own.id = k.entity_id
	WHERE w.phone = k.phone AND starts_with(own.path, o.path) ORDER BY length(o.path) DESC LIMIT 1`

// columns select a [Customer] from a row k.
const columns = `k.id, k.entity_id, k.name, coalesce(k.phone, ''), coalesce(k.id_document, ''), coalesce(k.email, ''), coalesce(k.opt_out_at, CASE WHEN k.consent_at IS NULL THEN (` + wishOf + `) END, '0001-01-01 00:00:00+00'), k.created_at, k.updated_at`

// targets returns pointers to the fields in the order of columns, for scanning.
func (c *Customer) targets() []any {
	return []any{
		&c.ID, &c.EntityID, &c.Name, &c.Phone, &c.IDDocument, &c.Email, &c.OptOutAt, &c.CreatedAt, &c.UpdatedAt,
	}
}

func scan(row pgx.CollectableRow) (c Customer, err error) {
	err = row.Scan(c.targets()...)
	c.complete()
	return c, err
}

// complete normalises the scanned fields.
func (c *Customer) complete() {
	c.CreatedAt, c.UpdatedAt, c.OptOutAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC(), c.OptOutAt.UTC()
}

// one returns the single row of a statement that selects columns. Errors: ErrNotFound.
func one(ctx context.Context, db storage.Querier, sql string, args ...any) (Customer, error) {
	found, err := storage.One(ctx, db, "read customer", ErrNotFound, scan, sql, args...)
	if err != nil {
		return Customer{}, err
	}
	return *found, nil
}
