package sentence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// computed are the actions whose names the source computes, so that the scan does not find them.
func computed() []string {
	all := []string{
		"wallets.deposit", "wallets.withdrawal", "wallets.transfer", "wallets.reversal", // kinds of movements
		"prizes.settled", "prizes.written_off", // states of differences
		"auth.reuse", "devices.fingerprint_mismatch", // constants that have other uses
	}
	for _, action := range []string{"create", "update", "delete"} { // internal/bank has one function for both directories
		all = append(all, "banks."+action, "network_codes."+action)
	}
	for _, action := range ActionsOf("queues") { // of the addresses of asynqmon
		all = append(all, "queues."+action)
	}
	return all
}

// Every action that the source records is known, and every known action is recorded.
func TestTheRecordedActionsAreKnown(t *testing.T) {
	t.Parallel()
	recorded := map[string]bool{}
	for _, action := range computed() {
		recorded[action] = true
	}
	for _, p := range sourcesOf(t, "../../../internal", "../system") {
		p.scan(recorded)
	}
	known := map[string]bool{}
	for _, module := range Modules() {
		for _, action := range module.Actions {
			known[module.Name+"."+action] = true
		}
	}
	assert.Equal(t, slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(recorded)))
}

// source is a package of the source.
type source struct {
	consts map[string]string
	funcs  map[string][]*ast.FuncDecl // by name
}

// sourcesOf parses the packages below directories, without their tests.
func sourcesOf(t *testing.T, roots ...string) map[string]*source {
	t.Helper()
	all := map[string]*source{}
	for _, root := range roots {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			dir := filepath.Dir(path)
			if all[dir] == nil {
				all[dir] = &source{consts: map[string]string{}, funcs: map[string][]*ast.FuncDecl{}}
			}
			all[dir].add(file)
			return nil
		}))
	}
	require.Greater(t, len(all), 40)
	return all
}

func (s *source) add(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.funcs[d.Name.Name] = append(s.funcs[d.Name.Name], d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST {
					for i, value := range values.Values {
						s.consts[values.Names[i].Name] = literal(value)
					}
				}
			}
		}
	}
}

// scan adds the actions of the entries that the package records.
func (s *source) scan(recorded map[string]bool) {
	for _, decls := range s.funcs {
		for _, decl := range decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if entry, ok := n.(*ast.CompositeLit); ok && isEntry(entry.Type) {
					if module, action := member(entry, "Module"), member(entry, "Action"); module != nil && action != nil {
						s.resolve(decl, module, action, recorded, 0)
					}
				}
				return true
			})
		}
	}
}

// maxCalls bounds the functions between an entry and the names of its module and action.
const maxCalls = 5

// resolve adds the actions that two expressions of a function evaluate to. A parameter takes the arguments of all calls.
func (s *source) resolve(in *ast.FuncDecl, module, action ast.Expr, recorded map[string]bool, calls int) {
	atModule, atAction := parameter(in, module), parameter(in, action)
	if (atModule < 0 && atAction < 0) || calls == maxCalls {
		for _, m := range s.values(in, module) {
			for _, a := range s.values(in, action) {
				recorded[m+"."+a] = true
			}
		}
		return
	}
	for _, decls := range s.funcs {
		for _, caller := range decls {
			ast.Inspect(caller, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || calledName(call) != in.Name.Name || len(call.Args) <= max(atModule, atAction) {
					return true
				}
				m, a := module, action
				if atModule >= 0 {
					m = call.Args[atModule]
				}
				if atAction >= 0 {
					a = call.Args[atAction]
				}
				s.resolve(caller, m, a, recorded, calls+1)
				return true
			})
		}
	}
}

// values returns the strings that an expression evaluates to: a literal, a constant, or all assignments of a variable.
func (s *source) values(in *ast.FuncDecl, e ast.Expr) []string {
	name, ok := e.(*ast.Ident)
	if !ok {
		return given(literal(e))
	}
	if text := s.consts[name.Name]; text != "" {
		return given(text)
	}
	var all []string
	ast.Inspect(in, func(n ast.Node) bool {
		if set, ok := n.(*ast.AssignStmt); ok && len(set.Lhs) == len(set.Rhs) {
			for i := range set.Lhs {
				if to, ok := set.Lhs[i].(*ast.Ident); ok && to.Name == name.Name {
					all = append(all, given(literal(set.Rhs[i]))...)
				}
			}
		}
		return true
	})
	return all
}

func given(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// literal returns the value of a string, or "" for another expression.
func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}

// isEntry reports whether a type is activity.Entry.
func isEntry(e ast.Expr) bool {
	switch t := e.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name == "Entry"
	case *ast.Ident:
		return t.Name == "Entry"
	default:
		return false
	}
}

func member(lit *ast.CompositeLit, name string) ast.Expr {
	for _, element := range lit.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}

// parameter returns the index of the parameter that an expression is, or -1.
func parameter(in *ast.FuncDecl, e ast.Expr) int {
	name, ok := e.(*ast.Ident)
	if !ok {
		return -1
	}
	at := 0
	for _, field := range in.Type.Params.List {
		for _, p := range field.Names {
			if p.Name == name.Name {
				return at
			}
			at++
		}
	}
	return -1
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	default:
		return ""
	}
}
