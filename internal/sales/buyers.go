package sales

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// buyer is a customer that a batch names by telephone, with the change that the batch makes to its row.
type buyer struct {
	id       uuid.UUID
	name     string // of a new customer
	document string // "" if unknown
	state    buyerState
}

type buyerState int

const (
	buyerKnown   buyerState = iota // a row that stays as it is
	buyerNew                       // a row to insert
	buyerChanged                   // a row whose id_document is to be updated
)

type customerKey struct {
	entity uuid.UUID
	phone  string
}

const (
	readBuyer = `SELECT c.entity_id, c.phone, c.id, coalesce(c.id_document, '') FROM unnest($1::uuid[], $2::text[]) AS b (entity_id, phone)
		JOIN customers c USING (entity_id, phone)`
	insertBuyers = `INSERT INTO customers (id, entity_id, name, phone, id_document)
		SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), nullif(unnest($5::text[]), '')`
	// The rows are locked in the order of their ids: concurrent sales of a ticket point in two currencies share customers but not wallets.
	updateBuyers = `UPDATE customers c SET id_document = n.document, updated_at = now()
		FROM (SELECT k.id, b.document FROM unnest($1::uuid[], $2::text[]) AS b (id, document) JOIN customers k USING (id) ORDER BY k.id FOR UPDATE OF k) n
		WHERE c.id = n.id`
)

// queueBuyers reads the customers that sales name by telephone.
func (f *facts) queueBuyers(b *pgx.Batch, batch []*pendingSale) {
	var entities storage.UUIDs
	var phones storage.Texts
	for _, p := range batch {
		if c := p.quote.customer; c != nil {
			entities, phones = append(entities, p.ticket.EntityID), append(phones, c.Phone)
		}
	}
	if len(entities) == 0 {
		return
	}
	b.Queue(readBuyer, entities, phones).Query(func(rows pgx.Rows) error {
		var k customerKey
		var found buyer
		_, err := pgx.ForEachRow(rows, []any{&k.entity, &k.phone, &found.id, &found.document}, func() error {
			known := found
			f.customers[k] = &known
			return nil
		})
		return err
	})
}

// assignBuyer gives the ticket its customer: a new one if the telephone is unknown. A document that the sale
// names replaces the customer's.
func (f *facts) assignBuyer(p *pendingSale) {
	c := p.quote.customer
	if c == nil {
		return
	}
	k := customerKey{entity: p.ticket.EntityID, phone: c.Phone}
	known := f.customers[k]
	if known == nil {
		known = &buyer{id: uuid.Must(uuid.NewV7()), name: c.Name, state: buyerNew}
		f.customers[k] = known
	}
	if c.IDDocument != "" && c.IDDocument != known.document {
		known.document = c.IDDocument
		if known.state == buyerKnown {
			known.state = buyerChanged
		}
	}
	p.ticket.CustomerID = &known.id
}

// writeBuyers queues the inserts and updates of customers.
func (f *facts) writeBuyers(b *pgx.Batch) {
	var ids, entities, changed storage.UUIDs
	var names, phones, documents, replaced storage.Texts
	for k, c := range f.customers {
		switch c.state {
		case buyerNew:
			ids, entities = append(ids, c.id), append(entities, k.entity)
			names, phones, documents = append(names, c.name), append(phones, k.phone), append(documents, c.document)
		case buyerChanged:
			changed, replaced = append(changed, c.id), append(replaced, c.document)
		case buyerKnown:
		}
	}
	if len(ids) > 0 {
		b.Queue(insertBuyers, ids, entities, names, phones, documents)
	}
	if len(changed) > 0 {
		b.Queue(updateBuyers, changed, replaced)
	}
}
