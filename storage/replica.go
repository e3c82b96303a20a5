package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	replicaEvery    = time.Second // between two samples
	replicaTimeout  = 2 * time.Second
	replicaSamples  = 600 // positions of the primary that are remembered
	defaultLag      = 10 * time.Second
	defaultReplicas = 8 // connections
)

// ReplicaOptions configures [NewReplica].
type ReplicaOptions struct {
	URL      string        // of a streaming standby
	MaxLag   time.Duration // beyond which the primary is read; default 10 s
	MaxConns int32         // default 8
	Logger   *slog.Logger
}

// Replica is a streaming standby for reads that may be some seconds old. Its pool leads to the standby while that is at
// most MaxLag behind, and to the primary otherwise; it never writes.
type Replica struct {
	primary *Postgres
	standby *pgx.ConnConfig
	pool    *pgxpool.Pool
	most    time.Duration
	log     *slog.Logger

	mu    sync.Mutex
	state ReplicaState

	samples []position // of the primary, oldest first; of the sampler alone
}

// ReplicaState is what the last sample says.
type ReplicaState struct {
	Used bool          // reads go to the standby
	Lag  time.Duration // how old its data are; at least that, if it is away
	Err  error         // why it is not used; nil before the first sample
}

// position is how far the primary had written its log at an instant.
type position struct {
	at  time.Time
	lsn int64
}

// ErrReplicaBehind reports a standby that is more than MaxLag behind.
var ErrReplicaBehind = errors.New("storage: the replica is too far behind")

// errNotStandby reports a server that follows no primary: its data may belong to another time line.
var errNotStandby = errors.New("storage: the replica is no standby")

// NewReplica returns the replica of a primary without connecting; the primary is read until Run has seen the standby.
func NewReplica(ctx context.Context, primary *Postgres, o ReplicaOptions) (*Replica, error) {
	config, err := poolConfig(PostgresOptions{URL: o.URL, Logger: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("storage: replica: %w", err)
	}
	setReadOnly(config.ConnConfig)
	r := &Replica{primary: primary, standby: config.ConnConfig.Copy(), most: cmp.Or(o.MaxLag, defaultLag), log: o.Logger}
	own := primary.SessionConfig() // not a pooler, which would refuse the settings of a session
	config.MaxConns = cmp.Or(o.MaxConns, defaultReplicas)
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true } // a report can wait for it
	config.PingTimeout = replicaTimeout
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		r.selectServer(c, own)
		return nil
	}
	if r.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("storage: replica: %w", err)
	}
	return r, nil
}

// setReadOnly makes a write an error on both servers, and shows in pg_stat_activity whose sessions these are.
func setReadOnly(c *pgx.ConnConfig) {
	c.RuntimeParams["application_name"] = "banca-reports"
	c.RuntimeParams["default_transaction_read_only"] = "on"
}

// selectServer points a new connection to the standby, with the primary as its fallback, or to the primary.
func (r *Replica) selectServer(c, primary *pgx.ConnConfig) {
	if !r.State().Used {
		tracer := c.Tracer
		*c = *primary.Copy()
		c.Tracer = tracer
		setReadOnly(c)
		return
	}
	c.Fallbacks = append(
		c.Fallbacks, &pgconn.FallbackConfig{Host: primary.Host, Port: primary.Port, TLSConfig: primary.TLSConfig},
	)
}

// Postgres returns the database for reads; it has no pool for commits.
func (r *Replica) Postgres() *Postgres { return &Postgres{Pool: r.pool, direct: r.primary.direct} }

// State returns the last sample.
func (r *Replica) State() ReplicaState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Check returns an error while the primary is read instead of the standby.
func (r *Replica) Check(context.Context) error {
	switch s := r.State(); {
	case s.Used:
		return nil
	case s.Err != nil:
		return s.Err
	default:
		return errors.New("storage: the replica was not seen yet")
	}
}

// Close closes the connections.
func (r *Replica) Close() { r.pool.Close() }

// Run samples both servers until ctx ends. A change makes all idle connections new ones; a read under way ends where it
// began.
func (r *Replica) Run(ctx context.Context) {
	primary, standby := &probe{config: r.primary.SessionConfig()}, &probe{config: r.standby.Copy()}
	defer primary.close(ctx)
	defer standby.close(ctx)
	ticks := time.NewTicker(replicaEvery)
	defer ticks.Stop()
	for ctx.Err() == nil {
		lag, err := r.sample(ctx, primary, standby)
		if ctx.Err() != nil {
			return
		}
		r.note(ctx, lag, err)
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
}

func (r *Replica) note(ctx context.Context, lag time.Duration, err error) {
	if err == nil && lag > r.most {
		err = ErrReplicaBehind
	}
	r.mu.Lock()
	changed := r.state.Used != (err == nil)
	first := r.state.Err == nil && !r.state.Used
	r.state = ReplicaState{Used: err == nil, Lag: lag, Err: err}
	r.mu.Unlock()
	if changed {
		r.pool.Reset()
	}
	switch {
	case r.log == nil || !changed && (!first || err == nil):
	case err != nil:
		r.log.WarnContext(ctx, "reports read the primary", slog.Duration("lag", lag), slog.Any("error", err))
	default:
		r.log.InfoContext(ctx, "reports read the replica", slog.Duration("lag", lag))
	}
}

// sample returns how old the data of the standby are: the age of the newest position of the primary that it has
// reached.
func (r *Replica) sample(ctx context.Context, primary, standby *probe) (time.Duration, error) {
	now := time.Now() //nolint:forbidigo // durations of the process
	var lsn int64
	if err := primary.read(ctx, `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`, &lsn); err == nil {
		r.samples = append(r.samples, position{at: now, lsn: lsn})
		r.samples = r.samples[max(0, len(r.samples)-replicaSamples):]
	}
	var follows bool
	var reached int64
	err := standby.read(
		ctx, `SELECT pg_is_in_recovery(), coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint`,
		&follows, &reached,
	)
	if err == nil && !follows {
		err = errNotStandby
	}
	now = time.Now() //nolint:forbidigo // as above
	if err != nil || len(r.samples) == 0 {
		return r.age(now), cmp.Or(err, errors.New("storage: the primary does not answer the replica's sampler"))
	}
	for len(r.samples) > 1 && r.samples[1].lsn <= reached {
		r.samples = r.samples[1:]
	}
	return r.age(now), nil
}

// age is the age of the oldest position that may not be reached yet.
func (r *Replica) age(now time.Time) time.Duration {
	if len(r.samples) == 0 {
		return 0
	}
	return now.Sub(r.samples[0].at)
}

// probe is a connection that is made again after an error.
type probe struct {
	config *pgx.ConnConfig
	conn   *pgx.Conn
}

func (p *probe) read(ctx context.Context, sql string, into ...any) (err error) {
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	if p.conn == nil {
		if p.conn, err = pgx.ConnectConfig(ctx, p.config); err != nil {
			p.conn = nil
			return err
		}
	}
	if err = p.conn.QueryRow(ctx, sql).Scan(into...); err != nil {
		p.close(ctx)
	}
	return err
}

func (p *probe) close(ctx context.Context) {
	if p.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = p.conn.Close(ctx) // it is given up either way
	p.conn = nil
}
