package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const defaultRedisDatabases = 16

// RedisOptions configures [StartRedis].
type RedisOptions struct {
	Dir       string // of the append-only file; made when absent
	Databases int    // default 16
	Logger    *slog.Logger

	// Settings are further lines of the configuration file. They win over those that are always there.
	Settings []string

	// Required refuses the in-process stand-in: without a server binary the start fails with
	// [ErrRedisMissing].
	Required bool
}

// Redis is a running Redis: a child process, or the stand-in where no server is installed.
type Redis struct {
	child   *child // nil for the stand-in
	standIn *standIn
	socket  string // empty for the stand-in
	url     string
}

// StartRedis starts a Redis server on the data in o.Dir and returns when it has loaded them. A server that an earlier
// run left on the same directory is stopped first, so the caller must have exclusive use of the directory.
func StartRedis(ctx context.Context, o RedisOptions) (*Redis, error) {
	setDefault(&o.Databases, defaultRedisDatabases)
	o.Logger = loggerFor(o.Logger, "redis")
	bin, err := findRedis()
	if errors.Is(err, ErrRedisMissing) && !o.Required {
		return startStandIn(o.Logger)
	}
	if err != nil {
		return nil, fmt.Errorf("embedded redis: %w", err)
	}
	r, err := startRedis(ctx, bin, o)
	if err != nil {
		return nil, fmt.Errorf("embedded redis: %w", err)
	}
	return r, nil
}

func startRedis(ctx context.Context, bin string, o RedisOptions) (*Redis, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sockets, err := socketDir(dir, "redis.sock", account{})
	if err != nil {
		return nil, err
	}
	conf, socket := filepath.Join(dir, "redis.conf"), filepath.Join(sockets, "redis.sock")
	r := &Redis{socket: socket, url: (&url.URL{Scheme: "unix", Path: socket}).String()}
	if err := r.boot(ctx, bin, conf, redisConf(dir, socket, o), o.Logger); err != nil {
		return nil, errors.Join(err, os.RemoveAll(sockets))
	}
	return r, nil
}

// boot stops what an earlier run left behind and starts the server.
func (r *Redis) boot(ctx context.Context, bin, conf string, settings []byte, log *slog.Logger) error {
	err := stopLeftover(ctx, log, servedFrom(conf, redisServerNames()...), syscall.SIGTERM)
	if err != nil {
		return err
	}
	if err := os.WriteFile(conf, settings, 0o600); err != nil {
		return err
	}
	r.child, err = startChild(childSpec{name: "redis", argv: []string{bin, conf}, stop: syscall.SIGTERM, log: log})
	if err != nil {
		return err
	}
	if err := r.child.awaitReady(ctx, r.ping); err != nil {
		return errors.Join(err, r.child.abandon(ctx))
	}
	return nil
}

// redisConf returns the configuration. Nothing is ever evicted, because queues and risk counts are not a
// cache; the title stays the command line, by which a leftover is recognised.
func redisConf(dir, socket string, o RedisOptions) []byte {
	lines := []string{
		"port 0",
		"unixsocket " + strconv.Quote(socket),
		"unixsocketperm 700",
		"dir " + strconv.Quote(dir),
		"databases " + strconv.Itoa(o.Databases),
		"appendonly yes",
		"appendfsync everysec",
		"save \"\"",
		"maxmemory-policy noeviction",
		"daemonize no",
		"set-proc-title no",
	}
	return []byte(strings.Join(append(lines, o.Settings...), "\n") + "\n")
}

// ping fails while the server is still loading its data. It speaks the protocol itself because the client
// library writes every failed dial to standard error, and the first ones always fail.
func (r *Redis) ping(ctx context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", r.socket)
	if err != nil {
		return err
	}
	deadline, _ := ctx.Deadline() // awaitReady always sets one
	err = conn.SetDeadline(deadline)
	if err == nil {
		_, err = io.WriteString(conn, "PING\r\n")
	}
	answer := make([]byte, 64)
	n := 0
	if err == nil {
		n, err = conn.Read(answer)
	}
	if err == nil && string(answer[:n]) != "+PONG\r\n" {
		err = fmt.Errorf("not ready: %q", answer[:n])
	}
	return errors.Join(err, conn.Close())
}

// URL returns the address for go-redis: unix://, or redis:// for the stand-in.
func (r *Redis) URL() string { return r.url }

// Durable reports whether data survive a restart; false for the stand-in.
func (r *Redis) Durable() bool { return r.child != nil }

// PID returns the process id of the server, 0 for the stand-in.
func (r *Redis) PID() int {
	if r.child == nil {
		return 0
	}
	return r.child.PID()
}

// Done is closed when the server has ended, for any reason.
func (r *Redis) Done() <-chan struct{} {
	if r.child == nil {
		return r.standIn.done
	}
	return r.child.Done()
}

// Stop writes unsaved data to disk and stops the server; after a bound, or when ctx ends, it is killed. Stopping a
// stopped server is not an error.
func (r *Redis) Stop(ctx context.Context) error {
	if r.child == nil {
		r.standIn.stop()
		return nil
	}
	return errors.Join(r.child.stopChild(ctx), os.RemoveAll(filepath.Dir(r.socket)))
}
