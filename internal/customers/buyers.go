package customers

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Buyer is a customer that a sale names by telephone; its fields are in normal form. A document replaces the customer's.
type Buyer struct {
	EntityID   uuid.UUID
	Phone      string
	Name       string // of a new customer
	IDDocument string // "" if the sale names none
}

func (b *Buyer) key() buyerKey { return buyerKey{b.EntityID, b.Phone} }

type buyerKey struct {
	entity uuid.UUID
	phone  string
}

// buyerRow is a row of customers with the change that a batch makes to it.
type buyerRow struct {
	id       uuid.UUID
	name     string // of a new row
	document string // "" if unknown
	state    buyerState
}

type buyerState int

const (
	buyerKnown   buyerState = iota // a row that stays as it is
	buyerNew                       // a row to insert
	buyerChanged                   // a row whose id_document is to be updated
)

// Buyers are the customers of a batch of sales, and what the batch writes to their rows.
type Buyers struct {
	rows map[buyerKey]*buyerRow
	byID map[uuid.UUID]*buyerRow // the same, because a customer has several telephones after a merge
}

// NewBuyers returns Buyers without rows.
func NewBuyers() *Buyers {
	return &Buyers{rows: make(map[buyerKey]*buyerRow), byID: make(map[uuid.UUID]*buyerRow)}
}

const (
	readBuyers = `SELECT c.entity_id, c.phone, coalesce(k.id, c.id), coalesce(CASE WHEN k.id IS NULL THEN c.id_document ELSE k.id_document END, '')
		FROM unnest($1::uuid[], $2::text[]) AS b (entity_id, phone) JOIN customers c USING (entity_id, phone) LEFT JOIN customers k ON k.id = c.merged_into`
	insertBuyers = `INSERT INTO customers (id, entity_id, name, search_name, phone, id_document)
		SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), nullif(unnest($6::text[]), '')`
	// The rows are locked in the order of their ids: concurrent sales of a ticket point in two currencies share customers but not
	// wallets. A customer that was deleted since it was read stays empty.
	updateBuyers = `UPDATE customers c SET id_document = n.document, updated_at = now()
		FROM (SELECT k.id, b.document FROM unnest($1::uuid[], $2::text[]) AS b (id, document) JOIN customers k USING (id)
			WHERE k.deleted_at IS NULL ORDER BY k.id FOR UPDATE OF k) n
		WHERE c.id = n.id`
)

// QueueRead adds to a batch the statement that reads the customers with the telephones of buyers.
func (s *Buyers) QueueRead(b *pgx.Batch, buyers []Buyer) {
	if len(buyers) == 0 {
		return
	}
	entities, phones := make(storage.UUIDs, len(buyers)), make(storage.Texts, len(buyers))
	for i := range buyers {
		entities[i], phones[i] = buyers[i].EntityID, buyers[i].Phone
	}
	b.Queue(readBuyers, entities, phones).Query(func(rows pgx.Rows) error {
		var k buyerKey
		var found buyerRow
		_, err := pgx.ForEachRow(rows, []any{&k.entity, &k.phone, &found.id, &found.document}, func() error {
			if s.byID[found.id] == nil {
				known := found
				s.byID[found.id] = &known
			}
			s.rows[k] = s.byID[found.id]
			return nil
		})
		return err
	})
}

// Assign returns the customer of a buyer: a new one if the telephone is unknown.
func (s *Buyers) Assign(buyer *Buyer) uuid.UUID {
	row := s.rows[buyer.key()]
	if row == nil {
		row = &buyerRow{id: uuid.Must(uuid.NewV7()), name: buyer.Name, state: buyerNew}
		s.rows[buyer.key()] = row
	}
	if buyer.IDDocument != "" && buyer.IDDocument != row.document {
		row.document = buyer.IDDocument
		if row.state == buyerKnown {
			row.state = buyerChanged
		}
	}
	return row.id
}

// QueueWrite adds to a batch the inserts and updates of customers.
func (s *Buyers) QueueWrite(b *pgx.Batch) {
	var ids, entities, changed storage.UUIDs
	var names, searched, phones, documents, replaced storage.Texts
	for k, row := range s.rows {
		if row.state == buyerNew {
			ids, entities = append(ids, row.id), append(entities, k.entity)
			names, searched = append(names, row.name), append(searched, searchName(row.name))
			phones, documents = append(phones, k.phone), append(documents, row.document)
		}
	}
	for _, row := range s.byID {
		if row.state == buyerChanged {
			changed, replaced = append(changed, row.id), append(replaced, row.document)
		}
	}
	if len(ids) > 0 {
		b.Queue(insertBuyers, ids, entities, names, searched, phones, documents)
	}
	if len(changed) > 0 {
		b.Queue(updateBuyers, changed, replaced)
	}
}
