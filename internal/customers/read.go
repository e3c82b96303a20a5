package customers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/storage"
)

// getSQL reads the customer that a row is or is merged into, in a scope.
const getSQL = `SELECT ` + columns + ` FROM customers c JOIN customers k ON k.id = coalesce(c.merged_into, c.id) JOIN entities e ON e.id = k.entity_id
	WHERE c.id = $1 AND k.deleted_at IS NULL AND e.path LIKE $2`

// Get returns a customer in the caller's scope; for the id of a merged one, the customer that it is merged into. Errors:
// ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (Customer, error) {
	return one(ctx, s.pg.Pool, getSQL, id, by.Scope.Pattern())
}

// Group is a customer with the rows that are merged into it.
type Group struct {
	Customer

	IDs       []uuid.UUID // of all rows, the customer's first
	Documents []string    // all that the rows hold, in normal form
}

// Group returns a customer in the caller's scope with the rows merged into it, whose history is the customer's. Errors: ErrNotFound.
func (s *Service) Group(ctx context.Context, by caller.Caller, id uuid.UUID) (*Group, error) {
	c, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, err
	}
	g := &Group{Customer: c}
	var row uuid.UUID
	var document string
	err = storage.Each(ctx, s.pg.Pool, "read merged customers", []any{&row, &document}, func() error {
		if g.IDs = append(g.IDs, row); document != "" {
			g.Documents = append(g.Documents, document)
		}
		return nil
	}, `SELECT id, coalesce(id_document, '') FROM customers WHERE id = $1 OR merged_into = $1 ORDER BY id <> $1, id`, c.ID)
	if err != nil {
		return nil, err
	}
	g.Documents = distinct(g.Documents)
	return g, nil
}

// Filter selects customers; zero fields select all.
type Filter struct {
	EntityID uuid.UUID
	Search   string // words of the name and parts of the telephone; all must match
	Limit    int
	Offset   int
}

// List returns a page of the customers in the caller's scope, by name, and the number of all.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Customer, int64, error) {
	ids, total, err := storage.List(ctx, s.pg.Pool, f.listing(by), pgx.RowTo[uuid.UUID], f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list customers: %w", err)
	}
	list, err := storage.Collect(ctx, s.pg.Pool, "list customers", scan,
		`SELECT `+columns+` FROM customers k WHERE k.id = ANY($1) AND k.merged_into IS NULL AND k.deleted_at IS NULL
		ORDER BY k.search_name, k.id`, storage.UUIDs(ids))
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// lastBoughtSQL probes the index of a customer's tickets, from the newest one, in each month.
const lastBoughtSQL = `SELECT k.id, max(t.created_at) FROM customers k JOIN entities e ON e.id = k.entity_id
	CROSS JOIN LATERAL (SELECT k.id UNION ALL SELECT m.id FROM customers m WHERE m.merged_into = k.id) AS c (id)
	CROSS JOIN LATERAL (SELECT created_at FROM tickets WHERE customer_id = c.id AND cancelled_at IS NULL ORDER BY id DESC LIMIT 1) t
	WHERE k.id = ANY($1) AND k.merged_into IS NULL AND e.path LIKE $2 GROUP BY k.id`

// LastBought returns the time of each customer's newest ticket that was not cancelled. It leaves out customers without one,
// and customers outside the caller's scope.
func (s *Service) LastBought(ctx context.Context, by caller.Caller, ids []uuid.UUID) (map[uuid.UUID]time.Time, error) {
	last := make(map[uuid.UUID]time.Time, len(ids))
	var id uuid.UUID
	var at time.Time
	err := storage.Each(ctx, s.pg.Pool, "read last purchases", []any{&id, &at}, func() error {
		last[id] = at
		return nil
	}, lastBoughtSQL, storage.UUIDs(ids), by.Scope.Pattern())
	return last, err
}

// Row is a customer with the ticket point that it belongs to.
type Row struct {
	Customer

	TicketPoint string
	Code        string
}

