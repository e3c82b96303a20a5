package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrGrew is the end of a soak in which something grew that has to be flat.
var ErrGrew = errors.New("not flat")

// errNotMeasured is the end of a soak whose figures are not all there.
var errNotMeasured = errors.New("not measured")

const (
	defaultLength = 30 * time.Minute
	defaultEvery  = 15 * time.Second
	defaultStep   = 10 * time.Second
	judgedFrom    = 5 * time.Minute // a shorter run shows only that everything is measured
	soakPoints    = 12
	soakSellers   = 64
	soakPrizes    = 40
)

// SoakOptions are how long the platform is looked at.
type SoakOptions struct {
	Options
	Length time.Duration // at half of the capacity
	Every  time.Duration // between two samples
	Step   time.Duration // of the ramp that finds the capacity
	Rate   float64       // sales a second in place of half of what a ramp finds
}

func (o *SoakOptions) complete() error {
	for d, value := range map[*time.Duration]time.Duration{&o.Length: defaultLength, &o.Every: defaultEvery, &o.Step: defaultStep} {
		if *d == 0 {
			*d = value
		}
	}
	if o.Sellers == 0 {
		o.Sellers = soakSellers
	}
	o.shape = shape{each: 1, points: soakPoints, closing: o.Length / soakPoints, prizes: soakPrizes}
	return o.Options.complete()
}

// Soak runs the platform with all its work at half of the rate of sales that it bears, samples it, judges what must be flat, and proves that nothing was
// lost. Errors: ErrGrew, ErrDifferences.
func Soak(ctx context.Context, o SoakOptions) error {
	if err := o.complete(); err != nil {
		return err
	}
	return perform(ctx, &o.Options, func(ctx context.Context, s *platform, l *load) error { return s.soak(ctx, l, &o) })
}

func (s *platform) soak(ctx context.Context, l *load, o *SoakOptions) error {
	l.pace = &pacer{}
	working, finish := context.WithCancel(ctx)
	defer finish()
	var running sync.WaitGroup
	running.Go(func() { l.run(working) })
	running.Go(func() { l.chores(working, o.Length) })
	samples, err := s.sampleAtHalf(ctx, l, o)
	l.pace.set(0)
	finish()
	running.Wait()
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	say(o.Out, "%d sales; draining", l.pace.total())
	l.printReads(o.Out)
	return errors.Join(s.report(samples, o), s.conclude(ctx, l))
}

// sampleAtHalf finds the capacity, then sells at half of it and samples.
func (s *platform) sampleAtHalf(ctx context.Context, l *load, o *SoakOptions) (list []sample, err error) {
	rate := o.Rate
	if rate == 0 {
		capacity, err := l.ramp(ctx, o.Step)
		if err != nil {
			return nil, err
		}
		rate = capacity / 2
		say(o.Out, "the platform bears %.0f sales/s with all that follows from them", capacity)
		l.settle(ctx)
	}
	say(o.Out, "%s: selling at %.1f/s for %s, a sample every %s", time.Now().UTC().Format(time.DateTime), rate, o.Length, o.Every)
	file, err := os.Create(filepath.Join(s.dir, "samples.jsonl"))
	if err != nil {
		return nil, err
	}
	l.pace.window()
	l.pace.set(rate)
	ticker := time.NewTicker(o.Every)
	defer ticker.Stop()
	for end := time.Now().Add(o.Length); time.Now().Before(end) && ctx.Err() == nil; {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			continue
		}
		v, err := s.sampleAll(ctx, l)
		if err != nil {
			s.options.Log.WarnContext(ctx, "a sample is not complete", "error", err)
		}
		list = append(list, v)
		if err := json.NewEncoder(file).Encode(v); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return list, file.Close()
}

// report prints the verdicts. Errors: ErrGrew.
func (s *platform) report(samples []sample, o *SoakOptions) error {
	if len(samples) < 3*sampledAtLeast {
		return fmt.Errorf("%w: only %d samples", errNotMeasured, len(samples))
	}
	all := figures(samples, s.processes)
	list := judge(samples, all)
	printVerdicts(o.Out, list, all)
	printMachine(o.Out, samples)
	var grew, unknown []string
	for _, v := range list {
		switch {
		case v.unknown:
			unknown = append(unknown, v.name)
		case v.grew:
			grew = append(grew, v.name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%w: %s", errNotMeasured, strings.Join(unknown, ", "))
	}
	if o.Length < judgedFrom {
		say(o.Out, "%s are too short to judge what grows", o.Length)
		return nil
	}
	if len(grew) > 0 {
		return fmt.Errorf("%w: %s", ErrGrew, strings.Join(grew, ", "))
	}
	return nil
}
