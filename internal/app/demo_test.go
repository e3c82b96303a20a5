package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The shipped program cannot show logins: only the demonstration passes them to the pages, no setting does, and the program
// imports nothing of it.
func TestOnlyTheDemonstrationShowsLogins(t *testing.T) {
	t.Parallel()
	const root = "../.."
	uses := map[string]bool{}
	imports := map[string][]string{} // of the packages, by directory
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		dir := filepath.ToSlash(filepath.Dir(name))
		for _, spec := range file.Imports {
			if at, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "banca/"); ok {
				imports[dir] = append(imports[dir], at)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if at, ok := n.(*ast.SelectorExpr); ok && (at.Sel.Name == "WithDemo" || at.Sel.Name == "Demo" && isPackage(at.X, "web")) {
				uses[dir] = true
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	delete(uses, "internal/app") // declares the option
	assert.Equal(t, map[string]bool{"internal/dev/demo": true}, uses)

	reached := map[string]bool{}
	var reach func(dir string)
	reach = func(dir string) {
		if reached[dir] {
			return
		}
		reached[dir] = true
		for _, at := range imports[dir] {
			reach(at)
		}
	}
	reach("cmd/banca")
	assert.Contains(t, reached, "web")
	for dir := range reached {
		assert.False(t, dir == "internal/dev" || strings.HasPrefix(dir, "internal/dev/"), dir)
	}
}

func isPackage(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
