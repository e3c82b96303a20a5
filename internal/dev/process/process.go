// Package process runs the child processes of development and tests. A child ends with this program, and a terminal's
// Ctrl-C reaches this program only, which stops its children in order.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// outputDelay bounds the wait for a grandchild that keeps the output open.
const outputDelay = time.Second

// Spec is how to run a program.
type Spec struct {
	Argv   []string
	Env    []string            // nil for the environment of this process
	Dir    string              // "" for the directory of this process
	Output io.Writer           // nil for none
	As     *syscall.Credential // nil for the account of this process
	Death  syscall.Signal      // sent by the kernel when this process dies, on Linux; SIGKILL when 0
}

// Process is a running program in a process group of its own.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // read after done is closed
}

// Start runs a program.
func Start(s *Spec) (*Process, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...) //nolint:noctx,gosec // its life is bounded by Stop and the death signal
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.Env, s.Dir, s.Output, s.Output, outputDelay
	cmd.SysProcAttr = attributes(s)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Argv[0], err)
	}
	return p, nil
}

// Run runs a program until it ends, or kills it when ctx ends. An error has the output of the program.
func Run(ctx context.Context, s Spec) error {
	var out bytes.Buffer
	s.Output = &out
	p, err := Start(&s)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	if err := p.Err(); err != nil {
		return fmt.Errorf("%w\n%s", err, out.String())
	}
	return nil
}

// run stays on one OS thread for the child's whole life: the kernel sends the death signal when the thread that
// started the child ends, not when the process does.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err waits for the end and returns its reason; nil for status 0.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Signal sends a signal to the process itself. Errors: a process that has ended.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process and its children at once and waits. It may be called after the end.
func (p *Process) Kill() {
	select {
	case <-p.done:
		return
	default:
	}
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL) // fails only when the group is gone
	<-p.done
}

// ErrKilled reports that a process did not stop in time.
var ErrKilled = errors.New("did not stop in time and was killed")

// Stop sends a signal, and kills the process that has not ended within grace or when ctx ends. Errors: ErrKilled.
func (p *Process) Stop(ctx context.Context, s syscall.Signal, grace time.Duration) error {
	return p.stop(ctx.Done(), s, grace)
}

// End is Stop without a context.
func (p *Process) End(s syscall.Signal, grace time.Duration) error { return p.stop(nil, s, grace) }

func (p *Process) stop(cut <-chan struct{}, s syscall.Signal, grace time.Duration) error {
	if p.Signal(s) != nil {
		<-p.done // the only failure is a process that has ended
		return nil
	}
	timeout := time.NewTimer(grace)
	defer timeout.Stop()
	select {
	case <-p.done:
		return nil
	case <-cut:
	case <-timeout.C:
	}
	p.Kill()
	return ErrKilled
}

// FreeAddress returns an address of this machine that nothing listens on. The port is below the ports that the system
// gives to connections (32768 and above), one of which could take it meanwhile.
func FreeAddress(ctx context.Context) (string, error) {
	const lowest, ports, attempts = 10_000, 22_000, 200
	for range attempts {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(ports))) //nolint:gosec // a port is no secret
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err == nil {
			return addr, l.Close()
		}
	}
	return "", fmt.Errorf("no port is free after %d attempts", attempts)
}
