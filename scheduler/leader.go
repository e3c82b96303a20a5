package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// lockKey is the advisory lock of leadership, "banca" in bytes and a 1. Advisory locks belong to one
// database, so two installations in one server do not meet.
const lockKey = 0x62616e636101

// keepAlives let Postgres notice within 20 seconds that a leader's machine is gone, and free the lock. Over a
// Unix socket they do nothing.
const keepAlives = `SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`

// connect opens the session of a candidate.
func connect(ctx context.Context, session *pgx.ConnConfig) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	config := session.Copy()
	config.RuntimeParams["application_name"] = "banca-scheduler"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("scheduler: connect: %w", err)
	}
	if _, err := conn.Exec(ctx, keepAlives); err != nil {
		disconnect(ctx, conn)
		return nil, fmt.Errorf("scheduler: connect: %w", err)
	}
	return conn, nil
}

// tryLock asks for leadership. It does not wait in Postgres: a waiting statement would hold back vacuum.
func tryLock(ctx context.Context, conn *pgx.Conn) (won bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(lockKey)).Scan(&won); err != nil {
		return false, fmt.Errorf("scheduler: lock: %w", err)
	}
	return won, nil
}

// disconnect ends the session, also when ctx has ended, so that the lock is free at once.
func disconnect(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the session is given up either way
}
