// Package docs_test checks that the documents name files and identifiers that exist.
package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	code = regexp.MustCompile("`([^`]+)`")
	link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
)

// Every relative link of a document leads to a file.
func TestLinks(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../*.md")
	require.NoError(t, err)
	for _, pattern := range []string{"*.md", "adr/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		documents = append(documents, found...)
	}
	require.Greater(t, len(documents), 25)
	links := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, target := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(target[1], "://") || strings.HasPrefix(target[1], "mailto:") {
				continue
			}
			links++
			require.FileExists(t, filepath.Join(filepath.Dir(document), target[1]), "%s links to it", document)
		}
	}
	require.Greater(t, links, 50)
}

// declared are the names that Go files declare, by the name of their package, fields and methods included.
func declared(t *testing.T) map[string]map[string]bool {
	t.Helper()
	names := map[string]map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != ".." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		in := names[file.Name.Name]
		if in == nil {
			in = map[string]bool{}
			names[file.Name.Name] = in
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, name := range declarations(n) {
				in[name.Name] = true
			}
			return true
		})
		return nil
	}))
	return names
}

func declarations(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	default:
		return nil
	}
}

// The glossary lists at least 40 terms, each once, and the identifiers of each exist.
func TestGlossary(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("glossary.md")
	require.NoError(t, err)
	api, err := os.ReadFile("../openapi.yaml")
	require.NoError(t, err)
	names := declared(t)
	all := map[string]bool{}
	for _, in := range names {
		maps.Copy(all, in)
	}
	var terms []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || strings.HasPrefix(line, "| term") || strings.HasPrefix(line, "|--") {
			continue
		}
		term := strings.TrimSpace(cells[0])
		require.NotContains(t, terms, term)
		terms = append(terms, term)
		for _, found := range code.FindAllStringSubmatch(cells[4], -1) {
			name := found[1]
			home, member, qualified := strings.Cut(name, ".")
			switch {
			case strings.Contains(name, "/"):
				require.DirExists(t, filepath.Join("..", name), term)
			case qualified && names[home] != nil:
				require.True(t, names[home][member], "%s: %s", term, name)
			case qualified:
				require.True(t, all[home] && all[member], "%s: %s", term, name)
			default:
				require.True(t, all[name] || strings.Contains(string(api), name), "%s: %s", term, name)
			}
		}
	}
	require.GreaterOrEqual(t, len(terms), 40)
}

// names returns what a pattern finds in the files below a directory with a suffix, tests left out.
func names(t *testing.T, directory, suffix string, pattern *regexp.Regexp) []string {
	t.Helper()
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, suffix) || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
			found[match[1]] = true
		}
		return err
	}))
	return slices.Sorted(maps.Keys(found))
}

// telemetry.md names the metrics that the code has, and no other.
func TestMetrics(t *testing.T) {
	t.Parallel()
	has := names(t, "../internal/platform/telemetry", ".go", regexp.MustCompile(`"(banca_[a-z_]+)"`))
	has = append(has, names(t, "../internal/app", ".go", regexp.MustCompile(`"(banca_[a-z_]+)"`))...)
	slices.Sort(has)
	require.Greater(t, len(has), 20)
	require.Equal(t, has, names(t, ".", "telemetry.md", regexp.MustCompile("`(banca_[a-z_]+)`")))
}
