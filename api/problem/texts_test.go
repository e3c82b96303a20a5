package problem

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
)

// codes collects the codes of the program's errors and of refused lines from its source.
func codes(t *testing.T) (errors, lines map[string]bool) {
	t.Helper()
	errors, lines = map[string]bool{}, map[string]bool{}
	plain := regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)
	root := filepath.Join("..", "..")
	for _, dir := range []string{"api", "internal", "storage", "worker", "web"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				selector, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				at, into := map[string]int{"apperr.New": 1, "apperr.Wrap": 2, "problem.New": 1, "apperr.Line": 0}[nameOf(selector)], errors
				switch nameOf(selector) {
				case "apperr.Line":
					into = lines
				case "apperr.New", "apperr.Wrap", "problem.New":
				default:
					return true
				}
				if text, ok := call.Args[at].(*ast.BasicLit); ok && text.Kind == token.STRING {
					code, err := strconv.Unquote(text.Value)
					require.NoError(t, err)
					require.Regexp(t, plain, code, path)
					into[code] = true
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, len(errors), 150)
	require.Greater(t, len(lines), 10)
	return errors, lines
}

func nameOf(s *ast.SelectorExpr) string {
	if pkg, ok := s.X.(*ast.Ident); ok {
		return pkg.Name + "." + s.Sel.Name
	}
	return ""
}

// Every code has a text in both languages, with the same arguments; a text of a code that is no more is found, too.
func TestEveryCodeHasBothLanguages(t *testing.T) {
	t.Parallel()
	errors, lines := codes(t)
	arguments := regexp.MustCompile(`\{[a-z_]+\}`)
	spanish, english := texts()[Spanish], texts()[English]
	require.Equal(t, slices.Sorted(maps.Keys(spanish)), slices.Sorted(maps.Keys(english)))
	for code := range errors {
		assert.NotEmpty(t, spanish["error."+code], code)
	}
	for code := range lines {
		assert.NotEmpty(t, spanish["line."+code], code)
	}
	for key, text := range spanish {
		assert.NotEmpty(t, text, key)
		assert.NotEmpty(t, english[key], key)
		assert.ElementsMatch(t, arguments.FindAllString(text, -1), arguments.FindAllString(english[key], -1), key)
		if code, ok := strings.CutPrefix(key, "error."); ok {
			assert.True(t, errors[code], "%s names an error that is no more", key)
		}
		if code, ok := strings.CutPrefix(key, "line."); ok {
			assert.True(t, lines[code], "%s names a refusal that is no more", key)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": Spanish, "es": Spanish, "es-VE,es;q=0.9": Spanish, "en": English, "en-GB, es;q=0.5": English, "EN-us": English, "fr, en;q=0.3": English,
		"fr": Spanish, "*": Spanish, "english": Spanish, "en;q=0, fr": Spanish, ";;,,": Spanish,
	} {
		assert.Equal(t, want, Language(header), header)
	}
}

// A line names its error in both languages, with its code; values that cannot be repeated are described.
func TestErrorsOfLinesHaveBothLanguages(t *testing.T) {
	t.Parallel()
	at := func(selection, language string) Detail {
		line := apperr.Line("UNKNOWN_SELECTION", "message", "selection", selection, "game", "Lotto Activo", "grid", "0, 00, 1..36")
		p := From(apperr.New(apperr.Invalid, "INVALID_TICKET", "the ticket has lines that cannot be sold").WithDetails(line.At("items[0]"))).In(language)
		require.Equal(t, []string{language}, p.GetHeaders()["Content-Language"])
		return p.Errors[0]
	}
	assert.Equal(t, "38 is not in the grid of Lotto Activo (0, 00, 1 to 36)", at("38", English).Message)
	assert.Equal(t, "38 no está en la cuadrícula de Lotto Activo (0, 00, 1 a 36)", at("38", Spanish).Message)
	assert.Equal(t, "la selección no está en la cuadrícula de Lotto Activo (0, 00, 1 a 36)", at("", Spanish).Message)
	raw, err := json.Marshal(at("38", English))
	require.NoError(t, err)
	assert.JSONEq(t, `{"location":"items[0]","code":"UNKNOWN_SELECTION","message":"38 is not in the grid of Lotto Activo (0, 00, 1 to 36)"}`, string(raw))
}
