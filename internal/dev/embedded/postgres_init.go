package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/dev/process"
)

// initTimeout bounds initdb, which takes 0.7 s on an idle machine.
const initTimeout = 60 * time.Second

// clusterVersion returns the major version of the cluster in dir, or "" without one.
func clusterVersion(dir string) string {
	raw, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// initCluster creates a cluster in dir unless it exists: a copy of o.Template, or the output of initdb. It is created
// beside dir and renamed, so that a program killed meanwhile never leaves a partial cluster in dir.
func initCluster(ctx context.Context, bin, dir string, as account, o PostgresOptions) error {
	if clusterVersion(dir) != "" {
		return nil
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s holds files but no cluster: move them away", dir)
	}
	fresh := dir + ".init"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if o.Template != "" {
		if err := copyCluster(o.Template, fresh, as); err != nil {
			return fmt.Errorf("copy the cluster %s: %w", o.Template, err)
		}
		return moveInto(fresh, dir)
	}
	var errs []error
	for _, locale := range clusterLocales() {
		if err := os.Mkdir(fresh, 0o700); err != nil {
			return err
		}
		if err := as.own(fresh); err != nil {
			return err
		}
		err := runInitdb(ctx, bin, fresh, locale, as, !o.NoFsync)
		if err == nil {
			return moveInto(fresh, dir)
		}
		errs = append(errs, err)
		if err := os.RemoveAll(fresh); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// moveInto renames a directory to dir, which may exist if it is empty.
func moveInto(fresh, dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(fresh, dir)
}

// clusterLocales are tried in their order. The first one sorts by code point and folds all letters.
func clusterLocales() []string { return []string{"C.UTF-8", "C"} }

// clusterSettings are the arguments of initdb that determine the content of a new cluster. Authentication is "trust":
// access is controlled by the private directory of the socket.
func clusterSettings() []string {
	return []string{"--username=" + postgresName, "--encoding=UTF8", "--auth=trust"}
}

func runInitdb(ctx context.Context, bin, dir, locale string, as account, sync bool) error {
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	args := append(clusterSettings(), "--pgdata="+dir, "--locale="+locale, "--no-instructions")
	if !sync {
		args = append(args, "--no-sync")
	}
	if err := runProgram(ctx, as, filepath.Join(bin, "initdb"), args...); err != nil {
		return fmt.Errorf("initdb --locale=%s: %w", locale, err)
	}
	return nil
}

// runProgram runs a program of Postgres as its account until it ends. The end of this process ends it. An error has what it wrote.
func runProgram(ctx context.Context, as account, path string, args ...string) error {
	return process.Run(ctx, process.Spec{
		Argv: append([]string{path}, args...), Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TZ=UTC"}, Dir: "/", As: as.credential(),
	})
}

// forgetOldLocks keeps the lock files of a server that is gone from blocking the next one, which happens
// when its process id is in use again, as it nearly always is in a container. The cluster's lock file is
// kept, with a pid that Postgres takes for stale (its parent's), because the shared memory named in it is
// what protects the data from sessions that outlived their server.
func forgetOldLocks(dir, sockets string) error {
	err := os.Remove(filepath.Join(sockets, ".s.PGSQL."+postgresPort+".lock"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	path := filepath.Join(dir, "postmaster.pid")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(raw), "\n")
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600) //nolint:gosec // G703: our own directory; keeps owner and mode
}

// ensureDatabase creates our database on the first start.
func ensureDatabase(ctx context.Context, maintenanceURL string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, maintenanceURL)
	if err != nil {
		return err
	}
	var exists bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, postgresName).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{postgresName}.Sanitize())
	}
	return errors.Join(err, conn.Close(ctx))
}
