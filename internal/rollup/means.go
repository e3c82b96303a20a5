package rollup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/internal/platform/verification"
	"banca/models"
	"banca/storage"
)

// meansFeed is the name of the reader that keeps means_totals. It is a reader of its own, as that of hourly_sales.
const meansFeed = "means_totals"

// OwnCash is the means that is not counted in the currency of the tickets: the rest of the sales.
const OwnCash = "cash"

// Means is what tickets were paid with: a means in a currency, but not cash in the currency of the tickets.
type Means struct {
	Means      string
	CurrencyID uuid.UUID    // in which it was paid
	Amount     money.Amount // in that currency, less change and cancelled tickets
	Sold       money.Amount // value in the currency of the tickets
	Voided     money.Amount // of it, of cancelled tickets
}

// meansKey is the primary key of means_totals.
type meansKey struct {
	entity   uuid.UUID
	day      int32 // from 2000-01-01
	currency uuid.UUID
	means    string
	paid     uuid.UUID // the currency of the means
}

type meansSums struct{ amount, sold, voided money.Amount }

// Means returns what the tickets that a query selects were paid with, by means and currency. The query names an entity, a currency and a
// period; payments belong to no game.
func (s *Service) Means(ctx context.Context, q *Query) ([]Means, error) {
	return storage.Collect(ctx, s.pg.Pool, "sales by means", pgx.RowToStructByPos[Means], `SELECT means, means_currency_id, sum(amount)::bigint, sum(sold)::bigint, sum(voided)::bigint
		FROM means_totals WHERE entity_id = $1 AND day BETWEEN $2 AND $3 AND currency_id = $4 GROUP BY 1, 2 ORDER BY 1, 2`, q.EntityID, q.From, q.To, q.CurrencyID)
}

