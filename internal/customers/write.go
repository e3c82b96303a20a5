package customers

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// phoneKey is the unique constraint of an entity's telephones.
const phoneKey = "customers_entity_id_phone_key"

const insertSQL = `INSERT INTO customers AS k (id, entity_id, name, search_name, phone, id_document, email, opt_out_at, opt_out_scope, consent_at)
	VALUES ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), CASE WHEN $8::boolean THEN now() END, CASE WHEN $8::boolean THEN $2::uuid END, CASE WHEN $8::boolean THEN now() END) RETURNING ` + columns

// Create adds a customer to a ticket point in the caller's scope; to the caller's own entity if entity is Nil. Errors: ErrInvalid,
// ErrEntityNotFound, ErrNotTicketPoint, ErrExists.
func (s *Service) Create(ctx context.Context, by caller.Caller, entity uuid.UUID, p Person) (created Customer, err error) {
	if entity == uuid.Nil {
		entity = by.EntityID
	}
	if err := p.normalise(); err != nil {
		return Customer{}, err
	}
	if err := s.checkEntity(ctx, by, entity); err != nil {
		return Customer{}, err
	}
	err = s.pg.Retried(ctx, func(tx pgx.Tx) error {
		created, err = one(ctx, tx, insertSQL, uuid.Must(uuid.NewV7()), entity, p.Name, searchName(p.Name), p.Phone, p.IDDocument, p.Email, p.OptedOut != nil && *p.OptedOut)
		if err != nil {
			return err
		}
		return record(ctx, tx, activity.CustomersCreate, &created, nil)
	})
	return created, s.existing(ctx, err, entity, p.Phone)
}

// checkEntity returns an error unless the entity is a ticket point in the caller's scope.
func (s *Service) checkEntity(ctx context.Context, by caller.Caller, entity uuid.UUID) error {
	var kind string
	err := s.pg.Pool.QueryRow(ctx, `SELECT entity_type FROM entities WHERE id = $1 AND path LIKE $2`, entity, by.Scope.Pattern()).Scan(&kind)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ErrEntityNotFound
	case err != nil:
		return fmt.Errorf("entity of customer: %w", err)
	case kind != models.EntityTicketPoint:
		return ErrNotTicketPoint
	}
	return nil
}

// existing returns ErrExists with the customer that has the telephone, if err is that a telephone is taken, and err otherwise.
func (s *Service) existing(ctx context.Context, err error, entity uuid.UUID, phone string) error {
	if !storage.Violates(err, phoneKey) {
		return err
	}
	id, err := ofPhone(ctx, s.pg.Pool, entity, phone)
	if err != nil {
		return err
	}
	return exists(id)
}

// exists returns ErrExists, which names the customer that has the telephone; the caller can see it, because it is of an entity in
// the caller's scope.
func exists(id uuid.UUID) error {
	return ErrExists.WithDetails(apperr.Line("CUSTOMER_HAS_PHONE", "customer "+id.String()+" has this telephone number", "id", id.String()).At("phone"))
}

// ofPhone returns the customer with a telephone, or Nil.
func ofPhone(ctx context.Context, db storage.RowQuerier, entity uuid.UUID, phone string) (id uuid.UUID, err error) {
	err = db.QueryRow(ctx, `SELECT coalesce(merged_into, id) FROM customers WHERE entity_id = $1 AND phone = $2`, entity, phone).Scan(&id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, fmt.Errorf("customer of telephone: %w", err)
	}
	return id, nil
}

// Update replaces the fields of a customer in the caller's scope. Errors: ErrInvalid, ErrNotFound, ErrExists.
func (s *Service) Update(ctx context.Context, by caller.Caller, id uuid.UUID, p Person) (updated Customer, err error) {
	if err := p.normalise(); err != nil {
		return Customer{}, err
	}
	err = s.change(ctx, by, id, func(tx pgx.Tx, c Customer) error {
		fields := c.changed(&p)
		if p.OptedOut != nil && *p.OptedOut == c.OptOutAt.IsZero() {
			fields = append(fields, "opted_out")
		} else {
			p.OptedOut = nil // it is so
		}
		if updated = c; len(fields) == 0 {
			return nil
		}
		if err := updateTx(ctx, tx, &c, &p, &updated); err != nil {
			return err
		}
		return record(ctx, tx, activity.CustomersUpdate, &updated, map[string]any{"fields": fields})
	})
	return updated, s.existing(ctx, err, updated.EntityID, p.Phone)
}

const updateSQL = `UPDATE customers k SET name = $2, search_name = $3, phone = $4, id_document = nullif($5, ''), email = nullif($6, ''), updated_at = now(),
		opt_out_at = CASE WHEN coalesce($7, k.opt_out_at IS NOT NULL) THEN coalesce(k.opt_out_at, now()) END,
		opt_out_scope = CASE WHEN coalesce($7, k.opt_out_at IS NOT NULL) THEN coalesce(k.opt_out_scope, k.entity_id) END,
		consent_at = CASE WHEN $7::boolean IS NULL THEN k.consent_at ELSE now() END
	WHERE id = $1 RETURNING ` + columns

// updateTx writes the fields. A telephone that a row merged into the customer has is exchanged with the customer's.
func updateTx(ctx context.Context, tx pgx.Tx, c *Customer, p *Person, updated *Customer) (err error) {
	var merged uuid.UUID
	if p.Phone != c.Phone {
		if merged, err = releasePhoneTx(ctx, tx, c, p.Phone); err != nil {
			return err
		}
	}
	row, err := one(ctx, tx, updateSQL, c.ID, p.Name, searchName(p.Name), p.Phone, p.IDDocument, p.Email, p.OptedOut)
	if err != nil {
		return err
	}
	if *updated = row; merged == uuid.Nil {
		return nil
	}
	_, err = tx.Exec(ctx, `UPDATE customers SET phone = $2 WHERE id = $1`, merged, c.Phone)
	return err
}

// releasePhoneTx takes a telephone from the row merged into the customer that has it, and returns that row, or Nil. Errors:
// ErrExists if another customer has the telephone.
func releasePhoneTx(ctx context.Context, tx pgx.Tx, c *Customer, phone string) (merged uuid.UUID, err error) {
	holder, err := ofPhone(ctx, tx, c.EntityID, phone)
	switch {
	case err != nil || holder == uuid.Nil:
		return uuid.Nil, err
	case holder != c.ID:
		return uuid.Nil, exists(holder)
	}
	err = tx.QueryRow(ctx, `UPDATE customers SET phone = NULL WHERE entity_id = $1 AND phone = $2 RETURNING id`, c.EntityID, phone).Scan(&merged)
	return merged, err
}

// change runs fn on a customer in the caller's scope under the lock of the customers of its entity, so that it is neither merged
// nor deleted meanwhile. Errors: ErrNotFound.
func (s *Service) change(ctx context.Context, by caller.Caller, id uuid.UUID, fn func(tx pgx.Tx, c Customer) error) error {
	return s.pg.Retried(ctx, func(tx pgx.Tx) error {
		c, err := one(ctx, tx, getSQL, id, by.Scope.Pattern())
		if err != nil {
			return err
		}
		if err := storage.LockCustomers.TakeKeys(ctx, tx, storage.Key(c.EntityID)); err != nil {
			return err
		}
		if c, err = one(ctx, tx, getSQL, id, by.Scope.Pattern()); err != nil { // as it is under the lock
			return err
		}
		return fn(tx, c)
	})
}
