package problem

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "banca"

// source is the typed source of the module without its tests. Packages of other modules have a name and nothing else.
type source struct {
	fset     *token.FileSet
	packages map[string]*types.Package
	info     types.Info

	calls   map[types.Object][]*ast.CallExpr // of functions and of variables that hold one
	passed  map[types.Object][]parameter     // where a function is passed on
	params  map[types.Object]parameter       // what a variable is the parameter of
	held    map[*ast.FuncLit][]types.Object  // the variables that hold a function literal
	bodies  map[types.Object]*ast.BlockStmt
	values  map[types.Object][]value
	details []ast.Expr // every Message of an apperr.Detail without a Code
}

// parameter is a parameter of a declared function or of a function literal.
type parameter struct {
	of      types.Object
	literal *ast.FuncLit
	at      int
}

// value is an expression that is assigned to a variable, or one result of a call.
type value struct {
	expr   ast.Expr
	result int
}

// loadSource type-checks the packages below the given directories of the module.
func loadSource(t *testing.T, dirs ...string) *source {
	t.Helper()
	s := &source{
		fset: token.NewFileSet(), packages: map[string]*types.Package{},
		info: types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
		},
		calls: map[types.Object][]*ast.CallExpr{}, passed: map[types.Object][]parameter{}, params: map[types.Object]parameter{},
		held: map[*ast.FuncLit][]types.Object{}, bodies: map[types.Object]*ast.BlockStmt{}, values: map[types.Object][]value{},
	}
	for _, dir := range dirs {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", dir), func(at string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			relative, err := filepath.Rel(filepath.Join("..", ".."), at)
			if err == nil && d.Name() != "testdata" {
				_, err = s.Import(path.Join(modulePath, filepath.ToSlash(relative)))
			}
			return err
		}))
	}
	return s
}

// Import implements types.Importer.
func (s *source) Import(name string) (*types.Package, error) {
	if p, ok := s.packages[name]; ok {
		return p, nil
	}
	if !strings.HasPrefix(name, modulePath+"/") {
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		s.packages[name] = p
		return p, nil
	}
	dir := filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(name, modulePath+"/")))
	listed, err := build.ImportDir(dir, 0)
	if err != nil && len(listed.GoFiles) == 0 { // a directory without a package
		return types.NewPackage(name, path.Base(name)), nil
	}
	var files []*ast.File
	for _, file := range listed.GoFiles {
		parsed, err := parser.ParseFile(s.fset, filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	config := types.Config{Importer: s, Error: func(error) {}} // what other modules declare is undefined
	s.packages[name], _ = config.Check(name, s.fset, files, &s.info)
	for _, file := range files {
		ast.Inspect(file, s.collect)
	}
	return s.packages[name], nil
}

func (s *source) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if f, ok := s.info.Defs[n.Name].(*types.Func); ok {
			s.bodies[f] = n.Body
			s.declare(f.Signature(), parameter{of: f})
		}
	case *ast.FuncLit:
		if signature, ok := s.info.TypeOf(n).(*types.Signature); ok {
			s.declare(signature, parameter{literal: n})
		}
	case *ast.CallExpr:
		s.collectCall(n)
	case *ast.AssignStmt:
		s.assign(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		names := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			names[i] = name
		}
		s.assign(names, n.Values)
	case *ast.CompositeLit:
		s.collectLiteral(n)
	}
	return true
}

func (s *source) declare(signature *types.Signature, of parameter) {
	for i := range signature.Params().Len() {
		of.at = i
		s.params[signature.Params().At(i)] = of
	}
}

func (s *source) collectCall(call *ast.CallExpr) {
	callee := s.objectOf(call.Fun)
	if callee == nil {
		return
	}
	s.calls[callee] = append(s.calls[callee], call)
	for i, arg := range call.Args {
		to := parameter{of: callee, at: i}
		if literal, ok := arg.(*ast.FuncLit); ok {
			if param := s.parameterOf(to); param != nil {
				s.held[literal] = append(s.held[literal], param)
			}
		} else if o := s.objectOf(arg); o != nil {
			if _, ok := o.Type().(*types.Signature); ok {
				s.passed[o] = append(s.passed[o], to)
			}
		}
	}
}

