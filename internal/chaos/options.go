package chaos

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Options are how long a run breaks what.
type Options struct {
	DataDir string // a scratch directory is made below it
	Journal string // the file of the journal; in the scratch directory when empty
	Seed    uint64
	Faults  int      // how many
	Only    []string // kinds of faults; all when empty
	Plan    []string // the kinds in their order instead of drawn ones; Faults and Only do not count
	Keep    bool     // keep the scratch directory with the logs also when nothing is wrong

	Sellers int           // clients that sell
	Pause   time.Duration // between two operations of one client, about
	Gap     time.Duration // between two faults, about
	Round   time.Duration // between two draws that are decided during the run
	Drain   time.Duration // at most, from the last fault until everything is done

	// Program and Environment run the platform; this program without more when empty.
	Program     string
	Environment []string
	Log         *slog.Logger
	Out         io.Writer
}

const (
	defaultSellers = 6
	defaultPause   = 250 * time.Millisecond
	defaultGap     = 1500 * time.Millisecond
	defaultRound   = 15 * time.Second
	defaultDrain   = 6 * time.Minute
)

func (o *Options) complete() error {
	if o.Sellers == 0 {
		o.Sellers = defaultSellers
	}
	for d, value := range map[*time.Duration]time.Duration{&o.Pause: defaultPause, &o.Gap: defaultGap, &o.Round: defaultRound, &o.Drain: defaultDrain} {
		if *d == 0 {
			*d = value
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	for _, kind := range slices.Concat(o.Only, o.Plan) {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("there is no fault %q: choose from %s", kind, strings.Join(Kinds(), ", "))
		}
	}
	return nil
}
