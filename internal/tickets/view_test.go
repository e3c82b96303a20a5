package tickets

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// A statement on the view ticket_lines has the plan that it has on the table.
func TestTheViewHasThePlansOfTheTable(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	alias := regexp.MustCompile(`\b(ticket_items_[a-z0-9_]+) (?:i|ticket_items)(?:_[0-9]+)?\b`) // of a partition
	qualifier := regexp.MustCompile(`\b(?:i|ticket_items)(?:_[0-9]+)?\.`)
	plan := func(sql, table string) []string {
		rows, err := env.PG.Pool.Query(t.Context(), `EXPLAIN (COSTS OFF) `+strings.ReplaceAll(sql, "LINES", table))
		require.NoError(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		for n := range lines {
			lines[n] = qualifier.ReplaceAllString(alias.ReplaceAllString(lines[n], "$1"), "")
		}
		return lines
	}
	for _, sql := range []string{
		`SELECT sum(amount) FROM LINES i WHERE i.draw_id = '00000000-0000-7000-8000-000000000001'`,
		`SELECT * FROM LINES i WHERE i.ticket_id = '00000000-0000-7000-8000-000000000001' ORDER BY i.line_no`,
		`SELECT i.draw_id FROM LINES i WHERE i.draw_id >= '00000000-0000-7000-8000-000000000001' ORDER BY i.draw_id LIMIT 1`,
		`SELECT i.ticket_id, max(d.draw_time) FROM (SELECT gen_random_uuid() AS ticket_id) x JOIN LINES i ON i.ticket_id = x.ticket_id
			JOIN draws d ON d.id = i.draw_id GROUP BY i.ticket_id`,
		`SELECT count(*) FROM LINES i JOIN tickets t ON t.id = i.ticket_id AND t.status <> 'cancelled' WHERE i.draw_id = '00000000-0000-7000-8000-000000000001'
			AND NOT EXISTS (SELECT 1 FROM draw_refunds r WHERE r.draw_id = i.draw_id AND r.ticket_id = i.ticket_id)`,
	} {
		require.Equal(t, plan(sql, "ticket_items"), plan(sql, "ticket_lines"), sql)
	}
}
