package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"banca/internal/platform/telemetry"
)

const (
	statementTimeout = 30 * time.Second // of any statement of a request or task
	idleInTxTimeout  = 60 * time.Second // an idle transaction holds locks; it is a bug or a hung process
	connectTimeout   = 5 * time.Second
	defaultMaxConns  = 20
	leastConns       = 4
	commitConns      = 8 // two for batches of sales, the others for sales that commit alone, groups of tasks and reads of sessions
)

// PostgresOptions configures [OpenPostgres].
type PostgresOptions struct {
	URL      string            // any form that pgx accepts; its own settings win over the defaults here
	Direct   string            // the server itself, if URL is a pooler that lends sessions for a transaction only
	MaxConns int32             // of both pools together, at least twelve; default 28
	Logger   *slog.Logger      // gets slow statements; may be nil
	Tracers  []pgx.QueryTracer // see every statement; none outside tests
}

// Postgres is the database: the sale uses Pool, ordinary queries use Gorm. Both share the same connections. Commits
// is a pool of its own, so that reports cannot delay commits of sales.
type Postgres struct {
	Pool    *pgxpool.Pool
	Gorm    *gorm.DB
	Commits *pgxpool.Pool

	sql    *sql.DB
	direct *pgx.ConnConfig
}

// OpenPostgres connects and checks the connection. The caller closes it.
func OpenPostgres(ctx context.Context, o PostgresOptions) (*Postgres, error) {
	config, err := poolConfig(o)
	if err != nil {
		return nil, fmt.Errorf("storage: postgres: %w", err) // pgx takes the password out of this error
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("storage: postgres: %w", err)
	}
	direct, err := directConfig(o, config.ConnConfig)
	if err == nil {
		err = pool.Ping(ctx)
	}
	if err == nil {
		err = checkLocks(ctx, pool, o.Logger)
	}
	if err == nil && o.Direct != "" {
		err = checkPooler(ctx, pool)
	}
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("storage: postgres: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	orm, err := openGorm(db)
	if err != nil {
		err = errors.Join(fmt.Errorf("storage: gorm: %w", err), db.Close())
		pool.Close()
		return nil, err
	}
	commits, err := openCommits(ctx, config, o.Direct == "")
	if err != nil {
		err = errors.Join(fmt.Errorf("storage: postgres: %w", err), db.Close())
		pool.Close()
		return nil, err
	}
	return &Postgres{Pool: pool, Gorm: orm, Commits: commits, sql: db, direct: direct}, nil
}

// openCommits opens the pool for committing, whose statements all have fixed plans where it has sessions of its own.
func openCommits(ctx context.Context, like *pgxpool.Config, sessions bool) (*pgxpool.Pool, error) {
	config := like.Copy()
	config.MaxConns, config.MinConns = commitConns, 0
	if sessions {
		maps.Copy(config.ConnConfig.RuntimeParams, fixedPlans())
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil { // a proxy may refuse the parameters
		pool.Close()
		return nil, err
	}
	return pool, nil
}

func poolConfig(o PostgresOptions) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Direct == "" {
		setRuntimeParams(config.ConnConfig, statementTimeout)
	} else {
		suitPooler(config.ConnConfig, o.URL)
	}
	config.MaxConns = defaultMaxConns
	if o.MaxConns > 0 {
		config.MaxConns = max(o.MaxConns-commitConns, leastConns)
	}
	config.AfterConnect = registerColumns
	config.ConnConfig.Tracer = tracerOf(o)
	return config, nil
}

func tracerOf(o PostgresOptions) pgx.QueryTracer {
	var tracers []pgx.QueryTracer
	if o.Logger != nil {
		tracers = append(tracers, &slowTracer{log: o.Logger, threshold: slowStatement})
	}
	tracers = append(tracers, o.Tracers...)
	if telemetry.Tracing() {
		tracers = append(tracers, otelpgx.NewTracer(otelpgx.WithDisableConnectionDetailsInAttributes()))
	}
	switch len(tracers) {
	case 0:
		return nil
	case 1:
		return tracers[0]
	default:
		return multitracer.New(tracers...)
	}
}

// setRuntimeParams sets the timeouts of a session, its name in pg_stat_activity, and planning by parameter values
// (see plans.go). Parameters of the connection string take precedence.
func setRuntimeParams(config *pgx.ConnConfig, statement time.Duration) {
	setDefaults(config, sessionSettings(statement))
	setDefaults(config, clientSettings())
	// Starting a process takes longer than reading a list or a sum, and others need the cores. Sessions behind a pooler do without.
	setDefaults(config, map[string]string{"max_parallel_workers_per_gather": "0"})
}

// clientSettings are the parameters that every pooler keeps for its clients.
func clientSettings() map[string]string {
	return map[string]string{"application_name": "banca", "timezone": "UTC"}
}

func sessionSettings(statement time.Duration) map[string]string {
	return map[string]string{
		"statement_timeout":                   milliseconds(statement),
		"idle_in_transaction_session_timeout": milliseconds(idleInTxTimeout),
		"plan_cache_mode":                     planForValues,
		"jit":                                 "off", // compiling a list or a sum takes longer than reading it
	}
}

func setDefaults(config *pgx.ConnConfig, settings map[string]string) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range settings {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// openGorm puts gorm on the pool. Prepared statements are left to pgx, which caches them already, and a
// transaction is opened by a service that wants one, not around every single write.
func openGorm(db *sql.DB) (*gorm.DB, error) {
	return gorm.Open(postgres.New(postgres.Config{Conn: db}), &gorm.Config{
		SkipDefaultTransaction: true,
		PrepareStmt:            false,
		TranslateError:         true,
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard, // errors are returned, and slow statements the tracer logs
	})
}

// InTx runs fn in one transaction: committed when fn returns nil, else rolled back, also by a panic.
func (p *Postgres) InTx(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, p.Pool, fn)
}

// Ping reports whether both pools can query the database.
func (p *Postgres) Ping(ctx context.Context) error {
	return errors.Join(p.Pool.Ping(ctx), p.Commits.Ping(ctx))
}

// Close waits for the connections in use to be returned and closes them all.
func (p *Postgres) Close() error {
	err := p.sql.Close()
	p.Commits.Close()
	p.Pool.Close()
	return err
}
