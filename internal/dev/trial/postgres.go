package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/dev/embedded"
)

const (
	statementWithin = 20 * time.Second
	standbyWithin   = time.Minute
	postgresSocket  = ".s.PGSQL.5432"
	buffersMB       = 64
	walMB           = 192
)

// database is a Postgres primary with a synchronous standby.
type database struct {
	disks [2]*disk
	log   *slog.Logger
	spare bool // with a standby, and nothing is synced

	nodes   [2]*embedded.Postgres
	primary int
	clients []*proxy // that lead to the primary
}

// options are those of both servers. Nothing is synced to a disk where there is a standby, because no fault is the loss of this machine.
func (d *database) options(node int) embedded.PostgresOptions {
	if !d.spare {
		return embedded.PostgresOptions{Dir: d.dir(node), Logger: d.log}
	}
	return embedded.PostgresOptions{
		Dir: d.dir(node), Logger: d.log, NoFsync: true, SharedBuffersMB: buffersMB, MaxWALSizeMB: walMB, MaxConnections: 240,
		Settings: []string{"wal_level=replica", "max_wal_senders=6", "full_page_writes=on", "wal_keep_size=64MB", "hot_standby=on", "wal_receiver_status_interval=1s", "wal_retrieve_retry_interval=200ms"},
	}
}

func (d *database) dir(node int) string { return filepath.Join(d.disks[node].dir, "postgres") }

// start starts the primary and, if there is one, the standby.
func (d *database) start(ctx context.Context) error {
	var err error
	if d.nodes[0], err = embedded.StartPostgres(ctx, d.options(0)); err != nil || !d.spare {
		return err
	}
	return d.follow(ctx)
}

// follow makes the other node a standby of the primary, and the primary wait for it.
func (d *database) follow(ctx context.Context) error {
	standby := 1 - d.primary
	if err := os.RemoveAll(d.dir(standby)); err != nil {
		return err
	}
	if err := embedded.CopyPrimary(ctx, d.nodes[d.primary], d.dir(standby)); err != nil {
		return err
	}
	var err error
	if d.nodes[standby], err = embedded.StartPostgres(ctx, d.options(standby)); err != nil {
		return err
	}
	if err := d.await(ctx, `SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'`); err != nil {
		return err
	}
	if err := d.synchronous(ctx, "*"); err != nil {
		return err
	}
	return d.await(ctx, `SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
}

// synchronous sets which standby commits wait for; none if it is empty.
func (d *database) synchronous(ctx context.Context, names string) error {
	return d.exec(ctx, fmt.Sprintf("ALTER SYSTEM SET synchronous_standby_names = '%s'", names), "SELECT pg_reload_conf()")
}

// exec executes statements at the primary.
func (d *database) exec(ctx context.Context, statements ...string) error {
	return d.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		for _, sql := range statements {
			if _, err := c.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
}

// with calls fn with a connection to the primary.
func (d *database) with(ctx context.Context, fn func(context.Context, *pgx.Conn) error) error {
	return d.within(ctx, statementWithin, fn)
}

// within is with for a given time at most.
func (d *database) within(ctx context.Context, most time.Duration, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	c, err := pgx.Connect(ctx, d.nodes[d.primary].URL())
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, c), c.Close(ctx))
}

// await waits until a question is answered with true.
func (d *database) await(ctx context.Context, question string) error {
	ctx, cancel := context.WithTimeout(ctx, standbyWithin)
	defer cancel()
	var last error
	for ctx.Err() == nil {
		var yes bool
		last = d.with(ctx, func(ctx context.Context, c *pgx.Conn) error { return c.QueryRow(ctx, question).Scan(&yes) })
		if last == nil && yes {
			return nil
		}
		pause(ctx, lookEvery)
	}
	return fmt.Errorf("%s: not within %s: %w", question, standbyWithin, errors.Join(last, ctx.Err()))
}

// target is where the proxies of clients lead.
func (d *database) target() endpoint {
	u, err := url.Parse(d.nodes[d.primary].URL())
	if err != nil {
		return endpoint{}
	}
	return endpoint{"unix", filepath.Join(u.Query().Get("host"), postgresSocket)}
}

// sessions counts the connections of the platform.
func (d *database) sessions() (n int64) {
	for _, c := range d.clients {
		n += c.open()
	}
	return n
}

// refuses reports whether the primary refuses to write a table of some MiB.
func (d *database) refuses(ctx context.Context) bool {
	return d.exec(ctx, "CREATE TEMP TABLE trial_probe AS SELECT repeat('x', 1000) FROM generate_series(1, 4000)") != nil
}

// restart stops the primary in order and starts it.
func (d *database) restart(ctx context.Context, down time.Duration) error {
	if err := d.nodes[d.primary].Stop(ctx); err != nil {
		return err
	}
	pause(ctx, down)
	return d.revive(ctx)
}

// crash ends the primary at once, all its sessions with it, and starts it.
func (d *database) crash(ctx context.Context, down time.Duration) error {
	d.quit(syscall.SIGQUIT)
	pause(ctx, down)
	return d.revive(ctx)
}

// quit ends the primary without a checkpoint.
func (d *database) quit(s syscall.Signal) {
	node := d.nodes[d.primary]
	_ = syscall.Kill(node.PID(), s)
	<-node.Done()
}

// revive starts the primary again if it does not run, and waits until its standby follows.
func (d *database) revive(ctx context.Context) error {
	select {
	case <-d.nodes[d.primary].Done():
		var err error
		if d.nodes[d.primary], err = embedded.StartPostgres(ctx, d.options(d.primary)); err != nil {
			return err
		}
	default:
	}
	return d.await(ctx, `SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
}

// failover ends the primary for good and promotes the standby, which then gets a new standby.
func (d *database) failover(ctx context.Context) error {
	d.quit(syscall.SIGKILL)
	d.primary = 1 - d.primary
	if err := d.exec(ctx, "SELECT pg_promote()"); err != nil {
		return err
	}
	if err := d.await(ctx, "SELECT NOT pg_is_in_recovery()"); err != nil {
		return err
	}
	if err := d.synchronous(ctx, ""); err != nil { // there is no standby yet
		return err
	}
	for _, c := range d.clients {
		c.lead(d.target())
	}
	return d.follow(ctx)
}

func (d *database) stop(ctx context.Context) error {
	var errs []error
	for _, n := range d.nodes {
		if n != nil {
			errs = append(errs, n.Stop(ctx))
		}
	}
	return errors.Join(errs...)
}
