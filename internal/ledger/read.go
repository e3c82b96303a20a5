package ledger

import (
	"context"
	"fmt"
	"strconv"

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

// RebookedIDs returns the ids of the two transactions that book the rest of a ticket's sale after its n-th refund.
// Before the first one they are SaleID and CommissionID.
func RebookedIDs(ticketID uuid.UUID, n int) (sale, commission uuid.UUID) {
	if n == 0 {
		return SaleID(ticketID), CommissionID(ticketID)
	}
	name := []byte(strconv.Itoa(n))
	return uuid.NewSHA1(SaleID(ticketID), name), uuid.NewSHA1(CommissionID(ticketID), name)
}

// OfTicketTx returns the transactions of a ticket's sale, as rebooked by so many refunds, that nothing has reversed
// yet, with their postings.
func (s *Service) OfTicketTx(ctx context.Context, tx pgx.Tx, ticketID uuid.UUID, refunds int) ([]Transaction, error) {
	sale, commission := RebookedIDs(ticketID, refunds)
	rows, err := tx.Query(ctx, `
		SELECT t.id, t.type, t.entity_id, t.currency_id, t.amount, t.reference, t.created_at, p.wallet_id, p.amount
		FROM transactions t JOIN postings p ON p.transaction_id = t.id
		WHERE t.id IN ($1, $2)
			AND NOT EXISTS (SELECT 1 FROM transactions r WHERE r.reverses_id = t.id)
		ORDER BY t.type DESC, t.id, p.wallet_id`, sale, commission) // the sale first
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
	rows, err := q.Query(ctx, `SELECT t.type, t.entity_id, t.currency_id, t.amount, t.ticket_id, t.reverses_id, t.user_id, t.reference, t.created_at,
			p.wallet_id, p.amount
		FROM transactions t JOIN postings p ON p.transaction_id = t.id WHERE t.id = $1 ORDER BY p.wallet_id`, id)
	if err != nil {
		return nil, fmt.Errorf("load transaction: %w", err)
	}
	var found *Transaction
	t, p := &Transaction{ID: id}, Posting{}
	var ticket, reverses, user uuid.NullUUID
	into := []any{&t.Type, &t.EntityID, &t.CurrencyID, &t.Amount, &ticket, &reverses, &user, &t.Reference, &t.At, &p.WalletID, &p.Amount}
	_, err = pgx.ForEachRow(rows, into, func() error {
		t.TicketID, t.ReversesID, t.UserID = ticket.UUID, reverses.UUID, user.UUID
		t.Postings = append(t.Postings, p)
		found = t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load transaction: %w", err)
	}
	return found, nil
}
