package trial

import (
	"context"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/app"
)

// stall is a table whose lock stops a group of a worker inside its transaction, and the statement that waits.
type stall struct{ table, statement string }

// stalls returns where groups are stopped: pictures, between their UPDATE and the INSERT of their messages; leases; results.
func stalls() []stall {
	return []stall{{"message_logs", "INSERT INTO message_logs%"}, {"message_logs", "WITH l AS (%"}, {"message_attempts", "WITH x AS (%"}}
}

// killGroup kills the workers while a group of one of them is under way, and keeps them down for the time of the fault. It
// returns the number of groups that were under way, 0 if none began while the table was locked.
func (s *platform) killGroup(ctx context.Context, f *fault) (groups int64, err error) {
	at := stalls()[f.variant%len(stalls())]
	var workers []*supervised
	for _, p := range s.processes {
		if p.role == string(app.RoleWorker) {
			workers = append(workers, p)
			defer p.hold(false)
		}
	}
	err = s.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if groups, err = stalled(ctx, tx, at, s.last); err != nil || groups == 0 {
				return err
			}
			for _, p := range workers {
				p.hold(true)
				p.signal(syscall.SIGKILL)
			}
			return nil
		})
	})
	pause(ctx, f.lasts)
	return groups, err
}

// stalled locks a table and waits until groups wait for it.
func stalled(ctx context.Context, tx pgx.Tx, at stall, last func(context.Context, time.Duration, func() int64) int64) (groups int64, err error) {
	if _, err := tx.Exec(ctx, `LOCK TABLE `+at.table+` IN SHARE MODE`); err != nil {
		return 0, err
	}
	groups = last(ctx, 0, func() (n int64) {
		err = tx.QueryRow(ctx, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.relation = $1::regclass AND NOT l.granted AND btrim(a.query, E' \n\t') LIKE $2`, at.table, at.statement).Scan(&n)
		return n
	})
	return groups, err
}
