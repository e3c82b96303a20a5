package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var testName = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)`")

// TestThreatsHaveTests: every threat in security.md names a test, every named test exists, and every fuzz target stands in the list of parsers.
func TestThreatsHaveTests(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("security.md")
	require.NoError(t, err)
	document := string(raw)
	has := functionsOfTests(t)
	named := map[string]bool{}
	for _, match := range testName.FindAllStringSubmatch(document, -1) {
		named[match[1]] = true
		require.True(t, has[match[1]], "docs/security.md names %s, which does not exist", match[1])
	}
	_, threats, found := strings.Cut(document, "\n## Threats\n")
	require.True(t, found)
	threats, _, _ = strings.Cut(threats, "\n## ")
	rows := 0
	for line := range strings.Lines(threats) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| threat |") {
			rows++
			require.Regexp(t, testName, line)
		}
	}
	require.Greater(t, rows, 30)
	for name := range has {
		if strings.HasPrefix(name, "Fuzz") {
			require.True(t, named[name], "%s is not in docs/security.md", name)
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)

// functionsOfTests are the names of all tests and fuzz targets.
func functionsOfTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != ".." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, match := range testFunction.FindAllStringSubmatch(string(text), -1) {
			names[match[1]] = true
		}
		return err
	}))
	return names
}
