package rollup

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"banca/internal/feed"
	"banca/internal/money"
	"banca/models"
)

// leaf names what the events of one ticket point are summed by. Its day is counted from 2000-01-01, as Postgres counts dates.
type leaf struct {
	path     int32
	day      int32
	currency uuid.UUID
	draw     uuid.UUID // Nil for the numbers of tickets
}

// maxLevels is the number of levels with a commission.
const maxLevels = 4

// leafFigures are the figures of a leaf. Its commissions are by place in the path, from the operator's child down.
type leafFigures struct {
	Figures

	margins [maxLevels]money.Amount
}

// events are the figures of the ticket points.
type events map[leaf]*leafFigures

func (e events) of(at leaf) *leafFigures {
	f := e[at]
	if f == nil {
		f = new(leafFigures)
		e[at] = f
	}
	return f
}

// Every statement begins with the columns path, day, currency and draw, and counts the rows of the window $1 <= xid < $2. $3 is the
// time zone of business days.
const (
	sellersPath  = `coalesce(t.path_id, (SELECT e.path_id FROM entities e WHERE e.id = t.entity_id))`
	dayOfBooking = `(b.created_at AT TIME ZONE $3)::date - DATE '2000-01-01'`
	inWindow     = `b.xid >= $1 AND b.xid < $2 AND b.type = '` + models.TransactionSale + `'`
	isSale       = `b.id = b.ticket_id` // the id of the sale is that of the ticket; the others book the rest of a refunded ticket
	isVoid       = `b.reverses_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM draw_refunds r WHERE r.transaction_id = b.reverses_id)`

	selectLines = `SELECT ` + sellersPath + `, ` + dayOfBooking + `, t.currency_id, l.draw_id, l.amount, l.commission_rates::text`
	ticketLines = ` FROM transactions b JOIN tickets t ON t.id = b.ticket_id JOIN ticket_lines l ON l.ticket_id = t.id`

	soldLines     = selectLines + ticketLines + ` WHERE ` + inWindow + ` AND ` + isSale
	voidedLines   = selectLines + ticketLines + ` WHERE ` + inWindow + ` AND ` + isVoid
	refundedLines = selectLines + ` FROM transactions b JOIN draw_refunds r ON r.transaction_id = b.reverses_id
		JOIN tickets t ON t.id = r.ticket_id JOIN ticket_lines l ON l.ticket_id = r.ticket_id AND l.draw_id = r.draw_id
		WHERE ` + inWindow + ` AND b.reverses_id IS NOT NULL`

	ticketCounts = `SELECT ` + sellersPath + `, ` + dayOfBooking + `, t.currency_id, '00000000-0000-0000-0000-000000000000'::uuid, count(*) FILTER (WHERE ` + isSale + `), count(*) FILTER (WHERE NOT ` + isSale + `)
		FROM transactions b JOIN tickets t ON t.id = b.ticket_id WHERE ` + inWindow + ` AND (` + isSale + ` OR ` + isVoid + `) GROUP BY 1, 2, 3`

	paidPrizes = `SELECT ` + sellersPath + `, ` + dayOfBooking + `, p.currency_id, s.draw_id, sum(CASE WHEN b.reverses_id IS NULL THEN s.amount ELSE -s.amount END)::bigint
		FROM transactions b JOIN paid_prizes p ON p.transaction_id = coalesce(b.reverses_id, b.id) JOIN paid_prize_draws s ON s.paid_prize_id = p.id
		JOIN tickets t ON t.id = p.ticket_id
		WHERE b.xid >= $1 AND b.xid < $2 AND b.type = '` + models.TransactionPrize + `' GROUP BY 1, 2, 3, 4`

	wonLines = `SELECT ` + sellersPath + `, (w.created_at AT TIME ZONE $3)::date - DATE '2000-01-01', t.currency_id, w.draw_id, sum(w.prize)::bigint
		FROM winning_lines w JOIN tickets t ON t.id = w.ticket_id
		WHERE w.xid >= $1 AND w.xid < $2 GROUP BY 1, 2, 3, 4`
	annulledLines = `SELECT ` + sellersPath + `, (w.annulled_at AT TIME ZONE $3)::date - DATE '2000-01-01', t.currency_id, w.draw_id, -sum(w.prize)::bigint
		FROM winning_lines w JOIN tickets t ON t.id = w.ticket_id
		WHERE w.annulled_xid >= $1 AND w.annulled_xid < $2 GROUP BY 1, 2, 3, 4`
)

