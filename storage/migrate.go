package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"banca/models/migrations"
)

const (
	migrationTimeout  = 15 * time.Minute // of one statement; an index on a large table takes a while
	migrationLockWait = 600              // tries, one a second, while another process migrates
	migrationTries    = 100              // of a migration that does not get a lock within its own bound
	migrationPause    = 2 * time.Second
)

// Migrate brings the database up to the newest version and returns the versions it applied, none when it was
// up to date. Any number of processes may call it at once: an advisory lock lets one work and the others wait.
func Migrate(ctx context.Context, url string) ([]int64, error) {
	return migrate(ctx, url, migrations.FS)
}

// ErrUnmigrated reports a database that lacks migrations of this program.
var ErrUnmigrated = errors.New("storage: the database lacks migrations of this release: run `banca migrate`")

// CheckSchema returns ErrUnmigrated unless the database has all migrations of this program. It may have later ones.
func CheckSchema(ctx context.Context, q Querier) error {
	rows, err := q.Query(ctx, `SELECT version_id FROM goose_db_version WHERE is_applied`)
	if err != nil {
		return unmigrated(err)
	}
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return unmigrated(err)
	}
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	for _, file := range files {
		version, err := goose.NumericComponent(file)
		if err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		if !slices.Contains(applied, version) {
			return ErrUnmigrated
		}
	}
	return nil
}

// unmigrated tells a database without any table from one that does not answer.
func unmigrated(err error) error {
	if IsNoTable(err) {
		return ErrUnmigrated
	}
	return fmt.Errorf("storage: read schema: %w", err)
}

func migrate(ctx context.Context, url string, files fs.FS) (applied []int64, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("storage: migrate: %w", err)
	}
	setRuntimeParams(config, migrationTimeout)
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()

	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, migrationLockWait))
	if err != nil {
		return nil, fmt.Errorf("storage: migrate: %w", err)
	}
	// 0.3.0 had migrations up to 0060 without 0055 and 0056, which are tables of their own.
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
	if err != nil {
		return nil, fmt.Errorf("storage: migrate: %w", err)
	}
	err = RetryLocks(ctx, migrationTries, migrationPause, func() error {
		results, err := provider.Up(ctx)
		for _, r := range results {
			applied = append(applied, r.Source.Version)
		}
		return err
	})
	if err != nil {
		return applied, fmt.Errorf("storage: migrate: %w", err)
	}
	return applied, nil
}
