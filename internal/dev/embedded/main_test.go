package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stackSubcommand makes the test binary run a stack until it is killed, for tests of the state after a kill.
const stackSubcommand = "run-stack"

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case stackSubcommand:
		exit(runStackUntilKilled(os.Args[2]))
	default:
		os.Exit(m.Run())
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// stackReport is the output of the process started with stackSubcommand.
type stackReport struct {
	Stack *Stack // its addresses
	PIDs  []int
}

func runStackUntilKilled(dir string) error {
	s, err := Start(context.Background(), testOptions(dir))
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(stackReport{Stack: s, PIDs: pids(s)}); err != nil {
		return err
	}
	time.Sleep(time.Minute) // the test kills this process long before
	return nil
}

func pids(s *Stack) []int {
	var all []int
	for _, p := range s.parts {
		if child, ok := p.server.(interface{ PID() int }); ok {
			all = append(all, child.PID())
		}
	}
	return all
}

// testOptions are for small and fast servers. Their data survives a killed program, but not a crash of the machine,
// which these tests do not cause.
func testOptions(dir string) Options {
	return Options{
		DataDir:  dir,
		Logger:   slog.New(slog.DiscardHandler),
		Postgres: PostgresOptions{NoFsync: true, SharedBuffersMB: 32, MaxConnections: 20},
		Redis:    RedisOptions{Required: true},
	}
}

// needServers skips a test on a machine without the servers; in CI that is a failure.
func needServers(t *testing.T) {
	t.Helper()
	_, errPostgres := findPostgres("")
	_, errRedis := findRedis()
	for _, err := range []error{errPostgres, errRedis} {
		if err != nil && os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		if err != nil {
			t.Skip(err)
		}
	}
}

// dataDir is like t.TempDir, but the account that Postgres runs as can traverse it.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "banca-embedded-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return filepath.Join(dir, "var")
}
