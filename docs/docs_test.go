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
	link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]+)?\)`)
)

// withoutCode returns a text without its fenced blocks.
func withoutCode(text string) string {
	var rest strings.Builder
	code := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			code = !code
		} else if !code {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linked   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors returns the anchors of a document's headings, as GitHub makes them.
func anchors(t *testing.T, document string) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile(document)
	require.NoError(t, err)
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(withoutCode(string(raw)), -1) {
		text := noAnchor.ReplaceAllString(strings.ToLower(linked.ReplaceAllString(h[1], "$1")), "")
		found[strings.ReplaceAll(strings.TrimSpace(text), " ", "-")] = true
	}
	return found
}

// Every relative link of a document leads to a file and, in a document, to a heading.
func TestLinks(t *testing.T) {
	t.Parallel()
	links, places := 0, 0
	files := documents(t, "../*.md", "*.md", "es/*.md", "adr/*.md", "measurements/*.md", "../deploy/*/README.md")
	require.Greater(t, len(files), 40)
	for _, document := range files {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, target := range link.FindAllStringSubmatch(withoutCode(string(text)), -1) {
			if strings.Contains(target[1], "://") || strings.HasPrefix(target[1], "mailto:") {
				continue
			}
			links++
			path := document
			if target[1] != "" {
				path = filepath.Join(filepath.Dir(document), target[1])
			}
			require.FileExists(t, path, "%s links to it", document)
			if target[2] != "" && strings.HasSuffix(path, ".md") {
				places++
				require.Contains(t, anchors(t, path), target[2][1:], "%s links to %s", document, path)
			}
		}
	}
	require.Greater(t, links, 50)
	require.Greater(t, places, 30)
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

// The section of metrics in operations.md names the metrics that the code has, and no other.
func TestMetrics(t *testing.T) {
	t.Parallel()
	has := names(t, "../internal/platform/telemetry", ".go", regexp.MustCompile(`"(banca_[a-z_]+)"`))
	has = append(has, names(t, "../internal/app", ".go", regexp.MustCompile(`"(banca_[a-z_]+)"`))...)
	slices.Sort(has)
	require.Greater(t, len(has), 20)
	text, err := os.ReadFile("operations.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n### Metrics\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n### ")
	described := map[string]bool{}
	for _, metric := range regexp.MustCompile("`(banca_[a-z_]+)`").FindAllStringSubmatch(section, -1) {
		described[metric[1]] = true
	}
	require.Equal(t, has, slices.Sorted(maps.Keys(described)))
}

// Each file and directory that the table "How to add" of CONTRIBUTING.md names exists; a name without a directory is in
// one that its row names.
func TestHowToAddNamesFilesThatExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n## How to add\n")
	require.True(t, found)
	placeholder := regexp.MustCompile(`<\w+>`)
	file := regexp.MustCompile(`^[\w*.-]+\.(go|js|json|csv|html|md|yaml)$`)
	named := regexp.MustCompile("`([^`]+)`|\\b(docs/\\w+\\.md)\\b")
	checked := 0
	for row := range strings.Lines(table) {
		dirs, names := []string{}, []string{}
		for _, match := range named.FindAllStringSubmatch(row, -1) {
			name := placeholder.ReplaceAllString(match[1]+match[2], "*")
			switch {
			case strings.Contains(name, "/"):
				paths, err := filepath.Glob(filepath.Join("..", name))
				require.NoError(t, err)
				require.NotEmpty(t, paths, "%s: %s", row, name)
				dirs = append(dirs, filepath.Join("..", name))
				checked++
			case file.MatchString(name):
				names = append(names, name)
			}
		}
		for _, name := range names {
			require.True(t, slices.ContainsFunc(dirs, func(dir string) bool {
				paths, _ := filepath.Glob(filepath.Join(dir, name)) // a valid pattern
				return len(paths) > 0
			}), "%s: %s", row, name)
			checked++
		}
	}
	require.Greater(t, checked, 40)
}
