package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Options configures [Start]. The zero value of everything but DataDir starts all three parts with settings
// for development.
type Options struct {
	DataDir string // made when absent
	Logger  *slog.Logger

	// A part that is left out is one the operator runs elsewhere.
	SkipPostgres, SkipRedis, SkipS3 bool

	Postgres PostgresOptions // Dir and Logger are set by Start
	Redis    RedisOptions    // Dir and Logger are set by Start
	S3       S3Options       // Dir, keys and Logger are set by Start
}

// Stack is the running single-machine stack. Fields of a part that was left out are empty.
type Stack struct {
	PostgresURL  string
	RedisURL     string
	RedisDurable bool // false: the stand-in, which forgets everything when it stops
	S3Endpoint   string
	S3AccessKey  string
	S3SecretKey  string
	Secrets      *Secrets

	lock     *os.File
	parts    []part
	failed   chan error
	stopping chan struct{}
	watchers sync.WaitGroup
	stopOnce sync.Once
	stopErr  error
}

// server is a part that the stack supervises.
type server interface {
	Done() <-chan struct{}
	Stop(ctx context.Context) error
}

// part is a running server with its name for messages.
type part struct {
	name   string
	server server
}

// maxParts is how many parts there are; the channel of failures never blocks.
const maxParts = 3

// Start takes the data directory and starts the parts at the same time. When one fails, all are stopped and
// its error is returned.
func Start(ctx context.Context, o Options) (*Stack, error) {
	dir, err := prepareDataDir(o.DataDir)
	if err != nil {
		return nil, fmt.Errorf("embedded: DATA_DIR: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	s := &Stack{lock: lock, stopping: make(chan struct{}), failed: make(chan error, maxParts)}
	if err := s.start(ctx, dir, o); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	s.watch()
	return s, nil
}

// prepareDataDir creates the directory. Other users may traverse it, because Postgres does if the program is root;
// secret files in it have private modes.
func prepareDataDir(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("must not be empty")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(abs, 0o711); err != nil {
		return "", err
	}
	return abs, nil
}

// start starts the parts. Started parts are recorded even if another one fails, so that Stop finds them.
func (s *Stack) start(ctx context.Context, dir string, o Options) error {
	var err error
	if s.Secrets, err = openSecrets(filepath.Join(dir, "secrets")); err != nil {
		return err
	}
	starts := []struct {
		name  string
		skip  bool
		start func(ctx context.Context, dir string, o Options) (server, error)
	}{
		{"postgres", o.SkipPostgres, s.startPostgres},
		{"redis", o.SkipRedis, s.startRedis},
		{"s3", o.SkipS3, s.startS3},
	}
	s.parts = make([]part, len(starts))
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range starts {
		if p.skip {
			continue
		}
		group.Go(func() error {
			running, err := p.start(ctx, filepath.Join(dir, p.name), o)
			s.parts[i] = part{name: p.name, server: running}
			return err
		})
	}
	err = group.Wait()
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool { return p.server == nil })
	return err
}

func (s *Stack) startPostgres(ctx context.Context, dir string, o Options) (server, error) {
	o.Postgres.Dir, o.Postgres.Logger = dir, o.Logger
	p, err := StartPostgres(ctx, o.Postgres)
	if err != nil {
		return nil, err
	}
	s.PostgresURL = p.URL()
	return p, nil
}

func (s *Stack) startRedis(ctx context.Context, dir string, o Options) (server, error) {
	o.Redis.Dir, o.Redis.Logger = dir, o.Logger
	r, err := StartRedis(ctx, o.Redis)
	if err != nil {
		return nil, err
	}
	s.RedisURL, s.RedisDurable = r.URL(), r.Durable()
	return r, nil
}

func (s *Stack) startS3(ctx context.Context, dir string, o Options) (server, error) {
	o.S3.Dir, o.S3.Logger = dir, o.Logger
	var err error
	if o.S3.AccessKey, err = s.Secrets.Get("s3_access_key", rand.Text); err != nil {
		return nil, err
	}
	if o.S3.SecretKey, err = s.Secrets.Get("s3_secret_key", rand.Text); err != nil {
		return nil, err
	}
	gateway, err := StartS3(ctx, o.S3)
	if err != nil {
		return nil, err
	}
	s.S3Endpoint, s.S3AccessKey, s.S3SecretKey = gateway.Endpoint(), o.S3.AccessKey, o.S3.SecretKey
	return gateway, nil
}

// watch reports a part that ends without Stop.
func (s *Stack) watch() {
	for _, p := range s.parts {
		s.watchers.Go(func() {
			select {
			case <-s.stopping:
			case <-p.server.Done():
				s.failed <- fmt.Errorf("embedded %s ended by itself", p.name)
			}
		})
	}
}

// Failed delivers the name of a part that ended without Stop, such as one killed by the kernel for lack of memory.
// The stack does not restart it; its owner should stop.
func (s *Stack) Failed() <-chan error { return s.failed }

// Stop stops the parts at the same time and releases the data directory. Each part gets a bounded time and
// is then killed, as it is when ctx ends. Later calls return the first one's result.
func (s *Stack) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		close(s.stopping)
		s.watchers.Wait()
		errs := make([]error, len(s.parts))
		var stops sync.WaitGroup
		for i, p := range s.parts {
			stops.Go(func() { errs[i] = p.server.Stop(ctx) })
		}
		stops.Wait()
		s.stopErr = errors.Join(errors.Join(errs...), unlockDir(s.lock))
	})
	return s.stopErr
}

// loggerFor returns the logger of a part; none at all is allowed.
func loggerFor(log *slog.Logger, name string) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log.With(slog.String("component", "embedded."+name))
}

// setDefault replaces an unset number.
func setDefault(n *int, value int) {
	if *n == 0 {
		*n = value
	}
}
