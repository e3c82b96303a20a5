// Package rollup keeps sums of sales, voids, refunds, prizes, payments and commissions by business day and currency:
// in daily_totals by entity and game, in draw_totals by ticket point and draw; and in hourly_sales the net sales of
// the last five weeks by entity and hour; in means_totals what tickets were paid with by entity; and in sale_minutes the
// tickets of the last two hours by minute. Reports and the health page read them instead of tickets. It owns the five
// tables.
//
// A row of daily_totals contains everything below its entity. Its parent_id is the entity above it when the tickets
// were sold, so the rows with a parent_id sum to the rows of the parent, and a move of an entity changes no total of
// the past.
//
// An event counts on the business day on which it happened, by the time of its transaction: a sale, a cancellation, a
// refund of a suspended draw, a prize that a settlement or a correction made or annulled, a payment of a prize and
// its cancellation. So no later event changes a day that has passed.
//
// Commissions are counted per level as posted: the split of each line by the rates of its sale.
//
// Data flow: transactions and winning_lines -> (internal/platform/feed) -> [Service.Advance], the task rollup.advance
// -> the tables -> [Service.Sum], [Service.SumDraws], [Service.Hours]. The events are read once each, by the ids of
// their database transactions, so the totals are exact up to [Service.AsOf], which is some seconds ago while a worker
// runs. [Service.Verify] proves them from tickets, payments and postings, and [Service.Rebuild] counts everything
// again.
package rollup
