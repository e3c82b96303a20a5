package testkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const (
	memoryDir  = "/dev/shm" // a file system in memory
	memoryFree = 2 << 30    // bytes that must be free there

	scratchPrefix  = "banca-test-"
	abandonedAfter = 2 * time.Hour // a killed test process leaves its directory, some 80 MB of memory
)

// Dir returns a temporary directory of the test that the account of the database server can traverse, unlike the
// one of t.TempDir.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := scratchDir()
	check(t, err)
	cleanup(t, func(context.Context) error { return removeScratch(dir) })
	return dir
}

// ProcessDir returns a directory as Dir does for data that several tests of a process share, and the function that
// removes it.
func ProcessDir() (dir string, remove func() error, err error) {
	dir, err = scratchDir()
	return dir, func() error { return removeScratch(dir) }, err
}

// scratchDir makes a temporary directory that the account of the database server can traverse. It is in memory where there
// is room: a database has several hundred files, and to create and remove them there takes a twentieth of the time.
func scratchDir() (string, error) {
	base := "" // the default of the system
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &fs); err == nil && fs.Bavail*uint64(fs.Bsize) >= memoryFree {
		base = memoryDir
	}
	dir, err := os.MkdirTemp(base, scratchPrefix)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711) //nolint:gosec // see above
}

// removeScratch removes a temporary directory, and the cluster of a stack in it that had to be kept outside
// because the directory for temporary files is a private one.
func removeScratch(dir string) error {
	outside, err := os.Readlink(filepath.Join(dir, "var", "postgres"))
	if err != nil {
		return os.RemoveAll(dir) // the usual case: no link
	}
	return errors.Join(os.RemoveAll(outside), os.RemoveAll(dir))
}
