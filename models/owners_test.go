package models_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownedTable is a table that one package writes. A new table is listed only if it is private, or has a view or a trigger.
type ownedTable struct {
	name     string
	model    string // its row type, "" without one
	owner    string // the directory of the package
	private  bool   // only the owner reads it, others a view
	archiver string // reads it whole, too; "" for none
	view     string // that others read; Postgres would write the table through it
	trigger  string // the owner's function of the database that writes it, "" without one
}

func ownedTables() []ownedTable {
	return []ownedTable{
		{name: "tickets", model: "Ticket", owner: "internal/tickets"},
		{name: "ticket_items", model: "TicketItem", owner: "internal/tickets", private: true, view: "ticket_lines", archiver: "internal/platform/months"},
		{name: "postings", model: "Posting", owner: "internal/ledger", private: true, view: "wallet_postings", archiver: "internal/platform/months"},
		{name: "pending_balances", owner: "internal/ledger", private: true, view: "wallet_balances", trigger: "ledger_file_postings"},
		{name: "wallet_days", owner: "internal/ledger", private: true},
		{name: "wallet_movements", owner: "internal/ledger", private: true, view: "payable_movements"},
		{name: "credit_limit_changes", owner: "internal/ledger", private: true},
		{name: "daily_totals", owner: "internal/rollup", private: true},
		{name: "draw_totals", owner: "internal/rollup", private: true},
		{name: "hourly_sales", owner: "internal/rollup", private: true},
		{name: "means_totals", owner: "internal/rollup", private: true},
		{name: "sale_minutes", owner: "internal/rollup"},
		{name: "exchange_rates", owner: "internal/ledger", private: true},
		{name: "rate_fetches", owner: "internal/ledger", private: true},
		{name: "report_exports", owner: "internal/exports", private: true},
		{name: "message_logs", model: "MessageLog", owner: "internal/messaging"},
		{name: "message_attempts", owner: "internal/messaging", private: true},
		{name: "message_reports", owner: "internal/messaging", private: true},
		{name: "message_resends", owner: "internal/messaging", private: true},
		{name: "messaging_channels", owner: "internal/messaging", private: true},
		{name: "message_inbound", owner: "internal/messaging", private: true},
		{name: "message_templates", owner: "internal/messaging/templates", private: true},
		{name: "messaging_connections", owner: "internal/messaging/connections", private: true},
		{name: "assistant_conversations", owner: "internal/assistant", private: true},
		{name: "assistant_messages", owner: "internal/assistant", private: true},
		{name: "assistant_budgets", owner: "internal/assistant", private: true},
		{name: "assistant_usage", owner: "internal/assistant", private: true},
		{name: "request_logs", owner: "internal/platform/requestlog", private: true},
		{name: "month_archives", owner: "internal/platform/months"},
		{name: "archived_postings", owner: "internal/platform/months", view: "archived_sums"},
		{name: "archived_prizes", owner: "internal/platform/months"},
		{name: "feeds", owner: "internal/platform/feed"},
		{name: "draws", model: "Draw", owner: "internal/drawstate"},
		{name: "risk_limits", model: "RiskLimit", owner: "internal/risk"},
		{name: "idempotency_keys", owner: "internal/platform/idempotency"},
		{name: "security_alerts", model: "SecurityAlert", owner: "internal/alerts", private: true},
		{name: "customers", model: "Customer", owner: "internal/customers"},
		{name: "message_wishes", owner: "internal/customers", private: true},
		{name: "weekly_drafts", owner: "internal/weekly"},
		{name: "weekly_settlements", owner: "internal/weekly"},
		{name: "weekly_adjustments", owner: "internal/weekly"},
		{name: "weekly_payments", owner: "internal/weekly"},
		{name: "first_setup", owner: "internal/setup", private: true},
		{name: "bank_access", owner: "internal/bank", private: true},
		{name: "daily_closes", owner: "internal/closes"},
		{name: "cash_handovers", owner: "internal/closes"},
		{name: "daily_close_parts", owner: "internal/closes"},
	}
}

// variableTable lists the files with a statement that writes a table named by a variable. None of their tables has an owner.
func variableTable() map[string]bool {
	return map[string]bool{
		"../internal/auth/presence_store.go": true, // users, user_sessions
	}
}

