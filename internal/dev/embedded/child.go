package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

const (
	// stopGrace is how long a child may take to stop before it is killed.
	stopGrace = 10 * time.Second
	// readyTimeout bounds a start. It is generous because a start after a kill replays the log first.
	readyTimeout = 30 * time.Second
	// pollInterval is how often a wait looks again; starts take some 40 ms.
	pollInterval = 15 * time.Millisecond
)

// childSpec is how to run a server as a child process.
type childSpec struct {
	name string
	argv []string // argv[0] is an absolute path
	as   account
	stop syscall.Signal // asks for a regular stop; also sent by the kernel when this program dies
	log  *slog.Logger
}

// child is a running server process.
type child struct {
	name   string
	stop   syscall.Signal
	cmd    *exec.Cmd
	output *tail
	done   chan struct{}
	err    error // why it ended; read after done is closed
}

// startChild starts the process. It gets an almost empty environment, so that no PG* or similar variable of the
// caller affects it, and a process group of its own, so that a terminal's Ctrl-C reaches only this program, which
// then stops its children in order.
func startChild(spec childSpec) (*child, error) {
	output := &tail{log: spec.log}
	// The child's life is bounded by stopChild and by the parent-death signal, not by a start's context.
	cmd := exec.Command(spec.argv[0], spec.argv[1:]...) //nolint:noctx,gosec // see above; paths are found, not given by users
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = sysProcAttr(spec.as, spec.stop)
	cmd.WaitDelay = time.Second // a grandchild that keeps the output open must not hold up Wait

	c := &child{name: spec.name, stop: spec.stop, cmd: cmd, output: output, done: make(chan struct{})}
	started := make(chan error, 1)
	go c.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.name, err)
	}
	return c, nil
}

// run stays on one OS thread for the child's whole life: the kernel sends the parent-death signal when the
// thread that started the child ends, not when the process does.
func (c *child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	c.err = c.cmd.Wait()
	close(c.done)
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// stopChild asks the child to stop and kills it when it has not within stopGrace or when ctx ends. A child
// that is gone already is no error.
func (c *child) stopChild(ctx context.Context) error {
	if err := c.cmd.Process.Signal(c.stop); err != nil {
		<-c.done // the only failure is a process that has ended
		return nil
	}
	grace, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	select {
	case <-c.done:
		return nil
	case <-grace.Done():
	}
	c.kill()
	return fmt.Errorf("%s did not stop in time and was killed", c.name)
}

// abandon stops a child whose start has failed, with stopGrace even if the start was cancelled.
func (c *child) abandon(ctx context.Context) error { return c.stopChild(context.WithoutCancel(ctx)) }

// kill ends the child at once and waits until it is gone.
func (c *child) kill() {
	_ = syscall.Kill(-c.pid(), syscall.SIGKILL) // fails only when the group is gone, which is the aim
	<-c.done
}

// awaitReady calls probe until it succeeds, the child ends, ctx ends or readyTimeout passes.
func (c *child) awaitReady(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		err := probe(ctx)
		select {
		case <-c.done:
			return fmt.Errorf("%w: %w\n%s", errChildEnded, errors.Join(c.err), c.output)
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready in time: %w\n%s", c.name, err, c.output)
		case <-c.done:
		case <-ticker.C:
		}
	}
}

// errChildEnded reports that a child ended before it was ready.
var errChildEnded = errors.New("the server ended during its start")
