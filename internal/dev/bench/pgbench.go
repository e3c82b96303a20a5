package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// pgbenchScale is the number of branches: as many as there are clients at most, so that they do not
// queue for each other's rows any more than sales on many wallets do.
const pgbenchScale = 64

// findPgbench looks where distributions put it.
func findPgbench() (string, error) {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path, nil
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench"); len(found) > 0 {
		return found[len(found)-1], nil
	}
	return "", errors.New("pgbench not found: install the PostgreSQL client tools (apt-get install postgresql-contrib)")
}

// preparePgbench fills a database of its own on the same server.
func preparePgbench(ctx context.Context, program, url string) error {
	out, err := exec.CommandContext(ctx, program, "-i", "-q", "-s", strconv.Itoa(pgbenchScale), url).CombinedOutput() //nolint:gosec // fixed program and arguments
	if err != nil {
		return fmt.Errorf("pgbench -i: %w: %s", err, out)
	}
	return nil
}

// runPgbench returns the transactions per second of tpcb-like with prepared statements.
func runPgbench(ctx context.Context, program, url string, clients int, d time.Duration) (float64, error) {
	out, err := exec.CommandContext(ctx, program, "-n", "-b", "tpcb-like", "-M", "prepared", "-j", "2", //nolint:gosec // as above
		"-c", strconv.Itoa(clients), "-T", strconv.Itoa(int(d.Seconds())), url).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	match := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(out)
	if match == nil {
		return 0, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	return strconv.ParseFloat(string(match[1]), 64)
}
