package commands

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/stretchr/testify/assert"
)

// limited calls limitMemory in a container with a limit and returns the limit of the runtime afterwards, and the log.
func limited(t *testing.T, container memlimit.Provider) (limit int64, logged string) {
	t.Helper()
	var out bytes.Buffer
	limitMemory(slog.New(slog.NewTextHandler(&out, nil)), memlimit.WithProvider(container))
	return debug.SetMemoryLimit(-1), out.String()
}

func TestTheMemoryLimitFollowsTheContainer(t *testing.T) { //nolint:paralleltest // the limit is the process's
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })

	limit, logged := limited(t, memlimit.Limit(1<<30))
	assert.EqualValues(t, 966_367_641, limit, "nine tenths")
	assert.Contains(t, logged, "bytes=966367641")

	limit, logged = limited(t, func() (uint64, error) { return 0, memlimit.ErrNoLimit })
	assert.EqualValues(t, math.MaxInt64, limit)
	assert.Empty(t, logged)

	limit, logged = limited(t, func() (uint64, error) { return 0, errors.New("no cgroups") })
	assert.EqualValues(t, math.MaxInt64, limit)
	assert.Contains(t, logged, "no cgroups")

	t.Setenv("GOMEMLIMIT", "64MiB")
	debug.SetMemoryLimit(64 << 20)
	limit, _ = limited(t, memlimit.Limit(1<<30))
	assert.EqualValues(t, 64<<20, limit, "the operator's own limit stays")
}
