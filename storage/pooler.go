package storage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// suitPooler prepares connections to a pooler that lends a session of Postgres for one transaction, such as PgBouncer in
// transaction mode. It refuses parameters of sessions, so these are settings of the role, see checkPooler. Statements
// are described once for each connection and then sent whole: a statement that was prepared by name is unknown to the
// next session. The address may choose another mode for a pooler that keeps prepared statements.
func suitPooler(config *pgx.ConnConfig, address string) {
	setDefaults(config, clientSettings())
	if !strings.Contains(address, "default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
}

// checkPooler returns an error unless the sessions behind a pooler have the settings that connections to Postgres itself
// are given at their start.
func checkPooler(ctx context.Context, pool *pgxpool.Pool) error {
	var user string
	if err := pool.QueryRow(ctx, `SELECT current_user`).Scan(&user); err != nil {
		return err
	}
	want := sessionSettings(statementTimeout)
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		var has string
		if err := pool.QueryRow(ctx, `SELECT setting FROM pg_settings WHERE name = $1`, name).Scan(&has); err != nil {
			return err
		}
		chosen := strings.HasSuffix(name, "_timeout") && has != "0" // another bound is somebody's decision
		if has != want[name] && !chosen {
			missing = append(missing, fmt.Sprintf("ALTER ROLE %s SET %s = '%s'", pgx.Identifier{user}.Sanitize(), name, want[name]))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the sessions behind the pooler lack settings: execute %s; and let the pooler reconnect", strings.Join(missing, "; "))
	}
	return nil
}

// directConfig returns the configuration of connections that keep their session.
func directConfig(o PostgresOptions, pooled *pgx.ConnConfig) (*pgx.ConnConfig, error) {
	if o.Direct == "" {
		return pooled, nil
	}
	config, err := pgx.ParseConfig(o.Direct)
	if err != nil {
		return nil, err
	}
	setRuntimeParams(config, statementTimeout)
	config.Tracer = pooled.Tracer
	return config, nil
}

// SessionConfig returns the configuration of a connection of its own to Postgres itself, for whatever outlives a
// transaction: LISTEN, locks and settings of a session. The caller may change it.
func (p *Postgres) SessionConfig() *pgx.ConnConfig { return p.direct.Copy() }
