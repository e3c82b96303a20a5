package ledger

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// SaleID and CommissionID are the ids of the two transactions that book a ticket's sale. They follow from
// the ticket's id, so that an undo finds them by their primary key: an index on ticket_id would cost
// every sale two more entries.
func SaleID(ticketID uuid.UUID) uuid.UUID { return ticketID }

// CommissionID is described at SaleID.
func CommissionID(ticketID uuid.UUID) uuid.UUID {
	ticketID[len(ticketID)-1] ^= 0xFF // the tail of a UUIDv7 is random
	return ticketID
}

// BookingIDs returns the ids of the two transactions that book a sale, whose first one is given: the sale of a
// ticket, or of the rest of a refunded one.
func BookingIDs(sale uuid.UUID) []uuid.UUID {
	return []uuid.UUID{sale, CommissionID(sale)}
}

// DigestIDs returns the ids by which releases before 0.4.0 booked the rest of a ticket after its n-th refund, and
// those that migration 0063 made of them, which begin with the time of the refund.
func DigestIDs(ticketID uuid.UUID, n int, at time.Time) []uuid.UUID {
	var ids []uuid.UUID
	first := storage.FirstID(at)
	for _, id := range BookingIDs(ticketID) {
		digest := uuid.NewSHA1(id, []byte(strconv.Itoa(n)))
		dated := digest
		copy(dated[:6], first[:6])
		dated[6] = dated[6]&0x0F | 7<<4
		ids = append(ids, digest, dated)
	}
	return ids
}

// OfTicketTx returns those transactions of some ids, which book a ticket's sale, that nothing has reversed yet, with
// their postings.
func (s *Service) OfTicketTx(
	ctx context.Context, tx pgx.Tx, ticketID uuid.UUID, ids []uuid.UUID,
) ([]Transaction, error) {
	rows, err := tx.Query(ctx, `
		SELECT t.id, t.type, t.entity_id, t.currency_id, t.amount, t.reference, t.created_at, p.wallet_id, p.amount
		FROM transactions t JOIN postings p ON p.transaction_id = t.id
		WHERE t.id = ANY ($1::uuid[])
			AND NOT EXISTS (SELECT FROM transaction_reversals r WHERE r.reverses_id = t.id)
		ORDER BY t.type DESC, t.id, p.wallet_id`, storage.UUIDs(ids)) // the sale first
	if err != nil {
		return nil, fmt.Errorf("transactions of ticket: %w", err)
	}
	var list []Transaction
	t, p := Transaction{TicketID: ticketID}, Posting{}
	_, err = pgx.ForEachRow(rows, []any{&t.ID, &t.Type, &t.EntityID, &t.CurrencyID, &t.Amount, &t.Reference, &t.At, &p.WalletID, &p.Amount}, func() error {
		if n := len(list); n == 0 || list[n-1].ID != t.ID {
			list = append(list, t)
		}
		last := &list[len(list)-1]
		last.Postings = append(last.Postings, p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("transactions of ticket: %w", err)
	}
	return list, nil
}

// Transaction returns one transaction with its postings, or nil if it does not exist.
func (s *Service) Transaction(ctx context.Context, id uuid.UUID) (*Transaction, error) {
	return transaction(ctx, s.pg.Pool, id)
}

// TransactionTx is Transaction in the caller's transaction.
func (s *Service) TransactionTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*Transaction, error) {
	return transaction(ctx, tx, id)
}

// Posted reports whether a transaction whose commit was not answered is committed. lock takes a lock that the database
// transaction holds until its end, so that one which is still running is waited for. Errors: storage.ErrUnknownOutcome.
func (s *Service) Posted(ctx context.Context, id uuid.UUID, lock func(ctx context.Context, tx pgx.Tx) error) (posted bool, err error) {
	err = s.pg.FindOutcome(ctx, lock, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM transactions WHERE id = $1)`, id).Scan(&posted)
	})
	return posted, err
}

func transaction(ctx context.Context, q storage.Querier, id uuid.UUID) (*Transaction, error) {
	var found *Transaction
	t, p := &Transaction{ID: id}, Posting{}
	var ticket, reverses, user uuid.NullUUID
	into := []any{&t.Type, &t.EntityID, &t.CurrencyID, &t.Amount, &ticket, &reverses, &user, &t.Reference, &t.At, &p.WalletID, &p.Amount}
	err := storage.Each(ctx, q, "load transaction", into, func() error {
		t.TicketID, t.ReversesID, t.UserID = ticket.UUID, reverses.UUID, user.UUID
		t.Postings = append(t.Postings, p)
		found = t
		return nil
	}, `SELECT t.type, t.entity_id, t.currency_id, t.amount, t.ticket_id, t.reverses_id, t.user_id, t.reference, t.created_at,
			p.wallet_id, p.amount
		FROM transactions t JOIN postings p ON p.transaction_id = t.id WHERE t.id = $1 ORDER BY p.wallet_id`, id)
	if err != nil {
		return nil, err
	}
	return found, nil
}
