package customers

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/storage"
)

const adoptSQL = `UPDATE customers k SET email = coalesce(k.email, nullif($2, '')), id_document = coalesce(k.id_document, nullif($3, '')), updated_at = now(),
		opt_out_at = coalesce(k.opt_out_at, m.opt_out_at), opt_out_scope = coalesce(k.opt_out_scope, m.opt_out_scope),
		consent_at = greatest(k.consent_at, m.consent_at)
	FROM customers m WHERE k.id = $1 AND m.id = $4 RETURNING ` + columns

// Union names two customers that are one person.
type Union struct {
	Kept   uuid.UUID
	Merged uuid.UUID
}

// Merge merges a customer into another one of the same entity, which adopts the fields that it lacks, and returns the
// one that is kept. The rows merged into the other one are merged into it, too. Errors: ErrNotFound, ErrMerge.
func (s *Service) Merge(ctx context.Context, by caller.Caller, u Union) (kept Customer, err error) {
	err = s.change(ctx, by, u.Kept, func(tx pgx.Tx, c Customer) error {
		merged, err := one(ctx, tx, getSQL, u.Merged, by.Scope.Pattern())
		switch {
		case err != nil:
			return err
		case merged.ID == c.ID || merged.EntityID != c.EntityID:
			return ErrMerge
		}
		if err := lockRowsTx(ctx, tx, c.ID, merged.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE customers SET merged_into = $1, updated_at = now() WHERE id = $2 OR merged_into = $2`, c.ID, merged.ID); err != nil {
			return fmt.Errorf("merge customers: %w", err)
		}
		if kept, err = one(ctx, tx, adoptSQL, c.ID, merged.Email, merged.IDDocument, merged.ID); err != nil {
			return err
		}
		return record(ctx, tx, activity.CustomersMerge, &kept, map[string]any{"merged": merged.ID})
	})
	return kept, err
}

// lockRowsTx locks customers with the rows merged into them, in the order of their ids, as a sale that changes
// documents does.
func lockRowsTx(ctx context.Context, tx pgx.Tx, customers ...uuid.UUID) error {
	_, err := tx.Exec(
		ctx, `SELECT FROM customers WHERE id = ANY($1) OR merged_into = ANY($1) ORDER BY id FOR UPDATE`,
		storage.UUIDs(customers),
	)
	if err != nil {
		return fmt.Errorf("lock customers: %w", err)
	}
	return nil
}

// Delete erases the personal data of a customer and of the rows merged into it, here and through the functions of
// [New]. The tickets keep the id of the row. Errors: ErrNotFound.
func (s *Service) Delete(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	return s.change(ctx, by, id, func(tx pgx.Tx, c Customer) error {
		group, err := storage.Collect(ctx, tx, "read merged customers", pgx.RowTo[uuid.UUID],
			`SELECT id FROM customers WHERE id = $1 OR merged_into = $1`, c.ID)
		if err != nil {
			return err
		}
		for _, forget := range s.forget {
			if err := forget(ctx, tx, group); err != nil {
				return err
			}
		}
		if err := lockRowsTx(ctx, tx, c.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, forgetWishes, storage.UUIDs(group)); err != nil {
			return fmt.Errorf("forget wishes: %w", err)
		}
		if _, err := tx.Exec(ctx, `UPDATE customers SET name = '', search_name = '', phone = NULL, id_document = NULL, email = NULL,
			deleted_at = now(), updated_at = now() WHERE id = ANY($1)`, storage.UUIDs(group)); err != nil {
			return fmt.Errorf("delete customer: %w", err)
		}
		return record(ctx, tx, activity.CustomersDelete, &c, nil)
	})
}