// readEvents sums the events of a window.
func readEvents(ctx context.Context, tx pgx.Tx, w feed.Window, zone string) (events, error) {
	r := &reader{events: events{}, tx: tx, args: []any{w.From, w.Before, zone}, rates: map[string][]money.BasisPoints{}}
	r.lines(ctx, soldLines, 1, func(f *Figures) *money.Amount { return &f.Sold })
	r.lines(ctx, voidedLines, -1, func(f *Figures) *money.Amount { return &f.Voided })
	r.lines(ctx, refundedLines, -1, func(f *Figures) *money.Amount { return &f.Refunded })
	r.tickets(ctx)
	r.sums(ctx, paidPrizes, func(f *Figures) *money.Amount { return &f.Paid })
	r.sums(ctx, wonLines, func(f *Figures) *money.Amount { return &f.Won })
	r.sums(ctx, annulledLines, func(f *Figures) *money.Amount { return &f.Won })
	return r.events, r.err
}

// reader runs the statements of one window. After an error it does nothing.
type reader struct {
	events

	tx    pgx.Tx
	args  []any
	rates map[string][]money.BasisPoints // decoded, by their text
	err   error
}

// run calls each for every row, after the row was scanned into at and the other targets.
func (r *reader) run(ctx context.Context, sql string, at *leaf, each func() error, targets ...any) {
	if r.err != nil {
		return
	}
	rows, err := r.tx.Query(ctx, sql, r.args...)
	if err == nil {
		into := append([]any{&at.path, &at.day, (*[16]byte)(&at.currency), (*[16]byte)(&at.draw)}, targets...) // an array is scanned without the text of the uuid
		_, err = pgx.ForEachRow(rows, into, each)
	}
	if err != nil {
		r.err = fmt.Errorf("read events: %w", err)
	}
}

// lines adds the stakes of lines to a field. sign is -1 for lines that are not sold any more: their commissions are taken back.
func (r *reader) lines(ctx context.Context, sql string, sign int64, field func(*Figures) *money.Amount) {
	var at leaf
	var stake money.Amount
	var rates string
	r.run(ctx, sql, &at, func() error {
		inclusive, err := r.decode(rates)
		if err != nil {
			return err
		}
		f := r.of(at)
		f.Lines += sign
		*field(&f.Figures) += stake
		for i, margin := range money.SplitByMargins(stake, inclusive) {
			f.margins[i] += money.Amount(sign) * margin
		}
		return nil
	}, &stake, &rates)
}

// decode reads the text of an integer[].
func (r *reader) decode(text string) ([]money.BasisPoints, error) {
	if rates, known := r.rates[text]; known {
		return rates, nil
	}
	var list []int32
	if err := pgtype.NewMap().SQLScanner(&list).Scan(text); err != nil {
		return nil, fmt.Errorf("commission rates: %w", err)
	}
	if len(list) > maxLevels {
		return nil, fmt.Errorf("commission rates of %d levels", len(list))
	}
	rates := make([]money.BasisPoints, len(list))
	for i, rate := range list {
		rates[i] = money.BasisPoints(rate)
	}
	r.rates[text] = rates
	return rates, nil
}

func (r *reader) tickets(ctx context.Context) {
	var at leaf
	var sold, voided int64
	r.run(ctx, ticketCounts, &at, func() error {
		f := r.of(at)
		f.Tickets += sold
		f.VoidedTickets += voided
		return nil
	}, &sold, &voided)
}

// sums adds sums to a field.
func (r *reader) sums(ctx context.Context, sql string, field func(*Figures) *money.Amount) {
	var at leaf
	var sum money.Amount
	r.run(ctx, sql, &at, func() error {
		*field(&r.of(at).Figures) += sum
		return nil
	}, &sum)
}
