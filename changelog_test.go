package banca_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"banca"
)

var release = regexp.MustCompile(`^## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2}|Unreleased)$`)

// Bounds of a section: it is for persons, and the log of git has the rest.
const (
	maxEntries = 15
	maxEntry   = 140 // characters
)

// TestVersions: every section of the changelog is a release with a version and a date, the newest first, and each has its notes
// for the upgrade. Only the newest one may be unreleased. An entry is one line.
func TestVersions(t *testing.T) {
	t.Parallel()
	upgrading, err := os.ReadFile("docs/operations.md")
	require.NoError(t, err)
	var last [3]int
	var lastDate string
	count, entries := 0, 0
	for line := range strings.Lines(banca.Changelog) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "## ") {
			if count > 0 && line != "" && !strings.HasPrefix(line, "### ") {
				entries++
				require.True(t, strings.HasPrefix(line, "- "), "%q is no entry", line)
				require.LessOrEqual(t, utf8.RuneCountInString(line), maxEntry, line)
				require.LessOrEqual(t, entries, maxEntries, "entries before %q", line)
			}
			continue
		}
		entries = 0
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
			require.NotEqual(t, "Unreleased", match[4], "%s is not the newest", line)
			require.LessOrEqual(t, match[4], lastDate, "dates descend") // a digit is less than a letter
		}
		require.Contains(t, string(upgrading), "\n### "+name+"\n", "docs/operations.md has a section of each release")
		last, lastDate = version, match[4]
		count++
	}
	require.Positive(t, count)
}
