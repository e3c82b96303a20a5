package requestlog

import (
	"context"
	"fmt"
	"time"

	"banca/storage"
)

// Log reads and trims the request log.
type Log struct {
	pg        *storage.Postgres
	retention time.Duration
}

// New returns the log of a database, which keeps rows for a time.
func New(pg *storage.Postgres, retention time.Duration) *Log {
	return &Log{pg: pg, retention: retention}
}

// daysAhead is how many days have their partition made before.
const daysAhead = 7

// Trim makes the partitions of the next days and drops those whose rows are all older than the retention. It returns
// the number of dropped partitions. Repeating it is harmless.
func (l *Log) Trim(ctx context.Context) (int, error) {
	now, err := storage.Now(ctx, l.pg.Pool)
	if err != nil {
		return 0, err
	}
	if _, err := l.pg.Pool.Exec(ctx, `SELECT request_logs_prepare($1::date, $2)`, now, daysAhead+1); err != nil {
		return 0, fmt.Errorf("prepare the request log: %w", err)
	}
	for dropped := 0; ; dropped++ {
		var more bool
		if err := l.pg.Pool.QueryRow(ctx, `SELECT request_logs_drop($1::date)`, now.Add(-l.retention)).Scan(&more); err != nil {
			return dropped, fmt.Errorf("trim the request log: %w", err)
		}
		if !more {
			return dropped, nil
		}
	}
}
