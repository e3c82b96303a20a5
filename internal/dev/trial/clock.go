package trial

import (
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"banca/internal/platform/clock"
)

// clockVariable names the file with the offset of a process's clock. The process reads it at its start and on SIGUSR1.
const clockVariable = "BANCA_TRIAL_CLOCK"

// seenSuffix is that of the file into which a process writes the offset that it has taken.
const seenSuffix = ".seen"

// shifted is the machine's clock with an offset.
type shifted struct{ offset atomic.Int64 }

// Now returns the machine's time, shifted.
func (s *shifted) Now() time.Time { return clock.System{}.Now().Add(time.Duration(s.offset.Load())) }

// Ticks returns an instant of the time that passes, which setting a clock does not change.
func (*shifted) Ticks() time.Time { return time.Now() }

// read takes the offset from a file. A file that is missing or malformed means none.
func (s *shifted) read(file string) {
	raw, err := os.ReadFile(file) //nolint:gosec // named by the parent process
	if err != nil {
		return
	}
	if d, err := time.ParseDuration(strings.TrimSpace(string(raw))); err == nil {
		s.offset.Store(int64(d))
		_ = os.WriteFile(file+seenSuffix, raw, 0o600) //nolint:gosec // named by the parent process, which waits for it
	}
}

// Clock returns the clock of a process: the machine's, or one that a trial shifts.
func Clock() clock.Clock {
	file := os.Getenv(clockVariable)
	if file == "" {
		return clock.System{}
	}
	s := &shifted{}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	s.read(file)
	go func() {
		for range signals {
			s.read(file)
		}
	}()
	return s
}
