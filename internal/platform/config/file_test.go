package config

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first file of settings suffices to serve, is readable by its owner alone, and is written once.
func TestTheFirstFileSuffices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "etc", "banca.env")
	names, err := WriteFile(path, "/var/lib/banca")
	require.NoError(t, err)
	require.Contains(t, names, "JWT_SECRET")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	c, err := LoadFile(path)
	require.NoError(t, err)
	require.NoError(t, c.Validate(ModeServe))
	require.Equal(t, "/var/lib/banca/objects", c.ObjectsDir)

	before, err := os.ReadFile(path)
	require.NoError(t, err)
	again, err := WriteFile(path, "/elsewhere")
	require.NoError(t, err)
	require.Empty(t, again)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)

	t.Setenv("OBJECTS_DIR", "/mnt/objects")
	t.Setenv("CONFIG_FILE", path)
	c, err = Load()
	require.NoError(t, err)
	require.Equal(t, "/mnt/objects", c.ObjectsDir, "the environment wins")
}

func TestOfManyWritersOneWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "banca.env")
	var wg sync.WaitGroup
	written := make([]bool, 8)
	for i := range written {
		wg.Go(func() {
			names, err := WriteFile(path, "/var/lib/banca")
			written[i] = err == nil && len(names) > 0
		})
	}
	wg.Wait()
	won := 0
	for _, w := range written {
		if w {
			won++
		}
	}
	require.Equal(t, 1, won)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")
}

// A value is read as it stands, and an error names the line and never the value.
func TestLinesOfAFile(t *testing.T) {
	t.Parallel()
	settings, err := parseFile([]byte("# comment\n\n; another\nDATABASE_URL = postgres://u:p$HOME\\n@h/b?a=1#x \r\nJWT_SECRET=\"a b\"\nREDIS_URL='x'\nHTTP_ADDR="))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"DATABASE_URL": `postgres://u:p$HOME\n@h/b?a=1#x`, "JWT_SECRET": "a b", "REDIS_URL": "x", "HTTP_ADDR": ""}, settings)
	_, err = parseFile([]byte("HTTP_ADDR=:1\ns3cret\nJWT_SECRT=s3cret\nHTTP_ADDR=:2"))
	require.EqualError(t, err, "line 2: write NAME=value\nline 3: .env.example has no setting of this name: correct or delete it\nline 4: line 1 sets it already: delete one of them")
	_, err = LoadFile(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
