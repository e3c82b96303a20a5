package bank

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/customers"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/phone"
	"banca/models"
	"banca/storage"
)

// ofArchivedTickets selects the requests for archived tickets of customers, whose rows cannot be asked, by the identity document.
const ofArchivedTickets = `SELECT r.id FROM customers k JOIN payment_requests r ON r.entity_id = k.entity_id AND r.client_number = ltrim(regexp_replace(k.id_document, '[^0-9]', '', 'g'), '0')
	WHERE k.id = ANY($1) AND r.ticket_id < (SELECT archived_before())`

// ForgetTx erases the telephones of the payment requests for tickets of deleted customers. The number of the identity document
// stays: an expected payment is recognised by it.
func (s *Service) ForgetTx(ctx context.Context, tx pgx.Tx, customers []uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE payment_requests SET client_phone = NULL
		WHERE (ticket_id IN (SELECT id FROM tickets WHERE customer_id = ANY($1)) OR id IN (`+ofArchivedTickets+`)) AND client_phone IS NOT NULL`, storage.UUIDs(customers))
	if err != nil {
		return fmt.Errorf("forget telephones of payment requests: %w", err)
	}
	return nil
}

// RequestForTicket is the handler of bank.request. It creates the payment request of a ticket that was sold with
// wants_payment_info to a customer with an identity document. It creates at most one request per ticket, and none for a
// ticket that is cancelled or in another currency than the bank's.
func (s *Service) RequestForTicket(ctx context.Context, ticketID uuid.UUID) error {
	var row models.PaymentRequest
	var customer uuid.UUID
	var status string
	var wants bool
	err := s.PG.Pool.QueryRow(ctx, `SELECT t.entity_id, t.wallet_id, t.currency_id, t.total, t.status, t.wants_payment_info, coalesce(t.customer_id, $2)
		FROM tickets t WHERE t.id = $1`, ticketID, uuid.Nil).
		Scan(&row.EntityID, &row.WalletID, &row.CurrencyID, &row.Amount, &status, &wants, &customer)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // no such ticket
	}
	if err != nil {
		return fmt.Errorf("ticket to pay: %w", err)
	}
	buyer, err := customers.ContactOf(ctx, s.PG.Pool, customer)
	if errors.Is(err, customers.ErrNotFound) {
		return nil // sold without a customer
	}
	if err != nil {
		return err
	}
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return err
	}
	id, err := iddoc.Parse(buyer.IDDocument)
	if err != nil || !wants || status != models.TicketPending || row.CurrencyID != d.currency.ID {
		return nil //nolint:nilerr // no request is needed
	}
	if e164, err := phone.Normalise(buyer.Phone); err == nil {
		row.ClientPhone = &e164
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	row.ID, row.Origin, row.TicketID, row.Status = uuid.Must(uuid.NewV7()), models.OriginTicket, &ticketID, models.RequestOpen
	row.ClientLetter, row.ClientNumber = id.Letter, id.Number
	row.ExpiresAt, row.CreatedAt = now.Add(s.Options.RequestExpiry), now
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error { return insertRequest(ctx, tx, &row) })
	if storage.Violates(err, "payment_requests_ticket") {
		return nil // the request exists
	}
	return err
}
