package activity_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
)

// A module is declared in one place, and an action once.
func TestActionsAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, module := range activity.Modules() {
		for _, name := range append([]string{""}, module.Actions...) {
			assert.False(t, known[module.Name+"."+name], "%s.%s", module.Name, name)
			known[module.Name+"."+name] = true
		}
	}
	require.Greater(t, len(known), 100)
}

// Every declared action is used by another package: the compiler does not report an exported variable without a use.
func TestEveryActionIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	use := regexp.MustCompile(`\bactivity\.([A-Z]\w+)`)
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range use.FindAllSubmatch(text, -1) {
			used[string(found[1])] = true
		}
		return err
	}))
	text, err := os.ReadFile("actions.go")
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?m)^\t([A-Z]\w+) += newAction`).FindAllSubmatch(text, -1)
	require.Greater(t, len(declared), 80)
	for _, action := range declared {
		assert.True(t, used[string(action[1])], "%s is recorded nowhere", action[1])
	}
}
