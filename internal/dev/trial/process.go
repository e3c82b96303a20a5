package trial

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	restartPause = 100 * time.Millisecond // of a process that ended by itself
	readyWithin  = 2 * time.Minute
	lookEvery    = 50 * time.Millisecond
	stopWithin   = 20 * time.Second
)

// process is one process of the platform with its supervisor, which starts it again whenever it ends.
type process struct {
	name    string // such as api-1
	role    string
	addr    string // of its HTTP server; only of the api
	ops     string // of its listener with metrics
	program string
	env     []string
	clock   string // the file with the offset of its clock
	log     io.Writer

	mu      sync.Mutex
	cmd     *exec.Cmd
	held    bool // no start while a fault keeps it down
	killed  bool // the next end is ours
	ended   int  // ends that no fault asked for
	stopped chan struct{}
}

// supervise runs the process until ctx ends, then stops it.
func (p *process) supervise(ctx context.Context) {
	defer close(p.stopped)
	for ctx.Err() == nil {
		if p.mayStart() {
			p.once(ctx)
		}
		pause(ctx, restartPause)
	}
}

func (p *process) mayStart() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.held
}

// once starts the process and waits for its end.
func (p *process) once(ctx context.Context) {
	cmd := exec.Command(p.program, p.role) //nolint:gosec,noctx // this program; it is stopped below
	cmd.Env = append(append(os.Environ(), p.env...), clockVariable+"="+p.clock)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.SysProcAttr = childAttributes()
	done := make(chan struct{})
	started := make(chan error, 1)
	go runLocked(cmd, started, done)
	if err := <-started; err != nil {
		_, _ = fmt.Fprintln(p.log, p.name, "did not start:", err)
		return
	}
	p.mu.Lock()
	p.cmd, p.killed = cmd, false
	p.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-done:
		case <-time.After(stopWithin):
			_ = cmd.Process.Kill()
			<-done
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = nil
	if !p.killed && ctx.Err() == nil {
		p.ended++
		_, _ = fmt.Fprintln(p.log, p.name, "ended by itself:", cmd.ProcessState)
	}
}

// signal sends a signal to the running process; false if there is none.
func (p *process) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return false
	}
	if s == syscall.SIGKILL {
		p.killed = true
	}
	return p.cmd.Process.Signal(s) == nil
}

// pid returns the id of the running process, 0 without one.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// hold keeps the process from being started.
func (p *process) hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
}

// setClock shifts the process's clock.
func (p *process) setClock(offset time.Duration) error {
	if err := os.WriteFile(p.clock, []byte(offset.String()), 0o600); err != nil {
		return err
	}
	p.signal(syscall.SIGUSR1)
	return nil
}

// endings returns how often the process ended by itself.
func (p *process) endings() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// ready waits until an api answers.
func (p *process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for ctx.Err() == nil {
		if status(ctx, "http://"+p.addr+"/readyz") == http.StatusOK {
			return nil
		}
		pause(ctx, lookEvery)
	}
	return fmt.Errorf("%s was not ready within %s; see its log", p.name, readyWithin)
}

// status returns the status of an answer, 0 without one.
func status(ctx context.Context, address string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
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
