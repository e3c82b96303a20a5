package testkit

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"banca/internal/dev/embedded"
)

// PgBouncer is a pooler in transaction mode before the database of a test.
type PgBouncer struct {
	*Process
	URL string // of the test's database, through the pooler
}

// StartPgBouncer starts a pooler with few sessions, so that consecutive transactions of a client are in different ones.
// Sessions of the database get the settings that storage requires of those behind a pooler.
func StartPgBouncer(t testing.TB, env *Env, sessions int) *PgBouncer {
	t.Helper()
	program, err := findProgram("pgbouncer")
	if err != nil {
		missingTool(t, "pgbouncer")
	}
	server, err := pgx.ParseConfig(env.PostgresURL)
	check(t, err)
	for name, value := range map[string]string{
		"statement_timeout": "30s", "idle_in_transaction_session_timeout": "60s", "plan_cache_mode": "force_custom_plan", "jit": "off",
	} {
		_, err := env.PG.Pool.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s SET %s = '%s'", pgx.Identifier{server.Database}.Sanitize(), name, value))
		check(t, err)
	}
	addr := FreeAddr(t)
	host, port, _ := net.SplitHostPort(addr)
	conf := filepath.Join(Dir(t), "pgbouncer.ini")
	lines := []string{
		"[databases]",
		fmt.Sprintf("%s = host=%s port=%d user=%s", server.Database, server.Host, server.Port, server.User),
		"[pgbouncer]",
		"listen_addr = " + host, "listen_port = " + port, "unix_socket_dir =", "auth_type = any", "pool_mode = transaction",
		"default_pool_size = " + strconv.Itoa(sessions), "max_client_conn = 500", "query_wait_timeout = 60", "log_connections = 0", "log_disconnections = 0",
	}
	check(t, os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o644)) //nolint:gosec // another account reads it
	as, err := embedded.ServerAccount()
	check(t, err)
	b := &PgBouncer{Process: startProcessAs(t, as, program, conf)}
	u := url.URL{Scheme: "postgres", Host: addr, Path: "/" + server.Database, User: url.User(server.User), RawQuery: "sslmode=disable"}
	b.URL = u.String()
	await(t, "PgBouncer answers", func() bool {
		conn, err := pgx.Connect(t.Context(), b.URL+"&default_query_exec_mode=simple_protocol")
		if err != nil {
			return false
		}
		return conn.Close(t.Context()) == nil
	})
	return b
}

// findProgram also looks where Debian keeps servers, which is not in the PATH of every user.
func findProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return exec.LookPath(filepath.Join("/usr/sbin", name))
}
