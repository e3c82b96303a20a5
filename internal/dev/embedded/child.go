package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"banca/internal/dev/process"
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
	*process.Process
	name   string
	stop   syscall.Signal
	output *tail
}

// startChild starts the process. It gets an almost empty environment, so that no PG* or similar variable of the
// caller affects it.
func startChild(spec childSpec) (*child, error) {
	output := &tail{log: spec.log}
	p, err := process.Start(&process.Spec{
		Argv: spec.argv, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}, Dir: "/", Output: output,
		As: spec.as.credential(), Death: spec.stop,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.name, err)
	}
	return &child{Process: p, name: spec.name, stop: spec.stop, output: output}, nil
}

// stopChild asks the child to stop and kills it when it has not within stopGrace or when ctx ends. A child
// that is gone already is no error.
func (c *child) stopChild(ctx context.Context) error {
	if err := c.Stop(ctx, c.stop, stopGrace); err != nil {
		return fmt.Errorf("%s %w", c.name, err)
	}
	return nil
}

// abandon stops a child whose start has failed, with stopGrace even if the start was cancelled.
func (c *child) abandon(ctx context.Context) error { return c.stopChild(context.WithoutCancel(ctx)) }

// awaitReady calls probe until it succeeds, the child ends, ctx ends or readyTimeout passes.
func (c *child) awaitReady(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		err := probe(ctx)
		select {
		case <-c.Done():
			return fmt.Errorf("%w: %w\n%s", errChildEnded, errors.Join(c.Err()), c.output)
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready in time: %w\n%s", c.name, err, c.output)
		case <-c.Done():
		case <-ticker.C:
		}
	}
}

// errChildEnded reports that a child ended before it was ready.
var errChildEnded = errors.New("the server ended during its start")
