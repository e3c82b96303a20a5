package kit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/problem"
)

const humaPath = "github.com/danielgtaylor/huma/v2"

// sourceOf parses the Go files of a directory without its tests.
func sourceOf(t *testing.T, dir string, names ...string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || len(names) > 0 && !slices.Contains(names, filepath.Base(path)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEmpty(t, files, dir)
	return files
}

// dirOf returns the directory of a package's source.
func dirOf(t *testing.T, path string) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", path).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(dir))
}

// literal returns a string constant, with query for p.Loc and "7" for any other operand; false if it has no literal.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, some := literal(e.X)
		right, more := literal(e.Y)
		return left + right, some || more
	case *ast.SelectorExpr:
		if e.Sel.Name == "Loc" {
			return "query", false
		}
	}
	return "7", false
}

// validatorTemplates are the message templates Msg* of huma's validator.
func validatorTemplates(t *testing.T) map[string]string {
	t.Helper()
	templates := map[string]string{}
	for _, file := range sourceOf(t, dirOf(t, humaPath+"/validation")) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 && strings.HasPrefix(spec.Names[0].Name, "Msg") {
				text, ok := literal(spec.Values[0])
				require.True(t, ok, spec.Names[0].Name)
				templates[spec.Names[0].Name] = text
			}
			return true
		})
	}
	require.Greater(t, len(templates), 40)
	return templates
}

// literalMessages are the messages in the source: the last argument of Add, New and Errorf, the Message of an
// ErrorDetail or a Detail, and values assigned to a name that ends in message.
func literalMessages(files []*ast.File) []string {
	var found []string
	add := func(e ast.Expr) {
		if text, ok := literal(e); ok {
			found = append(found, text)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || len(n.Args) == 0 {
					return true
				}
				owner, _ := s.X.(*ast.Ident)
				switch {
				case owner == nil:
				case owner.Name == "res" && s.Sel.Name == "Add":
					add(n.Args[len(n.Args)-1])
				case owner.Name == "errors" && s.Sel.Name == "New", owner.Name == "fmt" && s.Sel.Name == "Errorf":
					add(n.Args[0])
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
					add(n.Value)
				}
			case *ast.AssignStmt:
				if name, ok := n.Lhs[0].(*ast.Ident); ok && strings.EqualFold(name.Name, "message") {
					add(n.Rhs[0])
				}
			case *ast.ValueSpec:
				if strings.HasSuffix(n.Names[0].Name, "Message") && len(n.Values) == 1 {
					add(n.Values[0])
				}
			}
			return true
		})
	}
	return found
}

var verb = regexp.MustCompile(`%[svdq]`)

// assertBothLanguages fails unless the message of a field has a Spanish text that keeps its arguments.
func assertBothLanguages(t *testing.T, template string) {
	t.Helper()
	at := 0
	message := safeMessage(verb.ReplaceAllStringFunc(template, func(string) string { at++; return "arg" + strconv.Itoa(at) }))
	assert.Equal(t, message, problem.FieldText(problem.English, message))
	spanish := problem.FieldText(problem.Spanish, message)
	assert.NotEqual(t, message, spanish, "%q has no Spanish text", template)
	assert.NotContains(t, spanish, "expected")
	assert.NotContains(t, spanish, "{")
	for i := 1; i <= at; i++ {
		if name := "arg" + strconv.Itoa(i); strings.Contains(message, name) {
			assert.Contains(t, spanish, name, template)
		}
	}
}

// The English text of a message is exact: a template of the validator that changes is found here.
func TestEveryFieldMessageHasBothLanguages(t *testing.T) {
	t.Parallel()
	for name, template := range validatorTemplates(t) {
		assert.NotEqual(t, "is not valid", safeMessage(template), name)
		assertBothLanguages(t, template)
	}
	others := literalMessages(sourceOf(t, dirOf(t, humaPath), "huma.go", "validate.go"))
	require.Contains(t, others, "required query parameter is missing")
	require.Contains(t, others, "expected value to match exactly one schema but matched multiple")
	for _, message := range others {
		assertBothLanguages(t, message)
	}
	var own []string
	dirs, err := filepath.Glob(filepath.Join("..", "*"))
	require.NoError(t, err)
	for _, dir := range append(dirs, "..") {
		if files, err := filepath.Glob(filepath.Join(dir, "*.go")); err == nil && len(files) > 0 {
			own = append(own, literalMessages(sourceOf(t, dir))...)
		}
	}
	for _, message := range []string{NULMessage, "unexpected parameter", "expected a date", "is unknown", "expected length <= %d", "expected a UUID"} {
		require.Contains(t, own, message)
	}
	for _, message := range own {
		if message != ErrDuplicateKey.Error() && !strings.HasPrefix(message, "api: ") { // the detail of MALFORMED_BODY; errors of the start
			assertOwn(t, message)
		}
	}
	for _, loc := range []string{"path", "query", "header", "cookie", "form"} {
		assertBothLanguages(t, "required "+loc+" parameter is missing")
	}
}

// assertOwn is assertBothLanguages for a message of the project, some of which do not pass through safeMessage.
func assertOwn(t *testing.T, template string) {
	t.Helper()
	message := verb.ReplaceAllString(template, "24")
	assert.NotEqual(t, message, problem.FieldText(problem.Spanish, message), "%q has no Spanish text", template)
}