func (s *source) assign(left, right []ast.Expr) {
	for i, name := range left {
		o := s.objectOf(name)
		switch {
		case len(right) == len(left):
			if literal, ok := right[i].(*ast.FuncLit); ok && o != nil {
				s.held[literal] = append(s.held[literal], o)
			}
			if selector, ok := name.(*ast.SelectorExpr); ok && selector.Sel.Name == "Message" && s.isDetail(selector.X) {
				s.details = append(s.details, right[i])
			}
			s.values[o] = append(s.values[o], value{expr: right[i], result: -1})
		case len(right) == 1:
			s.values[o] = append(s.values[o], value{expr: right[0], result: i})
		}
	}
}

// collectLiteral notes the values of a struct's fields.
func (s *source) collectLiteral(literal *ast.CompositeLit) {
	typ := s.info.TypeOf(literal)
	if typ == nil {
		return
	}
	fields, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return
	}
	given := map[string]ast.Expr{}
	for i, element := range literal.Elts {
		if pair, keyed := element.(*ast.KeyValueExpr); keyed {
			if key, ok := pair.Key.(*ast.Ident); ok {
				given[key.Name] = pair.Value
			}
		} else if i < fields.NumFields() {
			given[fields.Field(i).Name()] = element
		}
	}
	for field := range fields.Fields() {
		if expr := given[field.Name()]; expr != nil {
			s.values[field] = append(s.values[field], value{expr: expr, result: -1})
		}
	}
	if message := given["Message"]; message != nil && given["Code"] == nil && s.isDetail(literal) {
		s.details = append(s.details, message)
	}
}

// objectOf returns what an identifier or a selector names, nil for any other expression.
func (s *source) objectOf(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		return s.info.ObjectOf(e)
	case *ast.SelectorExpr:
		if selection := s.info.Selections[e]; selection != nil {
			return selection.Obj()
		}
		return s.info.ObjectOf(e.Sel)
	case *ast.ParenExpr:
		return s.objectOf(e.X)
	}
	return nil
}

// parameterOf returns the variable of a parameter.
func (s *source) parameterOf(p parameter) types.Object {
	if signature, ok := p.of.Type().(*types.Signature); ok && p.at < signature.Params().Len() {
		return signature.Params().At(p.at)
	}
	return nil
}

// isDetail and isError report whether an expression is an apperr.Detail or an apperr.Error, or points to one.
func (s *source) isDetail(e ast.Expr) bool { return s.isOfErrors(e, "Detail") }
func (s *source) isError(e ast.Expr) bool  { return s.isOfErrors(e, "Error") }

func (s *source) isOfErrors(e ast.Expr, name string) bool {
	typ := s.info.TypeOf(e)
	if pointer, ok := typ.(*types.Pointer); ok {
		typ = pointer.Elem()
	}
	named, ok := typ.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == modulePath+"/internal/platform/apperr" && named.Obj().Name() == name
}

// hole replaces a varying part of a template.
const hole = "{}"

var verb = regexp.MustCompile(`%[#+]?[a-z]`)

// templates returns every text that an expression can be, with a hole for what varies. It fails for an expression whose
// texts it cannot find.
func (s *source) templates(e ast.Expr) ([]string, error) {
	if v := s.info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return []string{constant.StringVal(v)}, nil
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return []string{text}, err
	case *ast.ParenExpr:
		return s.templates(e.X)
	case *ast.BinaryExpr:
		return s.joined(e)
	case *ast.CallExpr:
		return s.called(e, 0)
	case *ast.Ident:
		return s.variable(e)
	case *ast.SelectorExpr:
		return s.selected(e)
	}
	return nil, s.lost(e)
}

func (s *source) lost(e ast.Expr) error {
	return fmt.Errorf("%s: the test does not find the texts of this message", s.fset.Position(e.Pos()))
}

func (s *source) joined(e *ast.BinaryExpr) ([]string, error) {
	var all []string
	for _, left := range s.part(e.X) {
		for _, right := range s.part(e.Y) {
			all = append(all, left+right)
		}
	}
	for _, text := range all {
		if strings.Trim(text, hole) == "" {
			return nil, s.lost(e)
		}
	}
	return all, nil
}

// part returns the texts of an operand of a concatenation: those of constants and parameters, a hole for any other.
func (s *source) part(e ast.Expr) []string {
	_, isParameter := s.params[s.objectOf(e)]
	_, isSum := e.(*ast.BinaryExpr)
	if s.info.Types[e].Value != nil || isParameter || isSum {
		if texts, err := s.templates(e); err == nil {
			return texts
		}
	}
	return []string{hole}
}

