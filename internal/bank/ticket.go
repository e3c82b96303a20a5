package bank

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/iddoc"
	"banca/internal/phone"
	"banca/models"
	"banca/storage"
)

// RequestForTicket is the handler of bank.request. It creates the payment request of a ticket that was sold with
// wants_payment_info to a customer with an identity document. It creates at most one request per ticket, and none for a
// ticket that is cancelled or in another currency than the bank's.
func (s *Service) RequestForTicket(ctx context.Context, ticketID uuid.UUID) error {
	var row models.PaymentRequest
	var document, number, status string
	var wants bool
	err := s.PG.Pool.QueryRow(ctx, `SELECT t.entity_id, t.wallet_id, t.currency_id, t.total, t.status, t.wants_payment_info, coalesce(c.id_document, ''), c.phone
		FROM tickets t JOIN customers c ON c.id = t.customer_id WHERE t.id = $1`, ticketID).
		Scan(&row.EntityID, &row.WalletID, &row.CurrencyID, &row.Amount, &status, &wants, &document, &number)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // sold without a customer
	}
	if err != nil {
		return fmt.Errorf("ticket to pay: %w", err)
	}
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return err
	}
	id, err := iddoc.Parse(document)
	if err != nil || !wants || status != models.TicketPending || row.CurrencyID != d.currency.ID {
		return nil //nolint:nilerr // no request is needed
	}
	if e164, err := phone.Normalise(number); err == nil {
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