// besideThePlatform reports whether a directory may write every table: internal/dev/bench measures Postgres,
// internal/setup/volume fills it by COPY, internal/dev/testbed adds ticket points, and internal/dev/trial compares all tables
// with its journal.
func besideThePlatform(dir string) bool {
	switch dir {
	case "../internal/dev/bench", "../internal/dev/testbed", "../internal/dev/trial", "../internal/setup/volume":
		return true
	}
	return false
}

// unlistedTables returns the tables of the migrations that ownedTables does not list. Their owner is the only package
// that writes them.
func unlistedTables(t *testing.T) []ownedTable {
	t.Helper()
	listed, unlisted := map[string]bool{}, []ownedTable{}
	for _, table := range ownedTables() {
		listed[table.name] = true
	}
	paths, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	create := regexp.MustCompile(`(?i)\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)`)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range create.FindAllStringSubmatch(withoutComments(string(raw)), -1) {
			if !listed[found[1]] {
				listed[found[1]] = true
				unlisted = append(unlisted, ownedTable{name: found[1]})
			}
		}
	}
	return unlisted
}

// preparesRows reports whether a file writes rows before the program uses them: seeds, fixtures of tests, and what a
// restore adopts.
func preparesRows(path string) bool {
	return strings.HasPrefix(path, "../internal/setup/seed/") || strings.HasPrefix(path, "../internal/dev/testkit/") ||
		strings.HasSuffix(path, "/adopt.go")
}

// One package writes a table, and reads it if it is private.
func TestOnePackageWritesATable(t *testing.T) {
	t.Parallel()
	tables, unlisted := ownedTables(), unlistedTables(t)
	writers := map[string]map[string]bool{} // of unlisted tables
	written := map[string]bool{}            // by their owners: the test finds statements
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || besideThePlatform(filepath.ToSlash(path))) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		scanned := sourceOf(file)
		assert.False(t, writesVariableTable(scanned) && !variableTable()[path], "%s writes a table that its text does not name", path)
		dir := strings.TrimPrefix(path[:strings.LastIndex(path, "/")], "../")
		for i := range tables {
			table := tables[i]
			table.private = table.private && dir != table.archiver
			switch writes := table.usedIn(scanned); {
			case dir == table.owner:
				written[tables[i].name] = written[tables[i].name] || writes
			case writes:
				t.Errorf("%s uses %s, which %s owns", path, tables[i].name, tables[i].owner)
			}
		}
		for i := range unlisted {
			if !preparesRows(path) && unlisted[i].usedIn(scanned) {
				if writers[unlisted[i].name] == nil {
					writers[unlisted[i].name] = map[string]bool{}
				}
				writers[unlisted[i].name][dir] = true
			}
		}
		return nil
	}))
	for i := range tables {
		require.True(t, written[tables[i].name], "no statement on %s is found", tables[i].name)
	}
	for name, dirs := range writers {
		assert.Len(t, dirs, 1, "%s has several writers: %v", name, dirs)
	}
	require.Greater(t, len(writers), 30)
}

// movesRows lists the migrations with a block that runs once and moves rows, as a statement of a migration may.
func movesRows() map[string]bool {
	return map[string]bool{"migrations/0063_partition_bounds.sql": true, "migrations/0078_operator_without_zero_id.sql": true}
}

// No function or rule of the database writes a table that a package owns, except the owner's trigger. Every view is one that the
// scan knows, because Postgres writes the table of a simple view.
func TestTheDatabaseWritesNoOwnedTable(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	function := regexp.MustCompile(`(?s)(?:FUNCTION\s+(\w+)[^$;]*)?\$\$(.*?)\$\$`) // or a block without a name
	view := regexp.MustCompile(`(?i)\bVIEW\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(\w+)`)
	views, bodies := map[string]bool{}, 0
	for _, table := range ownedTables() {
		views[table.view] = true
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		text := withoutComments(string(raw))
		assert.NotRegexp(t, `(?i)\bCREATE\s+(OR\s+REPLACE\s+)?RULE\b`, text, path)
		for _, name := range view.FindAllStringSubmatch(text, -1) {
			assert.True(t, views[name[1]], "%s: the view %s", path, name[1])
		}
		for _, found := range function.FindAllStringSubmatch(text, -1) {
			name, body := found[1], found[2]
			bodies++
			for _, table := range ownedTables() {
				if name == "" && movesRows()[path] {
					continue
				}
				if name == "" || name != table.trigger {
					assert.False(t, table.writes().MatchString(body), "%s: a function writes %s", path, table.name)
				}
			}
		}
	}
	require.Greater(t, bodies, 10)
}

