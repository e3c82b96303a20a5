package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// copyTimeout bounds the copy of a primary.
const copyTimeout = 5 * time.Minute

// CopyPrimary copies a running server to dir, which must not exist, as its standby: [StartPostgres] on dir starts a
// server that follows the primary until it is promoted. The primary needs wal_level=replica and a free WAL sender.
func CopyPrimary(ctx context.Context, primary *Postgres, dir string) error {
	if err := copyPrimary(ctx, primary, dir); err != nil {
		return fmt.Errorf("embedded postgres: copy of the primary: %w", err)
	}
	return nil
}

func copyPrimary(ctx context.Context, primary *Postgres, dir string) error {
	bin, err := findPostgres(clusterVersion(primary.dir))
	if err != nil {
		return err
	}
	as, err := accountFor(primary.dir)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := as.own(dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	err = runProgram(ctx, as, filepath.Join(bin, "pg_basebackup"), "--host="+primary.sockets, "--port="+postgresPort, "--username="+postgresName, "--pgdata="+dir,
		"--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync", "--no-password")
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return nil
}
