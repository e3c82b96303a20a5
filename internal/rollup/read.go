package rollup

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/models"
)

// leaf names what the events of one ticket point are summed by. Its day is counted from 2000-01-01, as Postgres
// counts dates.
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

// Every statement begins with the columns path, day, currency and draw, and counts the rows of the window $1 <= xid <
// $2. $3 is the time zone of business days.
const (
	sellersPath  = `coalesce(t.path_id, (SELECT e.path_id FROM entities e WHERE e.id = t.entity_id))`
	dayOfBooking = `(b.created_at AT TIME ZONE $3)::date - DATE '2000-01-01'`

	// The lines of sales, cancellations and refunds. A sale has the id of its ticket; the other bookings of a ticket
	// book the rest of a refunded one again, and are no event. A refund names the booking that it reverses. The tickets
	// come first, so that each is looked up once and not once a line.
	soldLines = `WITH booked AS MATERIALIZED (
			SELECT ` + sellersPath + ` AS path_id, ` + dayOfBooking + ` AS day, t.currency_id, b.ticket_id, r.draw_id,
				CASE WHEN b.reverses_id IS NULL THEN 1 WHEN r.draw_id IS NULL THEN 2 ELSE 3 END AS event
			FROM transactions b LEFT JOIN draw_refunds r ON r.transaction_id = b.reverses_id JOIN tickets t ON t.id = b.ticket_id
			WHERE b.xid >= $1 AND b.xid < $2 AND b.type = '` + models.TransactionSale + `' AND (b.id = b.ticket_id OR b.reverses_id IS NOT NULL))
		SELECT b.path_id, b.day, b.currency_id, l.draw_id, l.amount, l.commission_rates::text, l.line_no = 0, b.event
		FROM booked b JOIN ticket_lines l ON l.ticket_id = b.ticket_id AND (b.draw_id IS NULL OR l.draw_id = b.draw_id)`

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
	r.lines(ctx)
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

// Events of a line, as soldLines numbers them.
const (
	lineSold = iota + 1
	lineVoided
	lineRefunded
)

// lines adds the stakes of lines, and takes back the commissions of those that are not sold any more. A ticket counts
// with its first line.
func (r *reader) lines(ctx context.Context) {
	var at leaf
	var stake money.Amount
	var rates string
	var first bool
	var event int32
	r.run(ctx, soldLines, &at, func() error {
		inclusive, err := r.decode(rates)
		if err != nil {
			return err
		}
		f := r.of(at)
		sign := int64(-1)
		switch event {
		case lineSold:
			sign = 1
			f.Sold += stake
		case lineVoided:
			f.Voided += stake
		case lineRefunded:
			f.Refunded += stake
		}
		f.Lines += sign
		for i, margin := range money.SplitByMargins(stake, inclusive) {
			f.margins[i] += money.Amount(sign) * margin
		}
		if first && event != lineRefunded {
			r.countTicket(at, event)
		}
		return nil
	}, &stake, &rates, &first, &event)
}

// countTicket counts a ticket, which belongs to no draw.
func (r *reader) countTicket(at leaf, event int32) {
	at.draw = uuid.Nil
	f := r.of(at)
	if event == lineSold {
		f.Tickets++
	} else {
		f.VoidedTickets++
	}
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

// sums adds sums to a field.
func (r *reader) sums(ctx context.Context, sql string, field func(*Figures) *money.Amount) {
	var at leaf
	var sum money.Amount
	r.run(ctx, sql, &at, func() error {
		*field(&r.of(at).Figures) += sum
		return nil
	}, &sum)
}
