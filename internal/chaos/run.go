package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrDifferences is the end of a run that found something lost, doubled or unexplained.
var ErrDifferences = errors.New("the platform and the journal differ")

// ErrNoHarm is the end of a run whose faults the clients did not notice: it proves nothing.
var ErrNoHarm = errors.New("no client noticed any fault")

const warmUp = 3 * time.Second

// Run breaks the platform as the options say and proves that nothing was lost. Errors: ErrDifferences, ErrNoHarm.
func Run(ctx context.Context, o Options) (err error) {
	if err := o.complete(); err != nil {
		return err
	}
	if o.Program == "" {
		if o.Program, err = os.Executable(); err != nil {
			return err
		}
	}
	say(o.Out, "seed %d, %d faults", o.Seed, len(plan(&o)))
	s, err := openStage(ctx, &o)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.close(ctx))
		if err == nil && !o.Keep {
			err = os.RemoveAll(s.dir)
		} else {
			say(o.Out, "logs are in %s", s.dir)
		}
	}()
	if o.Journal == "" {
		o.Journal = filepath.Join(s.dir, "journal.jsonl")
	}
	j, err := openJournal(o.Journal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	return s.run(ctx, j)
}

// run lets the load and the faults meet, drains and checks.
func (s *stage) run(ctx context.Context, j *journal) error {
	o, t := s.options, newTally()
	if err := s.startProcesses(ctx); err != nil {
		return err
	}
	l := &load{stage: s, seed: o.Seed, client: newClients(s.apis(), j, t)}
	if err := l.planRounds(ctx); err != nil {
		return err
	}
	working, finish := context.WithCancel(ctx)
	defer finish()
	var running sync.WaitGroup
	running.Go(func() { l.run(working) })
	begun := time.Now()
	pause(ctx, warmUp)
	broken := s.breakAll(ctx, t)
	if broken == nil {
		pause(ctx, warmUp)
	}
	finish()
	running.Wait()
	if err := errors.Join(broken, ctx.Err()); err != nil {
		return err
	}
	say(o.Out, "%d faults in %s; draining", t.total().faults, time.Since(begun).Round(time.Second))
	return s.conclude(ctx, l, t)
}

// breakAll injects the faults of the plan.
func (s *stage) breakAll(ctx context.Context, t *tally) error {
	for i, f := range plan(s.options) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.options.Log.InfoContext(ctx, "fault", "number", i+1, "fault", f.String())
		t.begin(f.kind)
		err := s.inject(ctx, &f)
		t.begin("")
		if err != nil {
			return fmt.Errorf("fault %d, %s: %w", i+1, &f, err)
		}
		pause(ctx, f.gap)
	}
	return nil
}

// conclude drains the platform, compares it with the journal and reports.
func (s *stage) conclude(ctx context.Context, l *load, t *tally) error {
	begun := time.Now()
	found := s.check(ctx, l)
	out := s.options.Out
	say(out, "drained and compared in %s", time.Since(begun).Round(time.Second))
	t.print(out)
	l.print(out)
	for _, p := range s.processes {
		if n := p.endings(); n > 0 {
			say(out, "%s ended by itself %d times and was started again", p.name, n)
		}
	}
	if len(found) > 0 {
		for _, f := range found {
			say(out, "DIFFERENCE  %s", f)
		}
		return fmt.Errorf("%w: %d differences, seed %d", ErrDifferences, len(found), s.options.Seed)
	}
	if sum := t.total(); sum.faults > 0 && sum.failed+sum.unanswered == 0 {
		return ErrNoHarm
	}
	say(out, "nothing was lost, nothing happened twice")
	return nil
}

func say(out io.Writer, format string, values ...any) {
	_, _ = fmt.Fprintf(out, format+"\n", values...)
}
