package embedded

import (
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// A copy of a primary follows it, and accepts writes once it is promoted.
func TestACopyFollowsThePrimary(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx, dir := t.Context(), dataDir(t)
	options := func(name string) PostgresOptions {
		return PostgresOptions{
			Dir: filepath.Join(dir, name), NoFsync: true, SharedBuffersMB: 16, Settings: []string{"wal_level=replica", "max_wal_senders=4", "hot_standby=on"},
		}
	}
	primary, err := StartPostgres(ctx, options("primary"))
	require.NoError(t, err)
	defer func() { require.NoError(t, primary.Stop(ctx)) }()
	require.NoError(t, CopyPrimary(ctx, primary, options("standby").Dir))
	standby, err := StartPostgres(ctx, options("standby"))
	require.NoError(t, err)
	defer func() { require.NoError(t, standby.Stop(ctx)) }()

	withPostgres(t, standby.URL(), func(conn *pgx.Conn) {
		_, err := conn.Exec(ctx, `CREATE TABLE refused (value int)`)
		require.ErrorContains(t, err, "25006")
		_, err = conn.Exec(ctx, `SELECT pg_promote()`)
		require.NoError(t, err)
		_, err = conn.Exec(ctx, `CREATE TABLE accepted (value int)`)
		require.NoError(t, err)
	})
}
