package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
)

const (
	// sharedStateDir holds what must lie outside a data directory that the server's account cannot reach.
	sharedStateDir = "/var/lib/banca"
	// maxSocketPath is the shortest limit on a Unix socket's path among the systems we run on (macOS: 104
	// with its terminating zero; Linux has 108).
	maxSocketPath = 103
)

// clusterDir returns the directory of dir's Postgres cluster. That is dir itself, unless the account cannot reach it
// (a root program working below /root): then dir is a link to a directory below sharedStateDir. The link is the only
// record, so deleting the data directory starts over.
func clusterDir(dir string, as account, log *slog.Logger) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o711); err != nil {
		return "", err
	}
	reachable, err := as.canReach(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return filepath.EvalSymlinks(dir)
	case err == nil && !reachable:
		return "", fmt.Errorf("%s cannot be reached by uid %d, which PostgreSQL runs as: "+
			"move DATA_DIR or allow traversal of its parent directories", dir, as.uid)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case reachable:
		return dir, nil
	}
	return linkOutside(dir, as, log)
}

func linkOutside(dir string, as account, log *slog.Logger) (string, error) {
	if err := os.MkdirAll(sharedStateDir, 0o711); err != nil {
		return "", err
	}
	outside, err := os.MkdirTemp(sharedStateDir, "postgres-")
	if err != nil {
		return "", err
	}
	if err := os.Symlink(outside, dir); err != nil {
		return "", errors.Join(err, os.Remove(outside))
	}
	log.Warn("the data directory is below a private directory; the Postgres cluster is kept outside",
		slog.String("link", dir), slog.String("cluster", outside))
	return outside, as.own(outside)
}

// socketDir makes the private directory for the Unix socket of the server whose data is in dir. It lies in
// the system's temporary directory because a data directory's path may be longer than a socket's may be, and
// its name is derived from dir so that the address survives restarts.
func socketDir(dir, socket string, as account) (string, error) {
	sum := sha256.Sum256([]byte(dir))
	name := "banca-" + hex.EncodeToString(sum[:8])
	base := os.TempDir()
	reachable, err := as.canReach(base)
	if err != nil || !reachable || len(filepath.Join(base, name, socket)) > maxSocketPath {
		base = "/tmp"
	}
	path := filepath.Join(base, name)
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := checkPrivate(path, as); err != nil {
		return "", err
	}
	return path, as.own(path)
}

// checkPrivate refuses a directory that another user has prepared: the temporary directory is shared, and the owner
// of the socket's directory controls which server answers on it.
func checkPrivate(path string, as account) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return fmt.Errorf("%s is not a directory", path)
	}
	ours := int(st.Uid) == os.Geteuid() || as.switched && st.Uid == as.uid
	if !ours || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s belongs to another user or is open to others: remove it", path)
	}
	return nil
}
