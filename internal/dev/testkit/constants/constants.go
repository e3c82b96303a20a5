// Package constants finds the constants of named types in the source of the module, such as the codes and messages of
// errors, whose texts a test compares with a catalogue.
//
// The compiler converts an untyped constant to such a type wherever one is expected. Any other string needs a
// conversion, which Of reports.
package constants

import (
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

const module = "banca"

// Found are the constants of some types.
type Found struct {
	Values      map[string]map[string]string // a place in the source, by type and value
	Conversions []string                     // places where another string becomes one of the types
}

// Of returns the constants of types, named like "banca/internal/platform/apperr.Code", in the packages below
// directories of the module, whose root is given. Conversions in the package that declares the type, and conversions
// between the types, are not reported.
func Of(root string, dirs []string, names ...string) (*Found, error) {
	found := &Found{Values: map[string]map[string]string{}}
	s := &source{root: root, fset: token.NewFileSet(), packages: map[string]*types.Package{}, found: found}
	for _, name := range names {
		found.Values[name] = map[string]string{}
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(at string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" {
				return err
			}
			relative, err := filepath.Rel(root, at)
			if err == nil {
				_, err = s.Import(path.Join(module, filepath.ToSlash(relative)))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// source type-checks the module without its tests. Packages of other modules have a name and nothing else: no constant
// gets its type from them.
type source struct {
	root     string
	fset     *token.FileSet
	packages map[string]*types.Package
	found    *Found
}

// Import implements types.Importer.
func (s *source) Import(name string) (*types.Package, error) {
	if p, ok := s.packages[name]; ok {
		return p, nil
	}
	s.packages[name] = types.NewPackage(name, path.Base(name))
	s.packages[name].MarkComplete()
	if !strings.HasPrefix(name, module+"/") {
		return s.packages[name], nil
	}
	dir := filepath.Join(s.root, filepath.FromSlash(strings.TrimPrefix(name, module+"/")))
	listed, err := build.ImportDir(dir, 0)
	if err != nil && len(listed.GoFiles) == 0 { // a directory without a package
		return s.packages[name], nil
	}
	var files []*ast.File
	for _, file := range listed.GoFiles {
		parsed, err := parser.ParseFile(s.fset, filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: s, Error: func(error) {}} // what other modules declare is undefined
	s.packages[name], _ = config.Check(name, s.fset, files, info)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool { return s.inspect(n, name, info) })
	}
	return s.packages[name], nil
}

// inspect collects an expression of one of the types. The operands of a constant are not constants of their own.
func (s *source) inspect(n ast.Node, in string, info *types.Info) bool {
	e, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	typ := info.Types[e]
	values := s.valuesOf(typ.Type)
	if values == nil {
		return true
	}
	if typ.Value != nil {
		if typ.Value.Kind() == constant.String {
			values[constant.StringVal(typ.Value)] = s.fset.Position(e.Pos()).String()
		}
		return false
	}
	call, ok := e.(*ast.CallExpr)
	if ok && info.Types[call.Fun].IsType() && s.valuesOf(info.TypeOf(call.Args[0])) == nil &&
		!strings.HasPrefix(types.Unalias(typ.Type).String(), in+".") {
		s.found.Conversions = append(s.found.Conversions, s.fset.Position(e.Pos()).String())
	}
	return true
}

// valuesOf returns the found values of a type, nil for a type that is not asked for.
func (s *source) valuesOf(t types.Type) map[string]string {
	if t == nil {
		return nil
	}
	return s.found.Values[types.Unalias(t).String()]
}
