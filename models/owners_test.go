package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ownedTable is a table that one package writes.
type ownedTable struct {
	name    string
	model   string // its row type, "" without one
	owner   string // the directory of the package
	private bool   // only the owner reads it, others a view of its own
}

func ownedTables() []ownedTable {
	return []ownedTable{
		{name: "tickets", model: "Ticket", owner: "internal/tickets"},
		{name: "ticket_items", model: "TicketItem", owner: "internal/tickets", private: true},
		{name: "draws", model: "Draw", owner: "internal/drawstate"},
		{name: "risk_limits", model: "RiskLimit", owner: "internal/risk"},
		{name: "idempotency_keys", owner: "internal/idempotency"},
	}
}

// gormWrites are the methods of gorm that write rows.
func gormWrites() []string {
	return []string{"Create", "CreateInBatches", "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "FirstOrCreate"}
}

// One package writes a table, and reads it if it is private; internal/bench, which measures Postgres beside the platform, may write every one.
func TestOnePackageWritesATable(t *testing.T) {
	t.Parallel()
	tables := ownedTables()
	written := map[string]bool{} // by their owners: the test finds statements
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "bench") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
		for i := range tables {
			switch writes := tables[i].writtenIn(file); {
			case dir == tables[i].owner:
				written[tables[i].name] = written[tables[i].name] || writes
			case writes:
				t.Errorf("%s uses %s, which %s owns", path, tables[i].name, tables[i].owner)
			}
		}
		return nil
	}))
	for i := range tables {
		require.True(t, written[tables[i].name], "no statement on %s is found", tables[i].name)
	}
}

// writtenIn reports whether a file has a statement that writes the table, or a call of gorm on its rows. Of a private table it
// reports every statement.
func (o *ownedTable) writtenIn(file *ast.File) bool {
	sql := regexp.MustCompile(`(?is)\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|COPY|TRUNCATE)\s+(ONLY\s+|TABLE\s+)?` + o.name + `\b`)
	if o.private {
		sql = regexp.MustCompile(`\b` + o.name + `\b`)
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && sql.MatchString(text) {
				found = true
			}
		case *ast.CallExpr:
			if call, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(gormWrites(), call.Sel.Name) && o.isOn(n) {
				found = true
			}
		}
		return !found
	})
	return found
}

// isOn reports whether a chain of gorm calls, with its arguments, names the table or its row type.
func (o *ownedTable) isOn(call *ast.CallExpr) bool {
	found := false
	ast.Inspect(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "models" && o.model != "" && n.Sel.Name == o.model {
				found = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && (text == o.name || strings.HasPrefix(text, o.name+" ")) {
				found = true
			}
		}
		return !found
	})
	return found
}

// The test above finds what it looks for.
func TestTheOwnerScanFindsAWrite(t *testing.T) {
	t.Parallel()
	tickets, lines := &ownedTables()[0], &ownedTables()[1]
	for body, want := range map[string]bool{
		"q(`UPDATE tickets SET status = 'won'`)":                        true,
		"q(\"WITH x AS (INSERT INTO\\n tickets SELECT 1) SELECT\")":     true,
		"q(`delete from only tickets`)":                                 true,
		"q(`SELECT 1 FROM tickets FOR UPDATE`)":                         false,
		"q(`UPDATE tickets_archive SET x = 1`)":                         false,
		"q(`UPDATE draws SET x = (SELECT 1 FROM tickets)`)":             false,
		"db.Model(&models.Ticket{}).Where(`id = 1`).Update(`prize`, 1)": true,
		"db.Create(&models.Ticket{})":                                   true,
		"db.Table(`tickets t`).Delete(nil)":                             true,
		"db.Model(&models.Ticket{}).Where(`id = 1`).Take(&row)":         false,
		"db.Create(&models.TicketItem{})":                               false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() { "+body+" }", 0)
		require.NoError(t, err, body)
		require.Equal(t, want, tickets.writtenIn(file), body)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() { q(`SELECT 1 FROM ticket_items i`) }", 0)
	require.NoError(t, err)
	require.True(t, lines.writtenIn(file), "reading it is found")
}
