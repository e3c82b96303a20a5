package trial

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"banca/internal/dev/process"
)

const (
	restartPause = 100 * time.Millisecond // of a process that ended by itself
	lookEvery    = 50 * time.Millisecond
	stopWithin   = 20 * time.Second
)

// supervised is one process of the platform with its supervisor, which starts it again whenever it ends.
type supervised struct {
	name    string // such as api-1
	role    string
	addr    string // of its HTTP server; only of the api
	ops     string // of its listener with metrics
	program string
	env     []string
	clock   string // the file with the offset of its clock
	log     io.Writer

	mu      sync.Mutex
	running *process.Process // nil between two runs
	held    bool             // no start while a fault keeps it down
	killed  bool             // the next end is ours
	ended   int              // ends that no fault asked for
	stopped chan struct{}
}

// supervise runs the process until ctx ends, then stops it.
func (p *supervised) supervise(ctx context.Context) {
	defer close(p.stopped)
	for ctx.Err() == nil {
		if p.mayStart() {
			p.once(ctx)
		}
		pause(ctx, restartPause)
	}
}

func (p *supervised) mayStart() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.held
}

// once starts the process and waits for its end.
func (p *supervised) once(ctx context.Context) {
	env := append(append(os.Environ(), p.env...), clockVariable+"="+p.clock)
	running, err := process.Start(&process.Spec{Argv: []string{p.program, p.role}, Env: env, Output: p.log})
	if err != nil {
		_, _ = fmt.Fprintln(p.log, p.name, "did not start:", err)
		return
	}
	p.mu.Lock()
	p.running, p.killed = running, false
	p.mu.Unlock()
	select {
	case <-running.Done():
	case <-ctx.Done():
		_ = running.Signal(syscall.SIGCONT)
		_ = running.Stop(context.WithoutCancel(ctx), syscall.SIGTERM, stopWithin)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = nil
	if !p.killed && ctx.Err() == nil {
		p.ended++
		_, _ = fmt.Fprintln(p.log, p.name, "ended by itself:", running.Err())
	}
}

// signal sends a signal to the running process; false if there is none.
func (p *supervised) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		return false
	}
	if s == syscall.SIGKILL {
		p.killed = true
	}
	return p.running.Signal(s) == nil
}

// pid returns the id of the running process, 0 without one.
func (p *supervised) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		return 0
	}
	return p.running.PID()
}

// hold keeps the process from being started.
func (p *supervised) hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
}

// setClock shifts the process's clock.
func (p *supervised) setClock(offset time.Duration) error {
	if err := os.WriteFile(p.clock, []byte(offset.String()), 0o600); err != nil {
		return err
	}
	p.signal(syscall.SIGUSR1)
	return nil
}

// endings returns how often the process ended by itself.
func (p *supervised) endings() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// openLog opens the file that a process writes to.
func openLog(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
