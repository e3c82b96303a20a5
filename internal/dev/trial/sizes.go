package trial

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// growing returns the tables that keep what was sold, paid, said or done: they grow with the sales. All others have to stay as they are.
func growing() []string {
	return []string{
		"tickets", "ticket_items", "ticket_lines", "ticket_payments", "transactions", "postings", "transaction_reversals", "idempotency_keys", "winning_lines", "window_bets",
		"customers", "bank_events", "bank_payments", "payment_requests", "wallet_movements", "paid_prizes", "paid_prize_draws", "prize_differences",
		"message_logs", "message_attempts", "message_reports", "activity_logs", "request_logs", "result_adjustments", "draw_totals",
	}
}

// tableSizes asks for the bytes of each table and of its indexes, partitions counted with their whole, and for its rows.
const tableSizes = `SELECT relation::regclass::text, sum(pg_table_size(oid))::float8, sum(pg_indexes_size(oid))::float8, coalesce(sum(live), 0)::float8, coalesce(sum(dead), 0)::float8
	FROM (SELECT c.oid, coalesce(pg_partition_root(c.oid), c.oid) AS relation, s.n_live_tup AS live, s.n_dead_tup AS dead
		FROM pg_class c LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace) t
	GROUP BY relation`

// sampleDatabase reads connections and sizes.
func sampleDatabase(ctx context.Context, c *pgx.Conn, v sample) error {
	var connections int
	if err := c.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&connections); err != nil {
		return fmt.Errorf("connections: %w", err)
	}
	v["postgres connections"] = float64(connections)
	rows, err := c.Query(ctx, tableSizes)
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	var name string
	var table, indexes, live, dead, allLive, allDead float64
	_, err = pgx.ForEachRow(rows, []any{&name, &table, &indexes, &live, &dead}, func() error {
		v["table "+name+" KiB"], v["indexes "+name+" KiB"] = table/kibi, indexes/kibi
		v["all tables KiB"] += table / kibi
		v["all indexes KiB"] += indexes / kibi
		allLive, allDead = allLive+live, allDead+dead
		return nil
	})
	v["dead rows %"] = 100 * allDead / max(allLive+allDead, 1)
	return err
}
