package volume

import (
	"context"

	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/models"
)

func (h *history) copyTickets(ctx context.Context, tx pgx.Tx) error {
	return copyRows(ctx, tx, "tickets", []string{
		"id", "serial_code", "validation_code", "entity_id", "path_id", "user_id", "wallet_id", "currency_id", "status",
		"total", "potential_prize", "cancel_before", "expires_at",
		"cancelled_at", "cancelled_by", "prize", "settled_at", "expired_at", "created_at",
	}, len(h.tickets), func(i int) []any {
		t := &h.tickets[i]
		return []any{
			t.ID, t.SerialCode, t.ValidationCode, t.EntityID, t.PathID, t.UserID, t.WalletID, t.CurrencyID, t.Status,
			t.Total, t.PotentialPrize, t.CancelBefore, t.ExpiresAt,
			t.CancelledAt, t.CancelledBy, t.Prize, t.SettledAt, t.ExpiredAt, t.CreatedAt,
		}
	})
}

// place is a line of a ticket by its number.
type place struct {
	ticket *ticket
	number int
}

// places lists the lines of all tickets that keep selects.
func (h *history) places(keep func(t *ticket, l *line) bool) []place {
	var list []place
	for i := range h.tickets {
		t := &h.tickets[i]
		for n := range t.lines {
			if keep(t, &t.lines[n]) {
				list = append(list, place{t, n})
			}
		}
	}
	return list
}

func (h *history) copyLines(ctx context.Context, tx pgx.Tx) error {
	var inclusive []int32
	for _, rate := range rates() {
		inclusive = append(inclusive, int32(rate))
	}
	list := h.places(func(*ticket, *line) bool { return true })
	return copyRows(ctx, tx, "ticket_items", []string{
		"ticket_id", "line_no", "draw_id", "game_id", "bet_type", "selection", "amount", "payout", "potential_prize",
		"rule_version", "commission_rates",
	}, len(list), func(i int) []any {
		l := &list[i].ticket.lines[list[i].number]
		g := l.draw.game
		return []any{
			list[i].ticket.ID, list[i].number, l.draw.id, g.id, g.bet, l.pick, int64(l.stake), int64(g.payout),
			int64(l.payout), g.version, inclusive,
		}
	})
}

func (h *history) copyWinners(ctx context.Context, tx pgx.Tx) error {
	list := h.places(func(t *ticket, l *line) bool { return t.Status != models.TicketCancelled && l.prize > 0 })
	return copyRows(ctx, tx, "winning_lines", []string{"ticket_id", "line_no", "result_id", "draw_id", "prize", "created_at"}, len(list), func(i int) []any {
		l := &list[i].ticket.lines[list[i].number]
		return []any{
			list[i].ticket.ID, list[i].number, l.draw.result, l.draw.id, int64(l.prize), l.draw.at.Add(saleStop),
		}
	})
}

func (h *history) copyTransactions(ctx context.Context, tx pgx.Tx) error {
	columns := []string{
		"id", "type", "entity_id", "currency_id", "amount", "ticket_id", "reverses_id", "user_id", "reference",
		"created_at",
	}
	return copyRows(ctx, tx, "transactions", columns, len(h.transactions), func(i int) []any {
		t := &h.transactions[i]
		return []any{
			t.ID, t.Type, t.EntityID, t.CurrencyID, int64(t.Amount), models.Optional(t.TicketID),
			models.Optional(t.ReversesID), models.Optional(t.UserID), t.Reference, t.At,
		}
	})
}

// copyPostings inserts the postings: those on the wallets of ticket points change the balances at once, as the locked
// ones of a sale.
func (h *history) copyPostings(ctx context.Context, tx pgx.Tx) error {
	type posting struct {
		*ledger.Transaction
		ledger.Posting
	}
	var list []posting
	for i := range h.transactions {
		for _, p := range h.transactions[i].Postings {
			list = append(list, posting{&h.transactions[i], p})
		}
	}
	columns := []string{"transaction_id", "wallet_id", "amount", "direct", "created_at"}
	return copyRows(ctx, tx, "postings", columns, len(list), func(i int) []any {
		p := &list[i]
		return []any{p.ID, p.WalletID, int64(p.Posting.Amount), h.points[p.WalletID] != nil, p.At}
	})
}

func (h *history) copyPayments(ctx context.Context, tx pgx.Tx) error {
	columns := []string{
		"id", "ticket_id", "entity_id", "wallet_id", "currency_id", "amount", "transaction_id", "paid_by", "paid_at",
	}
	return copyRows(ctx, tx, "paid_prizes", columns, len(h.payments), func(i int) []any {
		p := &h.payments[i]
		t := p.ticket
		return []any{p.id, t.ID, t.EntityID, t.WalletID, t.CurrencyID, t.Prize, p.transaction, t.UserID, p.at}
	})
}
