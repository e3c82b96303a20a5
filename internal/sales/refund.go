package sales

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// refundBatch bounds the tickets that one transaction refunds, and so the locks it holds.
const refundBatch = 100

// RefundDraw refunds the sales of a suspended draw and returns the number of refunded tickets. A refund returns the
// stakes of the ticket's lines on the draw and takes back the commissions on them: the bookings of the whole ticket
// are reversed, and its other lines are booked again. A ticket without other lines is cancelled. A ticket whose
// bookings do not match its lines is left unchanged and named by the error, an ErrBookings, after all others are
// refunded. RefundDraw is idempotent and may be run again after it was killed, because a refund is committed with its
// bookings.
func (s *Service) RefundDraw(ctx context.Context, draw uuid.UUID) (int, error) {
	rows, err := s.PG.Pool.Query(ctx, `SELECT DISTINCT i.ticket_id, t.wallet_id FROM ticket_lines i JOIN tickets t ON t.id = i.ticket_id
		WHERE i.draw_id = $1 AND t.status <> $2 AND NOT EXISTS (SELECT 1 FROM draw_refunds r WHERE r.draw_id = $1 AND r.ticket_id = i.ticket_id)`,
		draw, models.TicketCancelled)
	if err != nil {
		return 0, fmt.Errorf("tickets to refund: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[refundable])
	if err != nil {
		return 0, fmt.Errorf("tickets to refund: %w", err)
	}
	slices.SortFunc(list, func(a, b refundable) int { return bytes.Compare(a.WalletID[:], b.WalletID[:]) }) // so that a batch locks few wallets
	done := 0
	var mismatch error
	for batch := range slices.Chunk(list, refundBatch) {
		n, err := s.refundBatch(ctx, draw, batch)
		done += n
		if errors.Is(err, ErrBookings) {
			n, err = s.refundEach(ctx, draw, batch)
			done += n
			if errors.Is(err, ErrBookings) {
				mismatch, err = err, nil
			}
		}
		if err != nil {
			return done, fmt.Errorf("refund draw: %w", err)
		}
	}
	return done, mismatch
}

// refundEach refunds the tickets of a batch one by one, so that a ticket whose bookings do not match does not prevent
// the refund of the others. It returns the last such error.
func (s *Service) refundEach(ctx context.Context, draw uuid.UUID, batch []refundable) (done int, mismatch error) {
	for i := range batch {
		n, err := s.refundBatch(ctx, draw, batch[i:i+1])
		done += n
		if err != nil && !errors.Is(err, ErrBookings) {
			return done, err
		}
		if err != nil {
			mismatch = err
		}
	}
	return done, mismatch
}

// refundBatch refunds the tickets of a batch that are still to be refunded, in one transaction, and returns how many.
func (s *Service) refundBatch(ctx context.Context, draw uuid.UUID, batch []refundable) (int, error) {
	var r *refunding
	err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
		r = &refunding{service: s, draw: draw, now: s.Clock.Now().Truncate(time.Microsecond)}
		return r.run(ctx, tx, batch)
	})
	if err != nil {
		return 0, err
	}
	s.Wake()
	for i := range r.tickets {
		s.publishUpdated(ctx, &Ticket{ID: r.tickets[i].ID, EntityID: r.tickets[i].EntityID}, r.tickets[i].Status)
	}
	return len(r.tickets), nil
}

// refundable is a ticket with lines on the draw.
type refundable struct{ TicketID, WalletID uuid.UUID }

// refunding is the refund of one batch.
type refunding struct {
	service *Service
	draw    uuid.UUID
	now     time.Time
	tickets []refundedTicket
	lines   map[uuid.UUID][]refundLine
	levels  map[uuid.UUID]int // by wallet: the level of its entity, 0 for the operator
}

type refundedTicket struct {
	models.Ticket
	refunds    int
	refundedAt time.Time // the last time; the time of the sale before
	reversed   uuid.UUID // the booking of its sale that this refund reverses
	rebooked   uuid.UUID // the booking of its sale: the ticket's id before the first refund and after digests
}

// refundLine is a line that no earlier refund has returned. onDraw reports whether this refund returns it.
type refundLine struct {
	ticket uuid.UUID
	amount money.Amount
	rates  []money.BasisPoints
	onDraw bool
}

