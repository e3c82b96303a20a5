package embedded

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// postgresGlobs are the places where distributions put the server binaries, which they keep out of PATH
// because several major versions may be installed side by side.
func postgresGlobs() []string {
	return []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*"}
}

// findPostgres returns the directory of the PostgreSQL binaries to use. An existing cluster only opens with
// its own major version, so a version (such as "15") must match; an empty one takes PATH, then the newest.
func findPostgres(version string) (string, error) {
	return pickPostgres(postgresCandidates(), version)
}

// postgresCandidates lists the directories that hold a whole server, in order of preference.
func postgresCandidates() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	var installed []string
	for _, glob := range postgresGlobs() {
		found, _ := filepath.Glob(glob) // the only error is a malformed pattern, and these are constants
		installed = append(installed, found...)
	}
	slices.SortStableFunc(installed, func(a, b string) int { return cmp.Compare(majorVersion(b), majorVersion(a)) })
	return slices.DeleteFunc(append(dirs, installed...), func(dir string) bool {
		return !isExecutable(filepath.Join(dir, "postgres")) || !isExecutable(filepath.Join(dir, "initdb"))
	})
}

func pickPostgres(dirs []string, version string) (string, error) {
	if len(dirs) == 0 {
		return "", ErrPostgresMissing
	}
	if version == "" {
		return dirs[0], nil
	}
	for _, dir := range dirs {
		if v := majorVersion(dir); v == 0 || strconv.Itoa(v) == version {
			return dir, nil // 0: a directory that names no version; the server itself checks
		}
	}
	return "", fmt.Errorf("%w: the cluster was made by PostgreSQL %s and only %s is installed",
		ErrPostgresMissing, version, strings.Join(dirs, ", "))
}

// majorVersion returns the version in a path such as /usr/lib/postgresql/15/bin, or 0.
func majorVersion(dir string) int {
	name := filepath.Base(dir)
	if name == "bin" {
		name = filepath.Base(filepath.Dir(dir))
	}
	n, err := strconv.Atoi(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz-"))
	if err != nil {
		return 0
	}
	return n
}

// findRedis returns the path of a Redis-compatible server.
func findRedis() (string, error) {
	for _, name := range redisServerNames() {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", ErrRedisMissing
}

func redisServerNames() []string { return []string{"redis-server", "valkey-server"} }

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
