package banca_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"banca"
)

var release = regexp.MustCompile(`^## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})$`)

// TestVersions: every section of the changelog is a release with a version and a date, the newest first, and each has its notes
// for the upgrade.
func TestVersions(t *testing.T) {
	t.Parallel()
	upgrading, err := os.ReadFile("docs/upgrading.md")
	require.NoError(t, err)
	var last [3]int
	var lastDate string
	count := 0
	for line := range strings.Lines(banca.Changelog) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "## ") {
			continue
		}
		match := release.FindStringSubmatch(line)
		require.NotNil(t, match, "%q is no release", line)
		var version [3]int
		for i := range version {
			version[i], err = strconv.Atoi(match[i+1])
			require.NoError(t, err)
		}
		name := strings.Join(match[1:4], ".")
		if count == 0 {
			require.Equal(t, name, banca.Version(""))
			require.Equal(t, name+"+3f0c1d2", banca.Version("3f0c1d2"))
		} else {
			require.Positive(t, slices.Compare(last[:], version[:]), "versions descend: %s", line)
			require.LessOrEqual(t, match[4], lastDate, "dates descend")
		}
		require.Contains(t, string(upgrading), "\n## "+name+"\n", "docs/upgrading.md has a section of each release")
		last, lastDate = version, match[4]
		count++
	}
	require.Positive(t, count)
}
