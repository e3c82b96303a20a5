package caller_test

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

// TestServicesTakeACaller reads the source of every domain. An exported method with a context takes no scope as text,
// and no two adjacent ids; a struct of a request or filter has no field named Scope, in any domain.
func TestServicesTakeACaller(t *testing.T) {
	t.Parallel()
	methods := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.IsExported() && hasContext(d) {
					methods++
					checkParams(t, path, d)
				}
			case *ast.GenDecl:
				checkFields(t, path, d)
			}
		}
		return nil
	}))
	assert.Greater(t, methods, 200, "the methods of the domains")
}

func hasContext(d *ast.FuncDecl) bool {
	params := d.Type.Params.List
	return len(params) > 0 && typeOf(params[0]) == "context.Context"
}

// checkParams refuses a scope as text, two neighbouring ids, and a caller that is not the second parameter.
func checkParams(t *testing.T, path string, d *ast.FuncDecl) {
	t.Helper()
	before, at := "", 0
	for _, field := range d.Type.Params.List {
		kind := typeOf(field)
		for _, name := range names(field) {
			assert.False(t, kind == "string" && strings.Contains(strings.ToLower(name), "scope"), "%s: %s takes a scope as text", path, d.Name)
			assert.False(t, kind == idType && before == idType && !allowedPair(d.Name.Name), "%s: %s takes two ids beside each other", path, d.Name)
			assert.False(t, kind == "caller.Caller" && at != 1, "%s: the caller is not the second parameter of %s", path, d.Name)
			before = kind
			at++
		}
	}
}

// checkFields refuses requests and filters that carry a scope.
func checkFields(t *testing.T, path string, d *ast.GenDecl) {
	t.Helper()
	for _, spec := range d.Specs {
		kind, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		structure, ok := kind.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range structure.Fields.List {
			for _, name := range names(field) {
				assert.False(t, name == "Scope" && typeOf(field) == "string", "%s: %s has a scope as text", path, kind.Name)
			}
		}
	}
}

const idType = "uuid.UUID"

// allowedPair names methods of tasks that take two ids of which a swap is found at once: no row has them.
func allowedPair(method string) bool {
	switch method {
	case "OperatorWallet":
		return true
	default:
		return false
	}
}

func names(field *ast.Field) []string {
	list := []string{}
	for _, name := range field.Names {
		list = append(list, name.Name)
	}
	if len(list) == 0 {
		list = append(list, "")
	}
	return list
}

func typeOf(field *ast.Field) string {
	switch e := field.Type.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			return pkg.Name + "." + e.Sel.Name
		}
	}
	return ""
}
