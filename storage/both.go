package storage

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// RetriedWithGorm is Retried for changes that belong to domains of both kinds: tx and orm are one transaction on one
// connection, so each reads what the other wrote. fn returns the first error of either and uses them in turn, never
// concurrently.
func (p *Postgres) RetriedWithGorm(ctx context.Context, fn func(tx pgx.Tx, orm *gorm.DB) error) error {
	return Retry(ctx, func() error { return p.inBoth(ctx, fn) })
}

// inBoth begins and ends the transaction within conn.Raw, because database/sql may have given up a broken connection by
// then. Closing conn ends a transaction that is still open, also by a panic: the pool keeps no connection in one.
func (p *Postgres) inBoth(ctx context.Context, fn func(tx pgx.Tx, orm *gorm.DB) error) error {
	conn, err := p.sql.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connection: %w", err)
	}
	defer func() { _ = conn.Close() }()
	var tx pgx.Tx
	err = conn.Raw(func(below any) error {
		driver, ok := below.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("driver %T", below)
		}
		tx, err = driver.Conn().Begin(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	orm := p.Gorm.Session(&gorm.Session{NewDB: true, Context: ctx})
	orm.Statement.ConnPool = begun{conn}
	if err := fn(tx, orm); err != nil {
		_ = conn.Raw(func(any) error { return tx.Rollback(ctx) }) // a connection that cannot roll back is closed
		return err
	}
	return conn.Raw(func(any) error { return tx.Commit(ctx) })
}

// begun hides that a connection can begin a transaction: gorm's own Transaction would commit the one that runs.
type begun struct{ gorm.ConnPool }
