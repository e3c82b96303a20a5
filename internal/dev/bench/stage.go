package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"banca/internal/app"
	"banca/internal/dev/embedded"
	"banca/internal/dev/procstat"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/storage"
)

const (
	readyTimeout = 30 * time.Second
	stopTimeout  = 20 * time.Second
	readyPoll    = 50 * time.Millisecond
	benchSecret  = "a-signing-key-for-the-benchmark-only-0123456789" //nolint:gosec // a scratch stack's own
)

// stage is the scratch stack with the seeded database.
type stage struct {
	dir     string
	stack   *embedded.Stack
	cfg     *config.Config
	pg      *storage.Postgres
	program string // the banca binary
	log     *slog.Logger

	zone  *time.Location // of business days; nil for the configured one
	kept  bool           // the directory outlives the run
	lines int            // of the history in a kept directory

	written, filled bool // an earlier run has written the history in the directory, and has filled it whole
}

// openStage starts the stack in a scratch directory below Options.DataDir, which must be on a real disk: the cost of a commit
// is its fsync.
func openStage(ctx context.Context, o Options, log *slog.Logger) (_ *stage, err error) {
	s := &stage{log: log}
	if s.program, err = os.Executable(); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(o.DataDir, 0o711); err != nil {
		return nil, err
	}
	if o.Only == onlyPages {
		s.zone = afternoonZone(clock.System{}.Now())
	}
	if o.Keep {
		err = s.openKept(filepath.Join(o.DataDir, "bench-kept"), o.Lines)
	} else {
		s.dir, err = os.MkdirTemp(o.DataDir, "bench-")
	}
	if err != nil {
		return nil, err
	}
	if err = os.Chmod(s.dir, 0o711); err != nil { //nolint:gosec // as above
		return nil, err
	}
	if s.stack, err = embedded.Start(ctx, embedded.Options{DataDir: s.dir, Logger: log}); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	if err = s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// prepare migrates and seeds the database and adds the benchmark's own ticket points.
func (s *stage) prepare(ctx context.Context) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	cfg.Postgres.DatabaseURL, cfg.Redis.RedisURL = config.Secret(s.stack.PostgresURL), config.Secret(s.stack.RedisURL)
	cfg.Objects.Endpoint, cfg.Objects.AccessKey, cfg.Objects.SecretKey = s.stack.S3Endpoint, config.Secret(s.stack.S3AccessKey), config.Secret(s.stack.S3SecretKey)
	cfg.Auth.JWTSecret, cfg.Auth.BcryptCost = benchSecret, minBcryptCost
	cfg.Messaging.Driver = config.DriverLog
	if s.zone != nil {
		cfg.Business.Zone = s.zone
	}
	s.cfg = &cfg
	if err := app.Migrate(ctx, s.cfg, s.log); err != nil {
		return err
	}
	a, err := app.Open(ctx, s.cfg, "bench", s.log)
	if err != nil {
		return err
	}
	if err := errors.Join(a.Seed(ctx), a.Close()); err != nil {
		return err
	}
	if s.pg, err = storage.OpenPostgres(ctx, storage.PostgresOptions{URL: s.stack.PostgresURL, MaxConns: cfg.Postgres.MaxConns, Logger: s.log}); err != nil {
		return err
	}
	if s.written {
		return nil
	}
	return s.addPoints(ctx)
}

func (s *stage) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	var errs []error
	if s.pg != nil {
		errs = append(errs, s.pg.Close())
	}
	if s.stack != nil {
		errs = append(errs, s.stack.Stop(ctx))
	}
	if !s.kept {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// child is the platform, or a part of it, in a process of its own.
type child struct {
	cmd  *exec.Cmd
	addr string
}

// startChild runs a subcommand of the same binary and waits until it is ready.
func (s *stage) startChild(ctx context.Context, subcommand string) (*child, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &child{addr: l.Addr().String(), cmd: exec.Command(s.program, subcommand)} //nolint:gosec,noctx // our own binary; it is stopped by stop
	if err := l.Close(); err != nil {
		return nil, err
	}
	c.cmd.Env = append(os.Environ(), s.environment(c.addr)...)
	c.cmd.Stderr = os.Stderr
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(readyTimeout)
	for time.Now().Before(deadline) {
		if get(ctx, "http://"+c.addr+"/readyz") == nil {
			return c, nil
		}
		time.Sleep(readyPoll)
	}
	return nil, errors.Join(fmt.Errorf("banca %s was not ready in %s", subcommand, readyTimeout), c.stop())
}

func (s *stage) environment(addr string) []string {
	o := &s.cfg.Objects
	return append(bankEnvironment(),
		"HTTP_ADDR="+addr, "PUBLIC_URL=http://"+addr, "DATA_DIR="+filepath.Join(s.dir, "child"),
		"DATABASE_URL="+s.stack.PostgresURL, "REDIS_URL="+s.stack.RedisURL,
		"S3_ENDPOINT="+o.Endpoint, "S3_ACCESS_KEY="+o.AccessKey.Reveal(), "S3_SECRET_KEY="+o.SecretKey.Reveal(), "S3_BUCKET="+o.Bucket,
		"JWT_SECRET="+benchSecret, "ACCESS_TOKEN_TTL=12h", "RATE_LIMIT_REQUESTS=1000000", "RATE_LIMIT_PANEL_REQUESTS=1000000", "LOG_LEVEL=warn",
		"MESSAGING_DRIVER="+config.DriverLog, "BUSINESS_TIMEZONE="+s.cfg.Business.Zone.String(), "BCRYPT_COST="+strconv.Itoa(minBcryptCost),
	)
}

func (c *child) stop() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return c.cmd.Wait()
}

// residentMiB reads how much memory the process holds now.
func (c *child) residentMiB() (float64, error) {
	if mib, ok := procstat.MiB(c.cmd.Process.Pid, "VmRSS"); ok {
		return mib, nil
	}
	return 0, errors.New("no VmRSS in /proc status")
}

// login returns an access token of a user of the benchmark.
func (c *child) login(ctx context.Context, identifier string) (string, error) {
	body, err := json.Marshal(map[string]string{"identifier": identifier, "password": benchPassword})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.addr+"/auth/login", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{Timeout: callTimeout}).Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Data struct {
			AccessToken string `json:"access_token"`
		} `json:"data"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Data.AccessToken == "" {
		return "", fmt.Errorf("login: status %d: %w", res.StatusCode, err)
	}
	return answer.Data.AccessToken, nil
}

func get(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Timeout: callTimeout}).Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}

// withDatabase returns a Postgres address with another database.
func withDatabase(address, database string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	u.Path = "/" + database
	return u.String(), nil
}
