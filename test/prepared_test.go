package test

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// preparation is the data directory of a platform that was started once and interrupted: its servers are initialised,
// its database is migrated and seeded. Platforms start from copies of it.
type preparation struct {
	once   sync.Once
	dir    string       // "" if the start failed
	at     time.Time    // of the start
	remove func() error // nil without a directory
}

var prepared preparation //nolint:gochecknoglobals // shared by the tests of the process

// copyTo copies the data directory, with the owners of its files.
func (p *preparation) copyTo(t *testing.T, dir string) {
	t.Helper()
	p.once.Do(func() { p.prepare(t) })
	require.NotEmpty(t, p.dir, "the start of the prepared platform failed")
	copied, err := exec.CommandContext(t.Context(), "cp", "-a", filepath.Join(p.dir, dataDir), dir).CombinedOutput()
	require.NoError(t, err, string(copied))
}

func (p *preparation) prepare(t *testing.T) {
	t.Helper()
	dir, remove, err := testkit.ProcessDir()
	require.NoError(t, err)
	p.remove = remove
	p.at = time.Now()
	first := &platform{t: t, dir: dir, addr: freeAddr(t), gateway: freeAddr(t)}
	t.Logf("the prepared platform is ready after %s", first.start())
	require.NoError(t, first.interrupt())
	p.dir = dir
}

// close removes the directory, if a test made it.
func (p *preparation) close() error {
	if p.remove == nil {
		return nil
	}
	return p.remove()
}
