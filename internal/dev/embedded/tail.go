package embedded

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

const (
	tailLines    = 12   // enough to hold a server's reason for not starting
	tailLineSize = 1024 // longer lines are cut
)

// tail passes a child's output to the log at debug level and keeps its last lines for error messages.
type tail struct {
	log *slog.Logger

	mu      sync.Mutex
	lines   []string
	partial []byte
}

// Write implements io.Writer and never fails, so that a child is never blocked or broken by its output.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := tailLineSize - len(t.partial); room > 0 {
			t.partial = append(t.partial, line[:min(room, len(line))]...)
		}
		if whole {
			t.emit()
		}
		rest = after
	}
	return len(p), nil
}

func (t *tail) emit() {
	line := strings.TrimSpace(string(t.partial))
	t.partial = t.partial[:0]
	if line == "" {
		return
	}
	t.log.LogAttrs(context.Background(), slog.LevelDebug, line)
	if len(t.lines) == tailLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
}

// String returns the last lines written.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
