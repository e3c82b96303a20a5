package rollup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/internal/platform/verification"
	"banca/models"
	"banca/storage"
)

// hoursFeed is the name of the reader that keeps hourly_sales. It is a reader of its own, so that a release that does
// not know the table leaves no gap in it.
const hoursFeed = "hourly_sales"

// keptDays is the number of days of which hours are kept, today included: as many as a comparison with the same
// weekday of a month ago needs.
const keptDays = 35

// Hour is the net sales of an hour of a business day: stakes less those that were voided or refunded in that hour.
type Hour struct {
	Day  businessday.Day
	Hour int // 0 to 23, in the zone of business days
	Sold money.Amount
}

// hourKey is the primary key of hourly_sales.
type hourKey struct {
	entity   uuid.UUID
	day      int32 // from 2000-01-01
	currency uuid.UUID
	hour     int16
}

// Hours returns the hours with sales that a query selects, in their order. Days of more than five weeks ago have
// none. The query names an entity, a currency and a period; games are not distinguished.
func (s *Service) Hours(ctx context.Context, q *Query) ([]Hour, error) {
	rows, err := s.pg.Pool.Query(ctx, `SELECT day, hour, sold FROM hourly_sales WHERE entity_id = $1 AND day BETWEEN $2 AND $3 AND currency_id = $4 ORDER BY day, hour`,
		q.EntityID, q.From, q.To, q.CurrencyID)
	if err != nil {
		return nil, fmt.Errorf("sales by hour: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h Hour, err error) { return h, row.Scan(&h.Day, &h.Hour, &h.Sold) })
	if err != nil {
		return nil, fmt.Errorf("sales by hour: %w", err)
	}
	return list, nil
}

func (s *Service) hours() *feed.Reader {
	return &feed.Reader{
		Name: hoursFeed, Zone: s.zone, Recent: true,
		Read: func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
			return errors.Join(countHours(ctx, tx, w, s.zone.String()), countMinutes(ctx, tx, w))
		},
		Reset: func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM hourly_sales`)
			if err == nil {
				_, err = tx.Exec(ctx, `DELETE FROM sale_minutes`)
			}
			return err
		},
	}
}

// hourlySales are the bookings of sales, cancellations and refunds in the window $1 <= xid < $2, summed by the
// seller's path, which is the present one for archived tickets. The bounds of ids leave out the months of which a
// first read would keep nothing.
const hourlySales = `SELECT coalesce(t.path_id, (SELECT e.path_id FROM entities e WHERE e.id = b.entity_id)), ` + dayOfBooking + `, b.currency_id,
		extract(hour FROM b.created_at AT TIME ZONE $3)::smallint, sum(b.amount)::bigint
	FROM transactions b LEFT JOIN tickets t ON t.id = b.ticket_id AND t.id >= (SELECT first_id_at(now() AT TIME ZONE 'UTC' - 3 * $4::interval))
	WHERE b.xid >= $1 AND b.xid < $2 AND b.id >= (SELECT first_id_at(now() AT TIME ZONE 'UTC' - $4::interval)) AND b.type = '` + models.TransactionSale + `'
	GROUP BY 1, 2, 3, 4`

// countHours adds the sales of a window.
func countHours(ctx context.Context, tx pgx.Tx, w feed.Window, zone string) error {
	rows, err := tx.Query(ctx, hourlySales, w.From, w.Before, zone, (keptDays+1)*24*time.Hour)
	if err != nil {
		return fmt.Errorf("read sales by hour: %w", err)
	}
	found, paths := map[hourKey]map[int32]money.Amount{}, map[int32]bool{}
	var at hourKey
	var path int32
	var sold money.Amount
	_, err = pgx.ForEachRow(rows, []any{&path, &at.day, &at.currency, &at.hour, &sold}, func() error {
		if found[at] == nil {
			found[at] = map[int32]money.Amount{}
		}
		found[at][path], paths[path] = sold, true
		return nil
	})
	if err != nil {
		return fmt.Errorf("read sales by hour: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	places, err := placesOf(ctx, tx, paths)
	if err != nil {
		return err
	}
	operator := places[slices.Collect(maps.Keys(paths))[0]].entities[0] // of every path
	return writeHours(ctx, tx, operator, spreadHours(found, places))
}

// spreadHours adds the sales of paths to every entity of the paths.
func spreadHours(found map[hourKey]map[int32]money.Amount, places map[int32]place) map[hourKey]money.Amount {
	totals := map[hourKey]money.Amount{}
	for at, sold := range found {
		for path, amount := range sold {
			for _, at.entity = range places[path].entities {
				totals[at] += amount
			}
		}
	}
	return totals
}

// writeHours adds sales to hourly_sales, in the order of its index.
func writeHours(ctx context.Context, tx pgx.Tx, operator uuid.UUID, totals map[hourKey]money.Amount) error {
	if err := forgetHours(ctx, tx, operator, totals); err != nil {
		return err
	}
	sql := upsert(
		`INSERT INTO hourly_sales AS d`, `entity_id uuid, day integer, currency_id uuid, hour smallint`, `sold`,
	)
	keys := slices.SortedFunc(maps.Keys(totals), hourKey.compare)
	for batch := range slices.Chunk(keys, writeBatch) {
		n := len(batch)
		entities, currencies, days, hours, sold := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.Integers, n), make(storage.Smallints, n), make(storage.Bigints, n)
		for i, k := range batch {
			entities[i], currencies[i], days[i], hours[i], sold[i] = k.entity, k.currency, k.day, k.hour, int64(totals[k])
		}
		if _, err := tx.Exec(ctx, sql, entities, days, currencies, hours, sold); err != nil {
			return fmt.Errorf("write sales by hour: %w", err)
		}
	}
	return nil
}

// forgetHours deletes the days that are not kept any longer, once a day: before the first sale of a day is written,
// which is one of the operator, too.
func forgetHours(ctx context.Context, tx pgx.Tx, operator uuid.UUID, totals map[hourKey]money.Amount) error {
	newest := slices.MaxFunc(slices.Collect(maps.Keys(totals)), func(a, b hourKey) int { return cmp.Compare(a.day, b.day) })
	_, err := tx.Exec(ctx, `DELETE FROM hourly_sales WHERE day <= DATE '2000-01-01' + $2::integer - $3::integer
		AND NOT EXISTS (SELECT FROM hourly_sales WHERE entity_id = $1 AND day = DATE '2000-01-01' + $2::integer)`,
		operator, newest.day, keptDays)
	if err != nil {
		return fmt.Errorf("forget sales by hour: %w", err)
	}
	return nil
}

func (k hourKey) compare(o hourKey) int {
	return cmp.Or(
		bytes.Compare(k.entity[:], o.entity[:]), cmp.Compare(k.day, o.day), bytes.Compare(k.currency[:], o.currency[:]),
		cmp.Compare(k.hour, o.hour),
	)
}

// hourVerifications compare the hours of days that are kept for certain with the bookings, and the operator's hours
// with the ticket points'.
func hourVerifications() []verification.Invariant {
	const (
		position = `coalesce((SELECT position FROM feeds WHERE name = '` + hoursFeed + `'), 0)`
		kept     = `(now() AT TIME ZONE '%zone%')::date - 30`
		hour     = `extract(hour FROM b.created_at AT TIME ZONE '%zone%')::smallint`
		least    = `first_id_at(now() AT TIME ZONE 'UTC' - interval '33 days')`
	)
	return []verification.Invariant{
		{Name: "the sales by hour of ticket points equal what was posted for sales", Query: `SELECT count(*) FROM (
			SELECT b.entity_id, ` + localDay + ` AS day, b.currency_id, ` + hour + ` AS hour, sum(b.amount) AS sold FROM transactions b
			WHERE b.id >= ` + least + ` AND b.type = 'sale' AND ` + localDay + ` >= ` + kept + ` AND b.xid < ` + position + ` GROUP BY 1, 2, 3, 4
		) direct FULL JOIN (
			SELECT h.* FROM hourly_sales h JOIN entities e ON e.id = h.entity_id AND e.entity_type = '` + models.EntityTicketPoint + `' WHERE day >= ` + kept + `
		) kept USING (entity_id, day, currency_id, hour) WHERE coalesce(direct.sold, 0) <> coalesce(kept.sold, 0)`},
		{Name: "the sales by hour of the operator equal those of ticket points", Query: `SELECT count(*) FROM (
			SELECT day, currency_id, hour, sum(sold) FILTER (WHERE e.entity_type = '` + models.EntityTicketPoint + `') AS points, sum(sold) FILTER (WHERE e.entity_type = '` + models.EntityOperator + `') AS operator
			FROM hourly_sales h JOIN entities e ON e.id = h.entity_id GROUP BY 1, 2, 3
		) sums WHERE points IS DISTINCT FROM operator`},
	}
}

// minuteLife is how long the tickets of a minute are kept: the health page shows an hour.
const minuteLife = 2 * time.Hour

// countMinutes adds the tickets that were sold in a window to their minutes, and deletes the minutes that are over. The
// rest of a ticket that a refund books again is no sale: only the sale itself has the ticket's id (ledger.SaleID).
func countMinutes(ctx context.Context, tx pgx.Tx, w feed.Window) error {
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO sale_minutes AS m (minute, tickets, last_at)
		SELECT date_trunc('minute', b.created_at), count(*), max(b.created_at) FROM transactions b
		WHERE b.xid >= $1 AND b.xid < $2 AND b.id >= (SELECT first_id_at(now() AT TIME ZONE 'UTC' - $3::interval))
			AND b.type = '`+models.TransactionSale+`' AND b.id = b.ticket_id GROUP BY 1
		ON CONFLICT (minute) DO UPDATE SET tickets = m.tickets + excluded.tickets, last_at = greatest(m.last_at, excluded.last_at)`, w.From, w.Before, minuteLife)
	b.Queue(`DELETE FROM sale_minutes WHERE minute < now() - $1::interval`, minuteLife)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("count sales by minute: %w", err)
	}
	return nil
}
