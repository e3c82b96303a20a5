package trial

import (
	"io"
	"log/slog"
	"os"
	"time"
)

// Options are those of every trial.
type Options struct {
	DataDir string // a scratch directory is made below it
	Journal string // the file of the journal; in the scratch directory when empty
	Seed    uint64
	Keep    bool // keep the scratch directory with the logs also when nothing is wrong

	Sellers int           // clients that sell
	Pause   time.Duration // between two operations of one client, about
	Round   time.Duration // between two draws that are decided during the trial
	Drain   time.Duration // at most, from the end of the load until everything is done

	// Program and Environment run the platform; this program without more when empty.
	Program     string
	Environment []string
	Log         *slog.Logger
	Out         io.Writer

	shape shape
}

// shape is what a trial runs.
type shape struct {
	each    int           // processes of each role
	spare   bool          // a standby of Postgres and a replica of Redis, all on small disks that can be filled; nothing is synced
	points  int           // ticket points
	edges   bool          // sales meet limits that they fill and draws that stop, and exports are made
	closing time.Duration // between two closes of days; as the rounds when 0
	prizes  int           // prizes that are paid of one result at most; all when 0
}

const (
	defaultSellers = 6
	defaultPause   = 250 * time.Millisecond
	defaultGap     = 1500 * time.Millisecond
	defaultInsist  = 3 * time.Second
	defaultRound   = 15 * time.Second
	defaultDrain   = 6 * time.Minute
)

func (o *Options) complete() (err error) {
	if o.Sellers == 0 {
		o.Sellers = defaultSellers
	}
	for d, value := range map[*time.Duration]time.Duration{&o.Pause: defaultPause, &o.Round: defaultRound, &o.Drain: defaultDrain} {
		if *d == 0 {
			*d = value
		}
	}
	if o.shape.closing == 0 {
		o.shape.closing = o.Round
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Program == "" {
		o.Program, err = os.Executable()
	}
	return err
}