// called returns the texts of a result of a call.
func (s *source) called(call *ast.CallExpr, result int) ([]string, error) {
	selector, _ := call.Fun.(*ast.SelectorExpr)
	if selector != nil {
		switch name := nameOf(selector); {
		case name == "fmt.Sprintf", name == "errors.New", name == "fmt.Errorf":
			texts, err := s.templates(call.Args[0])
			for i, text := range texts {
				texts[i] = strings.ReplaceAll(verb.ReplaceAllString(text, hole), "%%", "%")
			}
			return texts, err
		case name == "apperr.New":
			return s.templates(call.Args[2])
		case selector.Sel.Name == "Error" && len(call.Args) == 0:
			return s.templates(selector.X)
		}
	}
	body := s.bodies[s.objectOf(call.Fun)]
	if body == nil {
		return nil, s.lost(call)
	}
	var all []string
	var failed error
	ast.Inspect(body, func(n ast.Node) bool {
		if _, nested := n.(*ast.FuncLit); nested {
			return false
		}
		if r, ok := n.(*ast.ReturnStmt); ok && result < len(r.Results) {
			texts, err := s.templates(r.Results[result])
			all = append(all, texts...)
			if err != nil && failed == nil {
				failed = err
			}
		}
		return true
	})
	return all, failed
}

// variable returns the texts of a variable: those of all that is assigned to it or, for a parameter, of all arguments.
func (s *source) variable(e *ast.Ident) ([]string, error) {
	o := s.info.ObjectOf(e)
	if _, isNil := o.(*types.Nil); isNil {
		return nil, nil
	}
	values := s.values[o]
	if p, ok := s.params[o]; ok {
		values = nil
		for _, call := range s.callsOf(p) {
			values = append(values, value{expr: call.Args[p.at], result: -1})
		}
	}
	if len(values) == 0 {
		return nil, s.lost(e)
	}
	return s.valuesOf(values)
}

func (s *source) valuesOf(values []value) ([]string, error) {
	var all []string
	for _, v := range values {
		texts, err := s.valueOf(v)
		if err != nil {
			return nil, err
		}
		all = append(all, texts...)
	}
	return all, nil
}

func (s *source) valueOf(v value) ([]string, error) {
	if call, ok := v.expr.(*ast.CallExpr); ok && v.result > 0 {
		return s.called(call, v.result)
	}
	return s.templates(v.expr)
}

// callsOf returns the calls of the function of a parameter, through the variables that hold it, too.
func (s *source) callsOf(p parameter) []*ast.CallExpr {
	callees := []types.Object{p.of}
	if p.literal != nil {
		callees = s.held[p.literal]
	}
	var calls []*ast.CallExpr
	for _, callee := range callees {
		calls = append(calls, s.calls[callee]...)
		for _, to := range s.passed[callee] {
			if param := s.parameterOf(to); param != nil {
				calls = append(calls, s.calls[param]...)
			}
		}
	}
	return calls
}

// selected returns the texts of a field. The message of an error that refuses a request and names the refused part by
// the same message has the text of the error's code.
func (s *source) selected(e *ast.SelectorExpr) ([]string, error) {
	o := s.objectOf(e)
	switch {
	case e.Sel.Name == "Message" && s.isDetail(e.X): // a copy
		return nil, nil
	case e.Sel.Name == "Message" && s.isError(e.X):
		if _, isLocal := e.X.(*ast.Ident); isLocal && s.objectOf(e.X).Parent() != s.objectOf(e.X).Pkg().Scope() {
			return nil, s.ofItself(e)
		}
		return s.valuesOf(s.values[s.objectOf(e.X)])
	case len(s.values[o]) > 0:
		return s.valuesOf(s.values[o])
	}
	return nil, s.lost(e)
}

// ofItself fails unless x.Message is an argument of x.WithDetails.
func (s *source) ofItself(e *ast.SelectorExpr) error {
	for callee, calls := range s.calls {
		for _, call := range calls {
			method, ok := call.Fun.(*ast.SelectorExpr)
			if ok && callee.Name() == "WithDetails" && call.Pos() < e.Pos() && e.End() < call.End() && s.objectOf(method.X) == s.objectOf(e.X) {
				return nil
			}
		}
	}
	return s.lost(e)
}
