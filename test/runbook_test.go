package test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// Every statement that the runbook gives to a person runs on the schema of this release. They run in one transaction each, which is undone.
func TestStatementsOfTheRunbookRun(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/runbook.md")
	require.NoError(t, err)
	statements := regexp.MustCompile("`((?:SELECT|UPDATE|DELETE|ALTER|INSERT|DROP) [^`]+)`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(statements), 10)
	conn, err := testkit.New(t).PG.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	for _, s := range statements {
		sql := regexp.MustCompile(`\bPID\b`).ReplaceAllString(s[1], "0")
		_, err := conn.Conn().PgConn().Exec(t.Context(), "BEGIN; "+sql+"; ROLLBACK").ReadAll()
		assert.NoError(t, err, sql)
		_, err = conn.Exec(t.Context(), "ROLLBACK")
		require.NoError(t, err)
	}
}
