package testkit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/dev/embedded"
	"banca/internal/setup/seed/partitions"
	"banca/models/migrations"
	"banca/storage"
)

// templateKept is how long a template stays in the cache after its last use.
const templateKept = 7 * 24 * time.Hour

// withTemplate calls use with a stopped cluster whose database is migrated. Test processes copy it, which takes a
// tenth of the time of initdb and the migrations. The first process that needs it makes it in the user's cache
// directory, under a key of everything that its content depends on; the others wait for that.
func withTemplate(ctx context.Context, use func(cluster string) error) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "banca-testkit")
	key, err := templateKey()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // releases the lock
	cluster := filepath.Join(cache, key)
	if err := ensureTemplate(ctx, lock, cluster); err != nil {
		return fmt.Errorf("template of the database: %w", err)
	}
	return use(cluster)
}

// ensureTemplate makes the cluster if it is absent and returns with a shared lock on the cache.
func ensureTemplate(ctx context.Context, lock *os.File, cluster string) error {
	if err := flock(lock, syscall.LOCK_SH); err != nil {
		return err
	}
	now := time.Now() //nolint:forbidigo // the time of a file
	if err := os.Chtimes(cluster, now, now); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := flock(lock, syscall.LOCK_EX); err != nil { // releases the shared lock first
		return err
	}
	if _, err := os.Stat(cluster); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(removeUnused(filepath.Join(filepath.Dir(cluster), "*"), now.Add(-templateKept)), makeTemplate(ctx, cluster)); err != nil {
			return err
		}
	}
	return flock(lock, syscall.LOCK_SH)
}

// makeTemplate starts a new cluster, migrates its database, stops it and copies it into the cache.
func makeTemplate(ctx context.Context, cluster string) (err error) {
	dir, err := scratchDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeScratch(dir)) }()
	server, err := embedded.StartPostgres(ctx, embedded.PostgresOptions{Dir: filepath.Join(dir, "var", "postgres"), NoFsync: true})
	if err != nil {
		return err
	}
	if _, err = storage.Migrate(ctx, server.URL()); err == nil {
		err = divide(ctx, server.URL())
	}
	if err := errors.Join(err, server.Stop(ctx)); err != nil {
		return err
	}
	half := cluster + ".half"
	if err := errors.Join(os.RemoveAll(half), server.CopyTemplate(half)); err != nil {
		return err
	}
	return os.Rename(half, cluster)
}

// dividedDatabase is the database of the template whose tables of sales are divided by month since monthsBack months. Each
// partition more costs every test: a connection reads the catalog of all of them.
const (
	dividedDatabase = "divided"
	monthsBack      = 1
)

// divide makes the divided database as a copy of the migrated one.
func divide(ctx context.Context, migrated string) error {
	conn, err := pgx.Connect(ctx, migrated)
	if err != nil {
		return err
	}
	name := conn.Config().Database
	if err := conn.Close(ctx); err != nil {
		return err
	}
	admin, err := databaseURL(migrated, "postgres")
	if err != nil {
		return err
	}
	if conn, err = pgx.Connect(ctx, admin); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+dividedDatabase+" TEMPLATE "+pgx.Identifier{name}.Sanitize())
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	copied, err := databaseURL(migrated, dividedDatabase)
	if err != nil {
		return err
	}
	pg, err := storage.OpenPostgres(ctx, storage.PostgresOptions{URL: copied})
	if err != nil {
		return err
	}
	return errors.Join(partitions.Divide(ctx, pg, monthsBack), pg.Close())
}

// removeUnused removes the directories of a pattern that were changed last before a time. A directory stays if a killed test process left a disk
// mounted in it.
func removeUnused(pattern string, before time.Time) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() || info.ModTime().After(before) {
			continue
		}
		if err := os.RemoveAll(path); err != nil && !errors.Is(err, syscall.EBUSY) {
			return err
		}
	}
	return nil
}

// templateKey is a digest of the server, the migrations and the month, of which the divided database has partitions.
func templateKey() (string, error) {
	server, err := embedded.TemplateKey()
	if err != nil {
		return "", err
	}
	var all bytes.Buffer
	month := time.Now().UTC().Format("2006-01") //nolint:forbidigo // the time of the server
	fmt.Fprintln(&all, server, month, partitions.Statement(monthsBack))
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, name := range files {
		content, err := migrations.FS.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s %d\n%s", name, len(content), content)
	}
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:16]), nil
}

func flock(file *os.File, how int) error { return syscall.Flock(int(file.Fd()), how) }
