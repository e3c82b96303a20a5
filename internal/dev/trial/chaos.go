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

// ErrNoHarm is the end of a run in which a kind of faults had no effect, or whose faults no client noticed: it proves nothing.
var ErrNoHarm = errors.New("no effect")

const (
	warmUp      = 3 * time.Second
	chaosPoints = 24 // each closes its day once
)

// ChaosOptions are how many faults of which kinds.
type ChaosOptions struct {
	Options
	Faults int           // how many
	Only   []string      // kinds of faults; all when empty
	Plan   []string      // the kinds in their order, each with its target behind a colon or without one, instead of drawn ones; Faults and Only do not count
	Gap    time.Duration // between two faults, about
	Short  bool          // each fault lasts a third of the time
	Insist time.Duration // a fault without an effect so far lasts longer, at most by this
}

func (o *ChaosOptions) complete() error {
	if o.Gap == 0 {
		o.Gap = defaultGap
	}
	if o.Insist == 0 {
		o.Insist = defaultInsist
	}
	for _, kind := range slices.Concat(o.Only, o.Plan) {
		kind, _, _ = strings.Cut(kind, ":")
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("there is no fault %q: choose from %s", kind, strings.Join(Kinds(), ", "))
		}
	}
	o.shape = shape{each: 2, spare: true, points: chaosPoints, edges: true, closing: o.Round / 4}
	return o.Options.complete()
}

// Chaos breaks the platform as the options say and proves that nothing was lost. Errors: ErrDifferences, ErrNoHarm.
func Chaos(ctx context.Context, o ChaosOptions) error {
	if err := o.complete(); err != nil {
		return err
	}
	faults := plan(&o)
	say(o.Out, "seed %d, %d faults", o.Seed, len(faults))
	return perform(ctx, &o.Options, func(ctx context.Context, s *platform, l *load) error { return s.chaos(ctx, l, faults, o.Insist) })
}

// chaos lets the load and the faults meet, drains and checks.
func (s *platform) chaos(ctx context.Context, l *load, faults []fault, insist time.Duration) error {
	working, finish := context.WithCancel(ctx)
	defer finish()
	var running sync.WaitGroup
	running.Go(func() { l.run(working) })
	begun, t := time.Now(), l.client.tally
	pause(ctx, warmUp)
	s.insist = insist
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
	if kinds := t.harmless(); len(kinds) > 0 {
		return fmt.Errorf("%w: %s", ErrNoHarm, strings.Join(kinds, ", "))
	}
	if sum := t.total(); sum.faults > 0 && sum.failed+sum.unanswered == 0 {
		return fmt.Errorf("%w: no client noticed any fault", ErrNoHarm)
	}
	return nil
}

// breakAll injects the faults of the plan.
func (s *platform) breakAll(ctx context.Context, faults []fault, t *tally) error {
	for i, f := range faults {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.options.Log.InfoContext(ctx, "fault", "number", i+1, "fault", f.String())
		t.begin(f.kind)
		effect, err := s.inject(ctx, &f)
		t.begin("")
		t.harm(f.kind, effect)
		if errors.Is(err, errImpossible) {
			t.skip(f.kind)
		} else if err != nil {
			return fmt.Errorf("fault %d, %s: %w", i+1, &f, err)
		}
		pause(ctx, f.gap)
	}
	return nil
}
