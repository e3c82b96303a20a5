package storage_test

import (
	"context"
	"io/fs"
	"maps"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/models/migrations"
	"banca/storage"
)

// schema is everything that migrations make, in one text. Indexes of partitions have names by chance.
const schema = `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
	SELECT concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default) AS line FROM information_schema.columns WHERE table_schema = 'public'
	UNION ALL SELECT concat_ws(' ', 'index', CASE WHEN relispartition THEN regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \S+ ', 'INDEX ') ELSE pg_get_indexdef(indexrelid) END, indisvalid) FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', 'function', proname, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
) AS lines WHERE line NOT LIKE '%goose\_db\_version%'`

// breakOff ends the connection of the migration, as a kill of the process does.
const breakOff = "\nSELECT pg_terminate_backend(pg_backend_pid());\n"

// An upgrade that is interrupted in any of its steps goes on with the next start: the schema is that of an upgrade without an interruption, and a step
// with a transaction leaves nothing behind.
func TestAnInterruptedUpgradeGoesOn(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	read := func(pg *storage.Postgres) (text string) {
		require.NoError(t, pg.Pool.QueryRow(t.Context(), schema).Scan(&text))
		return text
	}
	plain, at := emptyDatabase(t, env, "plain")
	_, err := storage.MigrateFiles(t.Context(), plain, migrations.FS)
	require.NoError(t, err)
	whole := read(at)
	address, pg := emptyDatabase(t, env, "broken")
	names, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	applied, interrupted := fstest.MapFS{}, 0
	for _, name := range names {
		raw, err := fs.ReadFile(migrations.FS, name)
		require.NoError(t, err)
		before := read(pg)
		for _, broken := range breaks(string(raw)) {
			files := fstest.MapFS{name: {Data: []byte(broken)}}
			maps.Copy(files, applied)
			_, err = storage.MigrateFiles(t.Context(), address, files)
			require.ErrorContains(t, err, "terminating connection", name)
			if interrupted++; !strings.Contains(broken, "NO TRANSACTION") {
				require.Equal(t, before, read(pg), name)
			}
		}
		applied[name] = &fstest.MapFile{Data: raw}
		_, err = storage.MigrateFiles(t.Context(), address, applied)
		require.NoError(t, err, name)
	}
	require.Equal(t, whole, read(pg))
	require.Greater(t, interrupted, len(names), "each step, and each statement of one without a transaction")
}

// breaks are a migration that breaks off at its end, or after each of its statements where it has no transaction.
func breaks(migration string) []string {
	up, down, _ := strings.Cut(migration, "-- +goose Down")
	if down != "" {
		down = "-- +goose Down" + down
	}
	if !strings.Contains(migration, "NO TRANSACTION") {
		return []string{up + "\n-- +goose StatementBegin" + breakOff + "-- +goose StatementEnd\n" + down}
	}
	var list []string
	statements := strings.SplitAfter(up, ";\n")
	for i := range statements {
		list = append(list, strings.Join(statements[:i+1], "")+breakOff+strings.Join(statements[i+1:], "")+down)
	}
	return list
}

// emptyDatabase makes a database without tables on the server of an environment.
func emptyDatabase(t *testing.T, env *testkit.Env, suffix string) (address string, pg *storage.Postgres) {
	t.Helper()
	parsed, err := url.Parse(env.PostgresURL)
	require.NoError(t, err)
	name := strings.TrimPrefix(parsed.Path, "/") + "_" + suffix
	_, err = env.PG.Pool.Exec(t.Context(), `CREATE DATABASE `+pgx.Identifier{name}.Sanitize()+` TEMPLATE template0`)
	require.NoError(t, err)
	parsed.Path = "/" + name
	pg, err = storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: parsed.String()})
	require.NoError(t, err)
	t.Cleanup(func() {
		pg.Pool.Close()
		_, err := env.PG.Pool.Exec(context.WithoutCancel(t.Context()), `DROP DATABASE `+pgx.Identifier{name}.Sanitize()+` WITH (FORCE)`)
		require.NoError(t, err)
	})
	return parsed.String(), pg
}
