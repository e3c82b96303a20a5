package storage

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Snapshot runs fn in a read-only transaction in which all queries see the same snapshot. It has no statement
// timeout: verification reads a lot.
func (p *Postgres) Snapshot(ctx context.Context, fn func(pgx.Tx) error) error {
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, p.Pool, opts, func(tx pgx.Tx) error {
		if err := WithoutStatementTimeout(ctx, tx); err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		return fn(tx)
	})
}

// WithoutStatementTimeout lifts the pool's bound on the statements of a transaction. The context bounds them.
func WithoutStatementTimeout(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0")
	return err
}

// WithoutIdleTimeout lifts the pool's bound on the time between the statements of a transaction, for a job that computes longer on what it has read.
func WithoutIdleTimeout(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0")
	return err
}
