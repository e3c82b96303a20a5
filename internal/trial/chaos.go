package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNoHarm is the end of a run whose faults the clients did not notice: it proves nothing.
var ErrNoHarm = errors.New("no client noticed any fault")

const warmUp = 3 * time.Second

// ChaosOptions are how many faults of which kinds.
type ChaosOptions struct {
	Options
	Faults int           // how many
	Only   []string      // kinds of faults; all when empty
	Plan   []string      // the kinds in their order instead of drawn ones; Faults and Only do not count
	Gap    time.Duration // between two faults, about
}

func (o *ChaosOptions) complete() error {
	if o.Gap == 0 {
		o.Gap = defaultGap
	}
	for _, kind := range slices.Concat(o.Only, o.Plan) {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("there is no fault %q: choose from %s", kind, strings.Join(Kinds(), ", "))
		}
	}
	o.shape = shape{each: 2, spare: true, points: 4}
	return o.Options.complete()
}

// Chaos breaks the platform as the options say and proves that nothing was lost. Errors: ErrDifferences, ErrNoHarm.
func Chaos(ctx context.Context, o ChaosOptions) error {
	if err := o.complete(); err != nil {
		return err
	}
	faults := plan(&o)
	say(o.Out, "seed %d, %d faults", o.Seed, len(faults))
	return perform(ctx, &o.Options, func(ctx context.Context, s *stage, l *load) error { return s.chaos(ctx, l, faults) })
}

// chaos lets the load and the faults meet, drains and checks.
func (s *stage) chaos(ctx context.Context, l *load, faults []fault) error {
	working, finish := context.WithCancel(ctx)
	defer finish()
	var running sync.WaitGroup
	running.Go(func() { l.run(working) })
	begun, t := time.Now(), l.client.tally
	pause(ctx, warmUp)
	broken := s.breakAll(ctx, faults, t)
	if broken == nil {
		pause(ctx, warmUp)
	}
	finish()
	running.Wait()
	if err := errors.Join(broken, ctx.Err()); err != nil {
		return err
	}
	say(s.options.Out, "%d faults in %s; draining", t.total().faults, time.Since(begun).Round(time.Second))
	if err := s.conclude(ctx, l); err != nil {
		return err
	}
	if sum := t.total(); sum.faults > 0 && sum.failed+sum.unanswered == 0 {
		return ErrNoHarm
	}
	return nil
}

// breakAll injects the faults of the plan.
func (s *stage) breakAll(ctx context.Context, faults []fault, t *tally) error {
	for i, f := range faults {
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