// The scan finds what it looks for.
func TestTheOwnerScanFindsAWrite(t *testing.T) {
	t.Parallel()
	tickets, lines := &ownedTables()[0], &ownedTables()[1]
	for body, want := range map[string]bool{
		"q(`UPDATE tickets SET status = 'won'`)":                                true,
		"q(\"WITH x AS (INSERT INTO\\n tickets SELECT 1) SELECT\")":             true,
		"q(`delete from only tickets`)":                                         true,
		"q(`UPDATE \"tickets\" SET status = 'won'`)":                            true,
		"q(`INSERT INTO public.tickets SELECT 1`)":                              true,
		"q(`TRUNCATE wallets, tickets`)":                                        true,
		"q(`UPDATE -- the state\n tickets SET x = 1`)":                          true,
		"q(`UPDATE /* the state */ tickets SET x = 1`)":                         true,
		"q(`UPDATE ` + `tickets SET x = 1`)":                                    true,
		"q(`UPDATE ` + (\"tick\" + \"ets\") + ` SET x = 1`)":                    true,
		"const table = `tickets`; q(`UPDATE ` + table + ` SET x = 1`)":          true,
		"tx.CopyFrom(ctx, pgx.Identifier{`tickets`}, columns, rows)":            true,
		"q(`SELECT 1 FROM tickets FOR UPDATE`)":                                 false,
		"q(`UPDATE tickets_archive SET x = 1`)":                                 false,
		"q(`UPDATE draws SET x = (SELECT 1 FROM tickets)`)":                     false,
		"db.Model(&models.Ticket{}).Where(`id = 1`).Update(`prize`, 1)":         true,
		"db.Create(&models.Ticket{})":                                           true,
		"db.Table(`tickets t`).Delete(nil)":                                     true,
		"var row models.Ticket; db.Take(&row); db.Save(&row)":                   true,
		"row := &models.Ticket{}; db.Create(row)":                               true,
		"rows := make([]*models.Ticket, 3); db.CreateInBatches(rows, 1)":        true,
		"q := db.Model(&models.Ticket{}).Where(`id = 1`); q.Update(`prize`, 1)": true,
		"db.Model(&models.Ticket{}).Where(`id = 1`).Take(&row)":                 false,
		"var row models.Ticket; db.Take(&row)":                                  false,
		"db.Create(&models.TicketItem{})":                                       false,
	} {
		require.Equal(t, want, tickets.usedIn(function(t, body)), body)
	}
	for body, want := range map[string]bool{
		"q(`SELECT 1 FROM ticket_items i`)":                                  true,
		"q(`SELECT 1 FROM ticket_lines i`)":                                  false,
		"q(`DELETE FROM ticket_lines`)":                                      true,
		"var rows []models.TicketItem; db.Where(`x = 1`).Find(&rows)":        true,
		"var rows []models.TicketItem; db.Table(`ticket_lines`).Scan(&rows)": false,
		"db.Table(`ticket_lines`).Delete(nil)":                               true,
	} {
		require.Equal(t, want, lines.usedIn(function(t, body)), body)
	}
	for body, want := range map[string]bool{
		"q(`UPDATE ` + table + ` SET x = 1`)":                     true,
		"q(fmt.Sprintf(`DELETE FROM %s`, table))":                 true,
		"q(fmt.Sprintf(`WITH x AS (UPDATE %[1]s SET x = 1)`, t))": true,
		"q(`SELECT 1 FROM draws FOR UPDATE ` + of)":               false,
		"q(`INSERT INTO draws SELECT ` + columns)":                false,
	} {
		require.Equal(t, want, writesVariableTable(function(t, body)), body)
	}
}

// function returns the source of a function with this body.
func function(t *testing.T, body string) *source {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() { "+body+" }", 0)
	require.NoError(t, err, body)
	return sourceOf(file)
}
