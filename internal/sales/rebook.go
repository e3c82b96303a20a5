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
	"banca/internal/money"
	"banca/models"
	"banca/storage"
)

// errBookings means that a ticket's bookings are not what its lines say; nothing is refunded on a guess.
var errBookings = errors.New("sales: the bookings of the ticket do not fit its lines")

// rebook reverses the bookings of a ticket and books what stays sold of it.
func (r *refunding) rebook(ctx context.Context, tx pgx.Tx, t *refundedTicket) ([]ledger.Transaction, error) {
	booked, err := r.service.Ledger.OfTicketTx(ctx, tx, t.ID, t.refunds)
	if err != nil {
		return nil, err
	}
	if len(booked) == 0 || booked[0].Type != models.TransactionSale {
		return nil, errBookings
	}
	list := make([]ledger.Transaction, 0, 2*len(booked))
	for i := range booked {
		list = append(list, booked[i].Reverse(uuid.Nil, r.now))
	}
	_, left := r.split(t.ID)
	if left == 0 {
		return list, nil
	}
	sale, commission := booked[0], ledger.Transaction{}
	sale.ID, commission.ID = ledger.RebookedIDs(t.ID, t.refunds+1)
	sale.Amount, sale.At, sale.Postings = left, r.now, movedBy(sale.Postings, left)
	list = append(list, sale)
	if len(booked) == 1 {
		return list, nil
	}
	if err := r.rank(ctx, tx, booked[1].Postings); err != nil {
		return nil, err
	}
	again, err := r.commissionsOf(t.ID, &booked[1])
	if err != nil || again.Amount == 0 {
		return list, err
	}
	again.ID, again.At = commission.ID, r.now
	return append(list, again), nil
}

// movedBy returns the two postings of a sale with another amount.
func movedBy(postings []ledger.Posting, amount money.Amount) []ledger.Posting {
	moved := slices.Clone(postings)
	for i := range moved {
		if moved[i].Amount > 0 {
			moved[i].Amount = amount
		} else {
			moved[i].Amount = -amount
		}
	}
	return moved
}

// commissionsOf books the commissions on the rest of a sale to the wallets that had those on the whole. Each level's
// wallet is found by its position: levels without margin have no posting, and the entity types of a chain descend, so
// the postings in the order of their entities' types are the levels with a margin, even if an entity was moved since.
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
	slices.SortFunc(wallets, func(a, b ledger.Posting) int { return cmp.Compare(r.ranks[a.WalletID], r.ranks[b.WalletID]) })
	again := *whole
	again.Amount, again.Postings = 0, nil
	next := 0
	for level := range before {
		if before[level] == 0 {
			continue
		}
		if next == len(wallets) || wallets[next].Amount != before[level] {
			return again, errBookings
		}
		if after[level] > 0 {
			again.Amount += after[level]
			again.Postings = append(again.Postings, ledger.Posting{WalletID: wallets[next].WalletID, Amount: after[level]})
		}
		next++
	}
	if next != len(wallets) {
		return again, errBookings
	}
	again.Postings = append(again.Postings, ledger.Posting{WalletID: root, Amount: -again.Amount})
	return again, nil
}

// margins sums each level's commission over a ticket's lines, before the refund and after it.
func (r *refunding) margins(ticket uuid.UUID) (before, after []money.Amount) {
	for _, l := range r.lines[ticket] {
		parts := money.SplitByMargins(l.amount, l.rates)
		if before == nil {
			before, after = make([]money.Amount, len(parts)), make([]money.Amount, len(parts))
		}
		for level, part := range parts {
			before[level] += part
			if !l.back {
				after[level] += part
			}
		}
	}
	return before, after
}

// rank learns how high the entities of wallets stand.
func (r *refunding) rank(ctx context.Context, tx pgx.Tx, postings []ledger.Posting) error {
	var missing storage.UUIDs
	for _, p := range postings {
		if _, known := r.ranks[p.WalletID]; !known {
			missing = append(missing, p.WalletID)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if r.ranks == nil {
		r.ranks = make(map[uuid.UUID]int)
	}
	rows, err := tx.Query(ctx, `SELECT w.id, e.entity_type FROM wallets w JOIN entities e ON e.id = w.entity_id WHERE w.id = ANY ($1::uuid[])`, missing)
	if err != nil {
		return fmt.Errorf("wallets of bookings: %w", err)
	}
	order := []string{models.EntityOperator, models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
	var id uuid.UUID
	var kind string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind}, func() error {
		r.ranks[id] = slices.Index(order, kind)
		return nil
	})
	return err
}
