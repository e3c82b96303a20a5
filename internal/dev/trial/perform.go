package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// ErrDifferences is the end of a trial that found something lost, doubled or unexplained.
var ErrDifferences = errors.New("the platform and the journal differ")

// perform starts the servers and the platform, lets body do what the trial is for, and closes both.
func perform(ctx context.Context, o *Options, body func(context.Context, *platform, *load) error) (err error) {
	s, err := openServers(ctx, o)
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
	if err := s.startProcesses(ctx); err != nil {
		return err
	}
	l := &load{platform: s, seed: o.Seed, client: newClients(s.apis(), j, newTally())}
	if err := l.planRounds(ctx); err != nil {
		return err
	}
	return body(ctx, s, l)
}

// conclude drains the platform, compares it with the journal and reports. Errors: ErrDifferences.
func (s *platform) conclude(ctx context.Context, l *load) error {
	begun := time.Now()
	found := s.check(ctx, l)
	out := s.options.Out
	say(out, "drained and compared in %s", time.Since(begun).Round(time.Second))
	l.client.tally.print(out)
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
	say(out, "nothing was lost, nothing happened twice")
	return nil
}

func say(out io.Writer, format string, values ...any) {
	_, _ = fmt.Fprintf(out, format+"\n", values...)
}
