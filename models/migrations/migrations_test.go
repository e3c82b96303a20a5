package migrations_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/models/migrations"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// schema lists what a schema consists of, in an order that does not depend on how it came about.
const schema = `
SELECT format('column %s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes i JOIN pg_class c ON c.oid = format('%I', tablename)::regclass AND NOT c.relispartition WHERE schemaname = 'public'
UNION ALL SELECT format('constraint %s %s %s', c.relname, n.conname, pg_get_constraintdef(n.oid)) FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid AND NOT c.relispartition
  WHERE n.connamespace = 'public'::regnamespace
UNION ALL SELECT format('trigger %s', pg_get_triggerdef(t.oid)) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid AND NOT c.relispartition WHERE NOT t.tgisinternal
UNION ALL SELECT format('function %s', pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
UNION ALL SELECT format('view %s %s', viewname, definition) FROM pg_views WHERE schemaname = 'public'
UNION ALL SELECT format('type %s %s', t.typname, string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder)) FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid GROUP BY t.typname
ORDER BY 1`

func schemaOf(t *testing.T, env *testkit.Env) []string {
	t.Helper()
	rows, err := env.PG.Pool.Query(t.Context(), schema)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return slices.DeleteFunc(list, func(line string) bool { return strings.Contains(line, "goose_db_version") })
}

// TestDownAndUp: every migration can be taken back on a database without data, and applied again with the same outcome.
func TestDownAndUp(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	want := schemaOf(t, env)
	require.Greater(t, len(want), 500)

	config, err := pgx.ParseConfig(env.PostgresURL)
	require.NoError(t, err)
	db := stdlib.OpenDB(*config)
	defer func() { require.NoError(t, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = provider.DownTo(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, schemaOf(t, env), "what is left")
	_, err = provider.Up(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, schemaOf(t, env))
}
