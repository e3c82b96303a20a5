package embedded

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func itoa(n int) string { return strconv.Itoa(n) }

func mustAccount(t *testing.T, dir string) account {
	t.Helper()
	as, err := accountFor(dir)
	require.NoError(t, err)
	return as
}

// gone reports whether a process has ended; a zombie counts as ended.
func gone(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(raw), ") Z ")
}

func TestTailKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	out := &tail{log: slog.New(slog.DiscardHandler)}
	for i := range 3 * tailLines {
		_, err := fmt.Fprintf(out, "line %d\n", i)
		require.NoError(t, err)
	}
	_, err := fmt.Fprint(out, strings.Repeat("x", 3*tailLineSize), "\nhalf")
	require.NoError(t, err)
	lines := strings.Split(out.String(), "\n")
	assert.Len(t, lines, tailLines)
	assert.Len(t, lines[tailLines-1], tailLineSize)
	assert.Equal(t, "line "+itoa(3*tailLines-1), lines[tailLines-2])
}

func TestSocketDirRefusesAForeignDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, err := socketDir(dir, "s", account{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(path)) })
	assert.LessOrEqual(t, len(filepath.Join(path, ".s.PGSQL.5432")), maxSocketPath)
	require.NoError(t, os.Chmod(path, 0o755))
	_, err = socketDir(dir, "s", account{})
	assert.ErrorContains(t, err, "open to others")
}

func TestSecretsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets")
	s, err := openSecrets(path)
	require.NoError(t, err)
	_, err = s.Get("a", func() string { return "1" })
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err = openSecrets(path)
	assert.ErrorContains(t, err, path, "a damaged file is not replaced silently")
}
