package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// stopLeftover stops a server that an earlier program left running on the same data. The caller holds the data
// directory's lock, so such a server has no owner.
func stopLeftover(ctx context.Context, log *slog.Logger, match func(argv []string) bool, sig syscall.Signal) error {
	pids := findProcesses(match)
	if len(pids) == 0 {
		return nil
	}
	log.Warn("stopping a server left over from an earlier run", slog.Any("pids", pids))
	for _, s := range []syscall.Signal{sig, syscall.SIGKILL} {
		for _, pid := range findProcesses(match) {
			_ = syscall.Kill(pid, s) // an error means that it has ended meanwhile
		}
		if waitGone(ctx, match) {
			return nil
		}
	}
	return fmt.Errorf("a server left over from an earlier run does not stop: pids %v", pids)
}

// waitGone waits up to stopGrace for the processes to end. It checks command lines, not process ids, because a zombie
// keeps its id.
func waitGone(ctx context.Context, match func(argv []string) bool) bool {
	ctx, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if len(findProcesses(match)) == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
}

// servedFrom matches the command line of one of the named servers with the given path as an argument.
func servedFrom(path string, servers ...string) func(argv []string) bool {
	return func(argv []string) bool {
		return slices.Contains(servers, filepath.Base(argv[0])) && slices.Contains(argv[1:], path)
	}
}
