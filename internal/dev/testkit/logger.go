package testkit

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// newLogger returns a logger that writes to the test's log.
func newLogger(t testing.TB) *slog.Logger {
	t.Helper()
	w := &testWriter{t: t}
	t.Cleanup(w.close)
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// testWriter drops lines after the test's end, where the testing package would panic: a goroutine that is being
// stopped may still log.
type testWriter struct {
	mu     sync.Mutex
	t      testing.TB
	closed bool
}

// Write implements io.Writer.
func (w *testWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.t.Log(strings.TrimSuffix(string(p), "\n"))
	}
	return len(p), nil
}

func (w *testWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}
