package commands

import (
	"log/slog"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryRatio is the part of the container's memory that the Go runtime may use. The rest is for memory that the
// runtime does not count.
const memoryRatio = 0.9

// limitMemory sets the soft memory limit of the Go runtime from the limit of the cgroup and logs it. It keeps the limit
// where GOMEMLIMIT is set or the cgroup has none.
func limitMemory(log *slog.Logger, options ...memlimit.Option) {
	limit, err := memlimit.Set(append([]memlimit.Option{memlimit.WithRatio(memoryRatio)}, options...)...)
	switch {
	case err != nil: // other systems than Linux have no cgroups
		log.Info("no memory limit: the container's is unknown", slog.Any("error", err))
	case limit < math.MaxInt64:
		log.Info("memory limit of the Go runtime", slog.Int64("bytes", limit))
	}
}