func (r *refunding) run(ctx context.Context, tx pgx.Tx, batch []refundable) error {
	ids, wallets := make([]uuid.UUID, len(batch)), make([]uuid.UUID, len(batch))
	for i := range batch {
		ids[i], wallets[i] = batch[i].TicketID, batch[i].WalletID
	}
	wallets = distinct(wallets)
	if err := storage.AwaitSettlements(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM wallets WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE`, storage.UUIDs(wallets)); err != nil {
		return err
	}
	if err := r.lock(ctx, tx, ids); err != nil {
		return err
	}
	if err := r.readLines(ctx, tx); err != nil {
		return err
	}
	var posted []ledger.Transaction
	for i := range r.tickets {
		list, err := r.rebook(ctx, tx, &r.tickets[i])
		if err != nil {
			return fmt.Errorf("ticket %s: %w", r.tickets[i].ID, err)
		}
		posted = append(posted, list...)
	}
	if len(posted) == 0 {
		return nil
	}
	if err := r.service.Ledger.PostTx(ctx, tx, wallets, posted...); err != nil {
		return err
	}
	return r.write(ctx, tx)
}

// lock locks the batch's tickets and keeps those that are still to be refunded.
func (r *refunding) lock(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) error {
	rows, err := tx.Query(ctx, `SELECT t.id, t.entity_id, t.user_id, t.wallet_id, t.currency_id, t.status, t.total,
			t.refunds,
			coalesce((SELECT max(d.created_at) FROM draw_refunds d WHERE d.ticket_id = t.id), t.created_at),
			coalesce((SELECT d.rebooked_id FROM draw_refunds d WHERE d.ticket_id = t.id AND d.rebooked_id IS NOT NULL
				AND NOT EXISTS (SELECT FROM transaction_reversals v WHERE v.reverses_id = d.rebooked_id)
				ORDER BY d.created_at DESC LIMIT 1), t.id)
		FROM tickets t WHERE t.id = ANY ($1::uuid[]) AND t.status <> $3 AND NOT EXISTS (SELECT 1 FROM draw_refunds d
			WHERE d.draw_id = $2 AND d.ticket_id = t.id)
		ORDER BY t.id FOR UPDATE`, storage.UUIDs(ids), r.draw, models.TicketCancelled)
	if err != nil {
		return err
	}
	var t refundedTicket
	_, err = pgx.ForEachRow(rows, []any{&t.ID, &t.EntityID, &t.UserID, &t.WalletID, &t.CurrencyID, &t.Status,
		&t.Total, &t.refunds, &t.refundedAt, &t.rebooked}, func() error {
		r.tickets = append(r.tickets, t)
		return nil
	})
	return err
}

// readLines reads the lines of the batch's tickets that no earlier refund has returned.
func (r *refunding) readLines(ctx context.Context, tx pgx.Tx) error {
	ids := make(storage.UUIDs, len(r.tickets))
	for i := range r.tickets {
		ids[i] = r.tickets[i].ID
	}
	rows, err := tx.Query(ctx, `SELECT i.ticket_id, i.amount, i.commission_rates, i.draw_id = $2 FROM ticket_lines i
		WHERE i.ticket_id = ANY ($1::uuid[]) AND NOT EXISTS (SELECT 1 FROM draw_refunds d WHERE d.ticket_id = i.ticket_id AND d.draw_id = i.draw_id)
		ORDER BY i.ticket_id, i.line_no`, ids, r.draw)
	if err != nil {
		return err
	}
	r.lines = make(map[uuid.UUID][]refundLine, len(ids))
	var l refundLine
	var rates []int32
	_, err = pgx.ForEachRow(rows, []any{&l.ticket, &l.amount, &rates, &l.onDraw}, func() error {
		l.rates = make([]money.BasisPoints, len(rates))
		for i, rate := range rates {
			l.rates[i] = money.BasisPoints(rate)
		}
		r.lines[l.ticket] = append(r.lines[l.ticket], l)
		return nil
	})
	return err
}

// write updates the tickets, inserts the refunds and enqueues new receipt pictures.
func (r *refunding) write(ctx context.Context, tx pgx.Tx) error {
	n := len(r.tickets)
	ids, amounts, reversed, rebooked := make(storage.UUIDs, n), make(storage.Bigints, n), make(storage.UUIDs, n),
		make(storage.MaybeUUIDs, n)
	refunds := make([]tickets.Refund, n)
	renderTasks := make([]outbox.Row, n)
	for i := range r.tickets {
		t := &r.tickets[i]
		amount, left := r.split(t.ID)
		if left == 0 {
			t.Status = models.TicketCancelled
		}
		refunds[i] = tickets.Refund{ID: t.ID, Amount: amount, Whole: left == 0}
		ids[i], amounts[i], reversed[i] = t.ID, int64(amount), t.reversed
		if left > 0 {
			rebooked[i] = t.rebooked
		}
		var err error
		if renderTasks[i], err = outbox.NewRow(tasks.ReceiptRender{TicketID: t.ID}); err != nil {
			return err
		}
	}
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO draw_refunds (draw_id, ticket_id, amount, transaction_id, rebooked_id, created_at)
		SELECT $1, unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::uuid[]), unnest($5::uuid[]), $6`, r.draw, ids,
		amounts, reversed, rebooked, r.now)
	tickets.QueueRefund(b, refunds, r.now)
	outbox.QueueInsert(b, renderTasks)
	return tx.SendBatch(ctx, b).Close()
}

// split returns the sum of the ticket's lines that are refunded, and the sum of those that stay sold.
func (r *refunding) split(ticket uuid.UUID) (refunded, left money.Amount) {
	for _, l := range r.lines[ticket] {
		if l.onDraw {
			refunded += l.amount
		} else {
			left += l.amount
		}
	}
	return refunded, left
}
