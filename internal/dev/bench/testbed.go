package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"banca/internal/dev/embedded"
	"banca/internal/dev/process"
	"banca/internal/dev/procstat"
	"banca/internal/dev/testbed"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/storage"
)

const (
	stopTimeout = 20 * time.Second
	readyPoll   = 50 * time.Millisecond
)

// benchTestbed is the scratch stack with the seeded database.
type benchTestbed struct {
	dir     string
	stack   *embedded.Stack
	servers testbed.Servers
	cfg     *config.Config
	pg      *storage.Postgres
	program string // the banca binary
	log     *slog.Logger

	zone  *time.Location // of business days; nil for the configured one
	kept  bool           // the directory outlives the run
	lines int            // of the history in a kept directory

	written, filled bool // an earlier run has written the history in the directory, and has filled it whole
}

// openTestbed starts the stack in a scratch directory below Options.DataDir, which must be on a real disk: the cost of a commit
// is its fsync.
func openTestbed(ctx context.Context, o Options, log *slog.Logger) (_ *benchTestbed, err error) {
	s := &benchTestbed{log: log}
	if s.program, err = os.Executable(); err != nil {
		return nil, err
	}
	if o.Only == onlyPages {
		s.zone = afternoonZone(clock.System{}.Now())
	}
	if o.Keep {
		err = s.openKept(filepath.Join(o.DataDir, "bench-kept"), o.Lines)
	} else {
		s.dir, err = testbed.Scratch(o.DataDir, "bench-")
	}
	if err != nil {
		return nil, err
	}
	if s.stack, err = embedded.Start(ctx, embedded.Options{DataDir: s.dir, Logger: log, Postgres: embedded.PostgresOptions{Settings: settingsOf(o.Only)}}); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	if err = s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// prepare migrates and seeds the database and adds the benchmark's own ticket points.
func (s *benchTestbed) prepare(ctx context.Context) (err error) {
	s.servers = testbed.Of(s.stack)
	if s.cfg, err = s.servers.Settings(); err != nil {
		return err
	}
	if s.zone != nil {
		s.cfg.Business.Zone = s.zone
	}
	if err := testbed.Prepare(ctx, s.cfg, s.log); err != nil {
		return err
	}
	s.pg, err = storage.OpenPostgres(ctx, storage.PostgresOptions{URL: s.stack.PostgresURL, MaxConns: s.cfg.Postgres.MaxConns, Logger: s.log})
	if err != nil || s.written {
		return err
	}
	return s.addPoints(ctx)
}

func (s *benchTestbed) close(ctx context.Context) error {
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
	*process.Process
	addr string
}

// startChild runs a subcommand of the same binary and waits until it is ready.
func (s *benchTestbed) startChild(ctx context.Context, subcommand string) (*child, error) {
	c, err := s.launch(ctx, subcommand)
	if err != nil {
		return nil, err
	}
	if err := testbed.AwaitReady(ctx, c.addr); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// launch runs a subcommand of the same binary with more of an environment.
func (s *benchTestbed) launch(ctx context.Context, subcommand string, environment ...string) (*child, error) {
	addr, err := process.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	env := append(os.Environ(), s.servers.Environment(addr, filepath.Join(s.dir, "child"))...)
	env = append(env, "S3_BUCKET="+s.cfg.Objects.Bucket, "BUSINESS_TIMEZONE="+s.cfg.Business.Zone.String())
	p, err := process.Start(&process.Spec{Argv: []string{s.program, subcommand}, Env: append(env, environment...), Output: os.Stderr})
	return &child{Process: p, addr: addr}, err
}

func (c *child) stop() error {
	err := c.End(syscall.SIGTERM, stopTimeout)
	return errors.Join(err, c.Err())
}

// residentMiB reads how much memory the process holds now.
func (c *child) residentMiB() (float64, error) {
	if mib, ok := procstat.MiB(c.PID(), "VmRSS"); ok {
		return mib, nil
	}
	return 0, errors.New("no VmRSS in /proc status")
}

// login returns an access token of a user of the benchmark.
func (c *child) login(ctx context.Context, identifier string) (string, error) {
	body, err := json.Marshal(map[string]string{"identifier": identifier, "password": testbed.Password})
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

// withDatabase returns a Postgres address with another database.
func withDatabase(address, database string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	u.Path = "/" + database
	return u.String(), nil
}