// All returns all customers of a filter by name, which are read one by one in one snapshot, and their number.
func (s *Service) All(ctx context.Context, by caller.Caller, f *Filter) (rows iter.Seq2[Row, error], total int64, err error) {
	l := f.listing(by)
	l.CountFrom, l.From = l.From, `FROM customers k JOIN (SELECT id AS point_id, name AS point_name, code AS point_code FROM entities) e ON e.point_id = k.entity_id`
	l.Columns = columns + `, point_name, point_code`
	return storage.All(ctx, s.pg, l, func(row pgx.CollectableRow) (r Row, err error) {
		err = row.Scan(append(r.targets(), &r.TicketPoint, &r.Code)...)
		r.complete()
		return r, err
	})
}

// listing selects the ids of the customers. Both its statements read the index customers_search alone: a search compares all names
// of the entities, at the same cost for every text.
func (f *Filter) listing(by caller.Caller) *storage.Listing {
	w := &storage.Where{}
	w.And(`merged_into IS NULL AND deleted_at IS NULL`)
	entities := `SELECT id FROM entities WHERE path LIKE ` + w.Arg(by.Scope.Pattern())
	if f.EntityID != uuid.Nil {
		entities += ` AND id = ` + w.Arg(f.EntityID)
	}
	w.And(`entity_id = ANY(ARRAY(` + entities + `))`)
	words := parseSearch(f.Search)
	for _, name := range words.names {
		w.And(`search_name LIKE ` + w.Arg(storage.Containing(name)))
	}
	for _, digits := range words.digits {
		w.And(`phone LIKE ` + w.Arg(storage.Containing(digits)))
	}
	return &storage.Listing{Columns: `id`, From: `FROM customers`, Where: w, Order: `search_name, id`}
}

// Contact is how the buyer of a ticket is reached, and the document with which the buyer pays by bank; fields of a deleted customer
// are empty.
type Contact struct{ Name, Phone, IDDocument string }

// ContactOf returns the contact of a ticket's customer. Errors: ErrNotFound.
func ContactOf(ctx context.Context, db storage.Querier, id uuid.UUID) (Contact, error) {
	contacts, err := ContactsOf(ctx, db, []uuid.UUID{id})
	if err != nil {
		return Contact{}, err
	}
	c, ok := contacts[id]
	if !ok {
		return c, ErrNotFound
	}
	return c, nil
}

// ContactsOf returns the contacts of the customers of tickets by their ids, without unknown ones. Without ids it asks
// nothing.
func ContactsOf(ctx context.Context, db storage.Querier, ids []uuid.UUID) (map[uuid.UUID]Contact, error) {
	if len(ids) == 0 {
		return map[uuid.UUID]Contact{}, nil
	}
	contacts := make(map[uuid.UUID]Contact, len(ids))
	var id uuid.UUID
	var c Contact
	err := storage.Each(ctx, db, "contacts of customers", []any{&id, &c.Name, &c.Phone, &c.IDDocument}, func() error {
		contacts[id] = c
		return nil
	}, `SELECT c.id, k.name, coalesce(k.phone, ''), coalesce(k.id_document, '')
		FROM customers c JOIN customers k ON k.id = coalesce(c.merged_into, c.id) WHERE c.id = ANY($1)`, storage.UUIDs(ids))
	if err != nil {
		return nil, err
	}
	return contacts, nil
}

// Resolve returns the id of the customer of an entity that a row is or is merged into. Errors: ErrNotFound.
func Resolve(ctx context.Context, db storage.RowQuerier, id, entity uuid.UUID) (kept uuid.UUID, err error) {
	err = db.QueryRow(ctx, `SELECT coalesce(merged_into, id) FROM customers WHERE id = $1 AND entity_id = $2 AND deleted_at IS NULL`, id, entity).Scan(&kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, ErrNotFound
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("resolve customer: %w", err)
	}
	return kept, nil
}

// maxAlike bounds the customers that Alike returns, searched the customers that Alike compares.
const (
	maxAlike = 3
	searched = 21
)

// Alike returns customers of the same ticket point that may be the same person: with the same name, and without another identity document.
func (s *Service) Alike(ctx context.Context, by caller.Caller, c *Customer) ([]Customer, error) {
	list, _, err := s.List(ctx, by, &Filter{EntityID: c.EntityID, Search: c.Name, Limit: searched})
	list = slices.DeleteFunc(list, func(o Customer) bool {
		otherDocument := o.IDDocument != "" && c.IDDocument != "" && o.IDDocument != c.IDDocument
		return o.ID == c.ID || otherDocument || searchName(o.Name) != searchName(c.Name)
	})
	return list[:min(len(list), maxAlike)], err
}