// means returns the reader. It reads again only what is not in the archive, whose days keep their rows.
func (s *Service) means() *feed.Reader {
	return &feed.Reader{
		Name: meansFeed, Zone: s.zone, Recent: true,
		Read: func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
			return countMeans(ctx, tx, w, s.zone.String())
		},
		Reset: func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM means_totals WHERE day >= (SELECT archived_until())`)
			return err
		},
	}
}

// ownCash is a payment of OwnCash.
const ownCash = `(p.means = '` + OwnCash + `' AND p.rate IS NULL)`

// paidSales are the payments of sales and cancellations in the window $1 <= xid < $2. A refund is given back in cash of the ticket's currency.
// No ticket before that of the first payment has one.
const paidSales = `SELECT coalesce(t.path_id, (SELECT e.path_id FROM entities e WHERE e.id = b.entity_id)), ` + dayOfBooking + `, b.currency_id, p.means, p.currency_id,
		sum(CASE WHEN b.reverses_id IS NULL THEN p.amount ELSE -p.amount END)::bigint,
		coalesce(sum(p.value) FILTER (WHERE b.reverses_id IS NULL), 0)::bigint, coalesce(sum(p.value) FILTER (WHERE b.reverses_id IS NOT NULL), 0)::bigint
	FROM transactions b JOIN ticket_payments p ON p.ticket_id = b.ticket_id AND NOT ` + ownCash + ` LEFT JOIN draw_refunds r ON r.transaction_id = b.reverses_id LEFT JOIN tickets t ON t.id = b.ticket_id
	WHERE b.xid >= $1 AND b.xid < $2 AND b.ticket_id >= (SELECT ticket_id FROM ticket_payments ORDER BY ticket_id LIMIT 1) AND b.type = '` + models.TransactionSale + `'
		AND (b.id = b.ticket_id OR b.reverses_id IS NOT NULL AND r.draw_id IS NULL) AND (b.created_at AT TIME ZONE $3)::date >= (SELECT archived_until())
	GROUP BY 1, 2, 3, 4, 5`

// countMeans adds the payments of a window to every entity of the paths of their ticket points.
func countMeans(ctx context.Context, tx pgx.Tx, w feed.Window, zone string) error {
	rows, err := tx.Query(ctx, paidSales, w.From, w.Before, zone)
	if err != nil {
		return fmt.Errorf("read payments: %w", err)
	}
	found, paths := map[meansKey]map[int32]meansSums{}, map[int32]bool{}
	var at meansKey
	var path int32
	var sums meansSums
	_, err = pgx.ForEachRow(rows, []any{&path, &at.day, &at.currency, &at.means, &at.paid, &sums.amount, &sums.sold, &sums.voided}, func() error {
		if found[at] == nil {
			found[at] = map[int32]meansSums{}
		}
		found[at][path], paths[path] = sums, true
		return nil
	})
	if err != nil {
		return fmt.Errorf("read payments: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	places, err := placesOf(ctx, tx, paths)
	if err != nil {
		return err
	}
	totals := map[meansKey]meansSums{}
	for key, byPath := range found {
		for path, sums := range byPath {
			for _, key.entity = range places[path].entities {
				total := totals[key]
				totals[key] = meansSums{amount: total.amount + sums.amount, sold: total.sold + sums.sold, voided: total.voided + sums.voided}
			}
		}
	}
	return writeMeans(ctx, tx, totals)
}

// writeMeans adds sums to means_totals, in the order of its index.
func writeMeans(ctx context.Context, tx pgx.Tx, totals map[meansKey]meansSums) error {
	sql := upsert(`INSERT INTO means_totals AS d`, `entity_id uuid, day integer, currency_id uuid, means text, means_currency_id uuid`, `amount, sold, voided`)
	for batch := range slices.Chunk(slices.SortedFunc(maps.Keys(totals), meansKey.compare), writeBatch) {
		n := len(batch)
		entities, currencies, paid := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
		days, means, figures := make(storage.Integers, n), make(storage.Texts, n), make([][]int64, n)
		for i, k := range batch {
			entities[i], days[i], currencies[i], means[i], paid[i] = k.entity, k.day, k.currency, k.means, k.paid
			figures[i] = []int64{int64(totals[k].amount), int64(totals[k].sold), int64(totals[k].voided)}
		}
		if _, err := tx.Exec(ctx, sql, append([]any{entities, days, currencies, means, paid}, transposed(figures)...)...); err != nil {
			return fmt.Errorf("write sales by means: %w", err)
		}
	}
	return nil
}

func (k meansKey) compare(o meansKey) int {
	return cmp.Or(bytes.Compare(k.entity[:], o.entity[:]), cmp.Compare(k.day, o.day), bytes.Compare(k.currency[:], o.currency[:]),
		strings.Compare(k.means, o.means), bytes.Compare(k.paid[:], o.paid[:]))
}

// meansVerifications compare the totals by means of ticket points with the payments of their tickets, by the dates of the tickets, and those of
// the operator with those of ticket points.
func meansVerifications() []verification.Invariant {
	const position = `coalesce((SELECT position FROM feeds WHERE name = '` + meansFeed + `'), 0)`
	return []verification.Invariant{
		{Name: "the sales by means of ticket points equal the payments of their tickets", Query: `SELECT count(*) FROM (
			SELECT entity_id, day, currency_id, means, means_currency_id, sum(amount) AS amount, sum(sold) AS sold, sum(voided) AS voided FROM (
				SELECT t.entity_id, (t.created_at AT TIME ZONE '%zone%')::date AS day, t.currency_id, p.means, p.currency_id AS means_currency_id, p.amount, p.value AS sold, 0 AS voided
				FROM ticket_payments p JOIN tickets t ON t.id = p.ticket_id JOIN transactions b ON b.id = t.id WHERE NOT ` + ownCash + ` AND b.xid < ` + position + `
				UNION ALL
				SELECT t.entity_id, (t.cancelled_at AT TIME ZONE '%zone%')::date, t.currency_id, p.means, p.currency_id, -p.amount, 0, p.value
				FROM ticket_payments p JOIN tickets t ON t.id = p.ticket_id JOIN transactions b ON b.id = t.id
				WHERE t.status = '` + models.TicketCancelled + `' AND NOT ` + ownCash + ` AND EXISTS (SELECT FROM transactions v LEFT JOIN draw_refunds r ON r.transaction_id = v.reverses_id
					WHERE v.ticket_id = t.id AND v.type = 'sale' AND v.reverses_id IS NOT NULL AND r.draw_id IS NULL AND v.xid < ` + position + `)
			) payments WHERE day >= ` + since + ` GROUP BY 1, 2, 3, 4, 5
		) direct FULL JOIN (
			SELECT m.* FROM means_totals m JOIN entities e ON e.id = m.entity_id AND e.entity_type = '` + models.EntityTicketPoint + `'` + recent + `
		) kept USING (entity_id, day, currency_id, means, means_currency_id)
			WHERE (coalesce(direct.amount, 0), coalesce(direct.sold, 0), coalesce(direct.voided, 0)) <> (coalesce(kept.amount, 0), coalesce(kept.sold, 0), coalesce(kept.voided, 0))`},
		{Name: "the sales by means of the operator equal those of ticket points", Query: `SELECT count(*) FROM (
			SELECT day, currency_id, means, means_currency_id, sum(sold - voided) FILTER (WHERE e.entity_type = '` + models.EntityTicketPoint + `') AS points,
				sum(sold - voided) FILTER (WHERE e.entity_type = '` + models.EntityOperator + `') AS operator
			FROM means_totals m JOIN entities e ON e.id = m.entity_id GROUP BY 1, 2, 3, 4
		) sums WHERE points IS DISTINCT FROM operator`},
	}
}
