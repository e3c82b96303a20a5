package docs_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/licences.txt") //nolint:gochecknoglobals // a flag

type licence struct {
	name  string
	words []string
}

// licences are the licences that may be shipped, by words of their texts. The first one that matches counts.
func licences() []licence {
	return []licence{
		{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
		{"MPL-2.0", []string{"Mozilla Public License", "2.0"}},
		{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "Neither the name"}},
		{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "may not be used to endorse or promote"}},
		{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms", "provided with the distribution"}},
		{"MIT", []string{"Permission is hereby granted, free of charge", "THE SOFTWARE IS PROVIDED \"AS IS\""}},
		{"ISC", []string{"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"}},
		{"ISC", []string{"Permission to use, copy, modify, and distribute this software for any purpose with or without fee"}},
	}
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying)([.-].*)?$`)
	forbidden   = regexp.MustCompile(`GNU (AFFERO |LESSER )?GENERAL PUBLIC LICENSE|Server Side Public License|Business Source License|Commons Clause`)
	spaces      = regexp.MustCompile(`\s+`)
)

// licenceOf returns the name of the licence in the directory of a module, "" if it has none or one that is not listed.
func licenceOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		text := spaces.ReplaceAllString(string(raw), " ")
		if forbidden.MatchString(text) && !strings.Contains(text, "Apache License") && !strings.Contains(text, "Mozilla Public License") {
			return ""
		}
		for _, licence := range licences() {
			if !slices.ContainsFunc(licence.words, func(words string) bool { return !strings.Contains(text, words) }) {
				return licence.name
			}
		}
	}
	return ""
}

// TestLicences: every module of the shipped program has a licence that is listed above, and docs/licences.txt names
// both. The texts are in the image, in /usr/share/licenses/banca (scripts/licences.sh).
func TestLicences(t *testing.T) {
	t.Parallel()
	const format = `{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "nomsgpack", "-f", format, "../cmd/banca").Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	lines = slices.DeleteFunc(slices.Compact(lines), func(line string) bool { return line == "" })
	require.Greater(t, len(lines), 30)

	table := &strings.Builder{}
	for _, line := range lines {
		module := strings.SplitN(line, " ", 3)
		require.Len(t, module, 3, line)
		licence := licenceOf(t, module[2])
		require.NotEmpty(t, licence, "%s has no licence that may be shipped", module[0])
		fmt.Fprintf(table, "%s %s\n", module[0], licence)
	}
	if *update {
		require.NoError(t, os.WriteFile("licences.txt", []byte(table.String()), 0o600))
	}
	written, err := os.ReadFile("licences.txt")
	require.NoError(t, err)
	require.Equal(t, string(written), table.String(), "go test ./docs -run Licences -update")
}
