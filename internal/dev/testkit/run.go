package testkit

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"banca/internal/dev/embedded"
	"banca/internal/dev/testkit/target"
)

// stopTimeout bounds the end of a test process.
const stopTimeout = 30 * time.Second

// Run runs a package's tests and stops the stack afterwards. It is for TestMain only.
func Run(m *testing.M) int {
	fewerCases()
	shared.open()
	code := m.Run()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return max(code, status(shared.close(ctx)))
}

// fewCases is how many random cases a property has where it needs servers.
const fewCases = "25"

// fewerCases lets rapid try fewCases cases; `make race` tries its default of 100.
func fewerCases() {
	if checks := flag.Lookup("rapid.checks"); checks != nil && !target.Runs(target.Race) {
		_ = checks.Value.Set(fewCases) // a number; -rapid.checks wins, which is read later
	}
}

// status reports an error that no test can report and returns the exit status for it.
func status(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "testkit:", err)
	return 1
}

// unavailable ends a test that cannot have the servers it needs.
func unavailable(t testing.TB, err error) {
	t.Helper()
	missing := errors.Is(err, embedded.ErrPostgresMissing) || errors.Is(err, embedded.ErrRedisMissing)
	if missing && os.Getenv("CI") == "" {
		t.Skip("testkit: ", err)
	}
	t.Fatal("testkit: ", err)
}
