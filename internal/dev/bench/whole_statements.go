package bench

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
)

// dearest is the number of printed statements, statementWidth the printed characters of each.
const (
	dearest        = 20
	statementWidth = 110
)

// statement is the cost of a statement of Postgres since forgetStatements, in calls and milliseconds.
type statement struct {
	Calls, Millis, Longest float64
	Query                  string
}

// forgetStatements resets the figures of statements.
func (w *wholeSales) forgetStatements(ctx context.Context) error {
	_, err := w.pg.Pool.Exec(ctx, `SELECT pg_stat_statements_reset()`)
	return err
}

// dearestStatements returns the statements that took most since forgetStatements.
func (w *wholeSales) dearestStatements(ctx context.Context) ([]statement, error) {
	rows, err := w.pg.Pool.Query(ctx, `SELECT s.calls::float8 AS calls, s.total_exec_time + s.total_plan_time AS millis, s.max_exec_time AS longest, s.query
		FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = current_database() ORDER BY 2 DESC LIMIT $1`, dearest)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[statement])
}

// printStatements prints the dearest statements of a rate that was held last, with the share of a sale.
func (w *wholeSales) printStatements(ctx context.Context, h *held, out io.Writer) error {
	statements, err := w.dearestStatements(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "  %8s %8s %8s  the %d dearest statements\n", "a sale", "µs", "longest", dearest)
	for _, s := range statements {
		query := strings.Join(strings.Fields(s.Query), " ")
		_, _ = fmt.Fprintf(out, "  %8.3f %8.1f %5.0f ms  %.*s\n", s.Calls/float64(h.sales.done), 1000*s.Millis/float64(h.sales.done), s.Longest, statementWidth, query)
	}
	return nil
}
