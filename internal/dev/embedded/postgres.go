package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	postgresName     = "banca" // superuser and database of the embedded cluster
	postgresPort     = "5432"  // only a part of the socket's file name; nothing listens on TCP
	startAttempts    = 5
	startRetryPause  = 300 * time.Millisecond
	defaultMaxConns  = 120
	defaultBuffersMB = 256
	defaultMaxWALMB  = 2048
)

// PostgresOptions configures [StartPostgres].
type PostgresOptions struct {
	Dir    string // of the cluster; made and initialised when absent or empty
	Logger *slog.Logger

	// Template is a stopped cluster that is copied to Dir, instead of running initdb, when Dir has no cluster.
	Template string

	// NoFsync trades durability for speed: committed data survives a killed server but not a crash of
	// the machine. For tests only.
	NoFsync         bool
	MaxConnections  int // default 120
	SharedBuffersMB int // default 256
	MaxWALSizeMB    int // default 2048: rare checkpoints keep the sale's latency even

	// Settings are further settings of the server, as name=value. They win over those above.
	Settings []string
}

// Postgres is a running PostgreSQL child process.
type Postgres struct {
	child   *child
	url     string
	dir     string
	sockets string
}

// StartPostgres starts the cluster of o.Dir, initialising it first if it does not exist, and returns when it accepts
// connections and the database exists. A server that an earlier run left on the same directory is stopped first, so
// the caller must have exclusive use of the directory.
func StartPostgres(ctx context.Context, o PostgresOptions) (*Postgres, error) {
	p, err := startPostgres(ctx, o.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("embedded postgres: %w", err)
	}
	return p, nil
}

func (o PostgresOptions) withDefaults() PostgresOptions {
	setDefault(&o.MaxConnections, defaultMaxConns)
	setDefault(&o.SharedBuffersMB, defaultBuffersMB)
	setDefault(&o.MaxWALSizeMB, defaultMaxWALMB)
	o.Logger = loggerFor(o.Logger, "postgres")
	return o
}

func startPostgres(ctx context.Context, o PostgresOptions) (*Postgres, error) {
	bin, err := findPostgres(clusterVersion(o.Dir))
	if err != nil {
		return nil, err
	}
	as, err := accountFor(o.Dir)
	if err != nil {
		return nil, err
	}
	dir, err := clusterDir(o.Dir, as, o.Logger)
	if err != nil {
		return nil, err
	}
	sockets, err := socketDir(dir, ".s.PGSQL."+postgresPort, as)
	if err != nil {
		return nil, err
	}
	p := &Postgres{dir: dir, sockets: sockets, url: socketURL(sockets, postgresName)}
	if err := p.boot(ctx, bin, as, o); err != nil {
		return nil, errors.Join(err, os.RemoveAll(sockets))
	}
	return p, nil
}

// boot removes the leftovers of an earlier run, creates the cluster if it does not exist and starts the server.
func (p *Postgres) boot(ctx context.Context, bin string, as account, o PostgresOptions) error {
	if err := stopLeftover(ctx, o.Logger, servedFrom(p.dir, "postgres"), syscall.SIGINT); err != nil {
		return err
	}
	if err := forgetOldLocks(p.dir, p.sockets); err != nil {
		return err
	}
	if err := initCluster(ctx, bin, p.dir, as, o); err != nil {
		return err
	}
	if err := p.launch(ctx, o.command(bin, p.dir, p.sockets), as, o.Logger); err != nil {
		return err
	}
	if err := ensureDatabase(ctx, socketURL(p.sockets, "postgres")); err != nil {
		return errors.Join(err, p.child.abandon(ctx))
	}
	return nil
}

// command returns the server's command line. The settings are given there and not in postgresql.conf, so
// that an old cluster always runs with the settings of this version.
func (o PostgresOptions) command(bin, dir, sockets string) []string {
	settings := []string{
		"listen_addresses=",
		"port=" + postgresPort,
		"unix_socket_directories=" + sockets,
		"unix_socket_permissions=0700",
		"max_connections=" + strconv.Itoa(o.MaxConnections),
		"max_locks_per_transaction=256", // a statement that is planned for all months locks some 25 relations for each
		"shared_buffers=" + strconv.Itoa(o.SharedBuffersMB) + "MB",
		"max_wal_size=" + strconv.Itoa(o.MaxWALSizeMB) + "MB",
		"min_wal_size=" + strconv.Itoa(o.MaxWALSizeMB/2) + "MB", // reuse segments: a new one is filled and synced while a sale waits
		"synchronous_commit=on",
		"timezone=UTC",
		"logging_collector=off",
		// Neither statements nor the values in DETAIL lines may reach the log: they hold personal data.
		"log_min_error_statement=panic",
		"log_error_verbosity=terse",
	}
	if o.NoFsync {
		settings = append(settings, "fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0")
	}
	argv := []string{filepath.Join(bin, "postgres"), "-D", dir}
	for _, s := range append(settings, o.Settings...) {
		argv = append(argv, "-c", s)
	}
	return argv
}

// launch starts the server and waits until it answers. A start that ends early is tried again: after a kill
// the old server's sessions need a moment to notice and to let go of its shared memory.
func (p *Postgres) launch(ctx context.Context, argv []string, as account, log *slog.Logger) error {
	for attempt := 1; ; attempt++ {
		c, err := startChild(childSpec{name: "postgres", argv: argv, as: as, stop: syscall.SIGINT, log: log})
		if err != nil {
			return err
		}
		p.child = c
		err = c.awaitReady(ctx, p.ping)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errChildEnded) {
			return errors.Join(err, c.abandon(ctx))
		}
		if attempt == startAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(startRetryPause):
		}
	}
}

// ping asks for the maintenance database, because ours may not exist yet.
func (p *Postgres) ping(ctx context.Context) error {
	u, err := url.Parse(p.url)
	if err != nil {
		return err
	}
	u.Path = "/postgres"
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// URL returns the address of the database for pgx.
func (p *Postgres) URL() string { return p.url }

// Dir returns where the cluster really is, which is outside the data directory for a root program below a
// private home.
func (p *Postgres) Dir() string { return p.dir }

// PID returns the process id of the server.
func (p *Postgres) PID() int { return p.child.PID() }

// Done is closed when the server has ended, for any reason.
func (p *Postgres) Done() <-chan struct{} { return p.child.Done() }

// Stop ends sessions and stops the server; after a bound, or when ctx ends, it is killed. Stopping a stopped server
// is not an error.
func (p *Postgres) Stop(ctx context.Context) error {
	return errors.Join(p.child.stopChild(ctx), os.RemoveAll(p.sockets))
}

// socketURL is the address of a database of the cluster that listens in sockets.
func socketURL(sockets, database string) string {
	query := url.Values{"host": {sockets}, "port": {postgresPort}}
	u := url.URL{Scheme: "postgres", User: url.User(postgresName), Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}
