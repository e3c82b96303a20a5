package sales

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// ErrBookings means that a ticket's bookings do not match its lines. Such a ticket is not refunded.
var ErrBookings = errors.New("sales: the bookings of the ticket do not match its lines")

// booked returns the ids that the bookings of a ticket may have.
func (t *refundedTicket) booked() []uuid.UUID {
	if t.refunds > 0 && t.rebooked == t.ID {
		return ledger.DigestIDs(t.ID, t.refunds, t.refundedAt)
	}
	return ledger.BookingIDs(t.rebooked)
}

// rebook returns the transactions that reverse the bookings of a ticket and book the lines that stay sold.
func (r *refunding) rebook(ctx context.Context, tx pgx.Tx, t *refundedTicket) ([]ledger.Transaction, error) {
	booked, err := r.service.Ledger.OfTicketTx(ctx, tx, t.ID, t.booked())
	if err != nil {
		return nil, err
	}
	if len(booked) == 0 || booked[0].Type != models.TransactionSale {
		return nil, ErrBookings
	}
	t.reversed = booked[0].ID
	list := make([]ledger.Transaction, 0, 2*len(booked))
	for i := range booked {
		list = append(list, booked[i].Reverse(uuid.Nil, r.now))
	}
	_, left := r.split(t.ID)
	if left == 0 {
		return list, nil
	}
	sale := booked[0]
	if t.rebooked, err = storage.IDAt(r.now); err != nil {
		return nil, err
	}
	sale.ID = t.rebooked
	sale.Amount, sale.At, sale.Postings = left, r.now, withAmount(sale.Postings, left)
	list = append(list, sale)
	if len(booked) == 1 {
		return list, nil
	}
	if err := r.loadLevels(ctx, tx, booked[1].Postings); err != nil {
		return nil, err
	}
	rebooked, err := r.commissionsOf(t.ID, &booked[1])
	if err != nil || rebooked.Amount == 0 {
		return list, err
	}
	rebooked.ID, rebooked.At = ledger.CommissionID(t.rebooked), r.now
	return append(list, rebooked), nil
}

// withAmount returns the two postings of a sale with another amount.
func withAmount(postings []ledger.Posting, amount money.Amount) []ledger.Posting {
	changed := slices.Clone(postings)
	for i := range changed {
		if changed[i].Amount > 0 {
			changed[i].Amount = amount
		} else {
			changed[i].Amount = -amount
		}
	}
	return changed
}

// commissionsOf returns the commissions on the lines that stay sold, posted to the wallets of whole, the commissions on
// all lines. A level with a margin has one posting in whole and a level without margin has none, and no two entities of
// a chain have the same type. So the postings of whole, sorted by entity type, belong to the levels with a margin in
// their order, even if an entity was moved after the sale.
func (r *refunding) commissionsOf(ticket uuid.UUID, whole *ledger.Transaction) (ledger.Transaction, error) {
	before, after := r.margins(ticket)
	var wallets []ledger.Posting
	var root uuid.UUID
	for _, p := range whole.Postings {
		if p.Amount < 0 {
			root = p.WalletID
			continue
		}
		wallets = append(wallets, p)
	}
	slices.SortFunc(wallets, func(a, b ledger.Posting) int { return cmp.Compare(r.levels[a.WalletID], r.levels[b.WalletID]) })
	rebooked := *whole
	rebooked.Amount, rebooked.Postings = 0, nil
	next := 0
	for level := range before {
		if before[level] == 0 {
			continue
		}
		if next == len(wallets) || wallets[next].Amount != before[level] {
			return rebooked, ErrBookings
		}
		if after[level] > 0 {
			rebooked.Amount += after[level]
			rebooked.Postings = append(rebooked.Postings, ledger.Posting{WalletID: wallets[next].WalletID, Amount: after[level]})
		}
		next++
	}
	if next != len(wallets) {
		return rebooked, ErrBookings
	}
	rebooked.Postings = append(rebooked.Postings, ledger.Posting{WalletID: root, Amount: -rebooked.Amount})
	return rebooked, nil
}

// margins returns the commission of each level on a ticket, before the refund and after it.
func (r *refunding) margins(ticket uuid.UUID) (before, after []money.Amount) {
	for _, l := range r.lines[ticket] {
		parts := money.SplitByMargins(l.amount, l.rates)
		if before == nil {
			before, after = make([]money.Amount, len(parts)), make([]money.Amount, len(parts))
		}
		for level, part := range parts {
			before[level] += part
			if !l.onDraw {
				after[level] += part
			}
		}
	}
	return before, after
}

// loadLevels adds to r.levels the wallets of postings that it lacks.
func (r *refunding) loadLevels(ctx context.Context, tx pgx.Tx, postings []ledger.Posting) error {
	var missing storage.UUIDs
	for _, p := range postings {
		if _, known := r.levels[p.WalletID]; !known {
			missing = append(missing, p.WalletID)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if r.levels == nil {
		r.levels = make(map[uuid.UUID]int)
	}
	rows, err := tx.Query(ctx, `SELECT w.id, e.entity_type FROM wallets w JOIN entities e ON e.id = w.entity_id WHERE w.id = ANY ($1::uuid[])`, missing)
	if err != nil {
		return fmt.Errorf("wallets of bookings: %w", err)
	}
	order := []string{models.EntityOperator, models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
	var id uuid.UUID
	var kind string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind}, func() error {
		r.levels[id] = slices.Index(order, kind)
		return nil
	})
	return err
}
