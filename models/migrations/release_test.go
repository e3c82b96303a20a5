package migrations_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"banca"
	"banca/models/migrations"
)

var (
	comment = regexp.MustCompile(`--[^\n]*`)
	body    = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	created = regexp.MustCompile(`(?i)\bCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)`)
	index   = regexp.MustCompile(`(?i)^CREATE (?:UNIQUE )?INDEX (?:(CONCURRENTLY) )?(?:IF NOT EXISTS )?(?:\w+ )?ON (\w+)`)
	// busy are the tables that sales, the bank, logins and messages write: an index that is made without CONCURRENTLY stops them.
	busy       = regexp.MustCompile(`^(tickets|ticket_\w+|postings|transactions|wallets|wallet_\w+|idempotency_keys|outbox\w*|customers|draws|bank_\w+|payment_\w+|messages|message_\w+|activity\w*|users|user_\w+)$`)
	alter      = regexp.MustCompile(`(?i)^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+) (.*)`)
	again      = regexp.MustCompile(`(?i)\bCREATE (?:OR REPLACE )?(?:VIEW|FUNCTION) (\w+)`)
	dropped    = regexp.MustCompile(`(?i)^DROP (?:VIEW|FUNCTION) (.*)`)
	parameters = regexp.MustCompile(`\([^)]*\)`)
	drop       = regexp.MustCompile(`(?i)^DROP (?:TABLE|VIEW|FUNCTION|TYPE)`)
	rewriting  = regexp.MustCompile(`(?i)\b(?:DROP (?:COLUMN )?(?:IF EXISTS )?\w+|RENAME|ALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE|SET NOT NULL)\b`)
	harmless   = regexp.MustCompile(`(?i)\bDROP (?:CONSTRAINT|DEFAULT|NOT NULL)\b`)
	demanding  = regexp.MustCompile(`(?i)\bADD (?:COLUMN )?(?:IF NOT EXISTS )?\w+ [^,]*\bNOT NULL\b`)
	defaulted  = regexp.MustCompile(`(?i)\b(?:DEFAULT|GENERATED)\b`)
)

// notices returns the statements of the upward half of a migration that a process of the release before fails on, or waits for
// while a table is rewritten or its writes are locked out.
func notices(migration string) (found []string) {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	up = body.ReplaceAllString(comment.ReplaceAllString(up, ""), "$$")
	fresh := map[string]bool{}
	for _, match := range created.FindAllStringSubmatch(up, -1) {
		fresh[match[1]] = true
	}
	for statement := range strings.SplitSeq(up, ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		if match := index.FindStringSubmatch(statement); match != nil {
			if match[1] == "" && !fresh[match[2]] && busy.MatchString(match[2]) {
				found = append(found, statement)
			}
			continue
		}
		if match := alter.FindStringSubmatch(statement); match != nil && !fresh[match[1]] {
			change := harmless.ReplaceAllString(match[2], "")
			if rewriting.MatchString(change) || demanding.MatchString(change) && !defaulted.MatchString(change) {
				found = append(found, statement)
			}
			continue
		}
		if drop.MatchString(statement) && !recreated(up, statement) {
			found = append(found, statement)
		}
	}
	return found
}

// recreated reports whether a migration, which is one transaction, has all views and functions that a statement drops before or after it, too.
func recreated(up, statement string) bool {
	match := dropped.FindStringSubmatch(statement)
	if match == nil || strings.Contains(up, "+goose NO TRANSACTION") {
		return false
	}
	made := map[string]bool{}
	for _, view := range again.FindAllStringSubmatch(up, -1) {
		made[view[1]] = true
	}
	for name := range strings.SplitSeq(parameters.ReplaceAllString(match[1], ""), ",") {
		if !made[strings.TrimSpace(name)] {
			return false
		}
	}
	return true
}

// TestRollingMigrations: if docs/operations.md says that the newest release is installed while the last one sells, its migrations
// take nothing away that the last one uses. scripts/upgrade.sh runs both.
func TestRollingMigrations(t *testing.T) {
	t.Parallel()
	operations, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, newest, found := strings.Cut(string(operations), "\n### "+banca.Version("")+"\n")
	require.True(t, found)
	newest, _, _ = strings.Cut(newest, "\n### ")
	lists, err := filepath.Glob("../../docs/releases/*/migrations")
	require.NoError(t, err)
	require.Len(t, lists, 1, "the last release")
	last, err := os.ReadFile(lists[0])
	require.NoError(t, err)
	files, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	for _, file := range files {
		if slices.Contains(strings.Fields(string(last)), file) {
			continue
		}
		text, err := fs.ReadFile(migrations.FS, file)
		require.NoError(t, err)
		if found := notices(string(text)); len(found) > 0 {
			require.True(t, strings.HasPrefix(newest, "\n**stop**"), "%s: a process of the last release notices %q", file, found)
		}
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	for migration, noticed := range map[string]bool{
		"CREATE TABLE a (n int NOT NULL); CREATE INDEX ON a (n)":                               false,
		"CREATE INDEX i ON tickets (n)":                                                        true,
		"CREATE INDEX i ON result_fetches (n)":                                                 false,
		"CREATE UNIQUE INDEX CONCURRENTLY i ON tickets (n)":                                    false,
		"ALTER TABLE tickets ADD n text":                                                       false,
		"ALTER TABLE tickets ADD COLUMN n text NOT NULL":                                       true,
		"ALTER TABLE tickets ADD n text NOT NULL DEFAULT ''":                                   false,
		"ALTER TABLE tickets DROP n":                                                           true,
		"ALTER TABLE tickets DROP CONSTRAINT n":                                                false,
		"ALTER TABLE tickets ALTER n TYPE bigint":                                              true,
		"ALTER TABLE tickets RENAME n TO m":                                                    true,
		"DROP VIEW v":                                                                          true,
		"DROP VIEW v, w; CREATE VIEW v AS SELECT 1":                                            true,
		"DROP VIEW v, w; CREATE VIEW v AS SELECT 1; CREATE VIEW w AS SELECT 1":                 false,
		"CREATE FUNCTION f(a text, b text) RETURNS void AS $$ $$; DROP FUNCTION f(text, text)": false,
		"-- DROP VIEW v\nSELECT 1;\n-- +goose Down\nDROP TABLE tickets":                        false,
		"CREATE FUNCTION f() RETURNS void AS $$ BEGIN DROP TABLE tickets; END $$":              false,
	} {
		require.Equal(t, noticed, len(notices(migration)) > 0, migration)
	}
}
