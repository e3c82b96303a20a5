package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// textOf returns all files below the directories that have one of the suffixes, tests left out.
func textOf(t *testing.T, suffix string, directories ...string) string {
	t.Helper()
	var all strings.Builder
	for _, directory := range directories {
		require.NoError(t, filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, suffix) || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		}))
	}
	return all.String()
}

// What the runbook tells a person to look for is there to be found: messages of the log, kinds of alerts, tasks, settings, codes and files.
func TestTheRunbookNamesWhatExists(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("runbook.md")
	require.NoError(t, err)
	program := textOf(t, ".go", "../api", "../internal", "../models", "../scheduler", "../storage", "../tasks", "../worker")
	alerts, err := os.ReadFile("../deploy/prometheus/alerts.yml")
	require.NoError(t, err)
	words := textOf(t, ".md", "errors.md") + textOf(t, ".example", "../.env.example") + string(alerts)
	for _, kind := range []struct {
		pattern *regexp.Regexp
		in      string
		least   int
	}{
		{regexp.MustCompile("(?:log|fails with)\\s`([^`]+)`"), program, 10},
		{regexp.MustCompile("log `[^`]+`, `([^`]+)`"), program, 1},
		{regexp.MustCompile("alert\\s`([a-z_]+)`"), program, 6},
		{regexp.MustCompile("`([a-z]+\\.[a-z]+)`"), program, 8},
		{regexp.MustCompile("`([A-Z0-9_]+_[A-Z0-9_]+)`"), words, 10},
		{regexp.MustCompile("`([A-Z][a-z]+[A-Z][A-Za-z]+)`"), words, 25},
		{regexp.MustCompile("`(banca_[a-z_]+)"), program, 1},
	} {
		found := kind.pattern.FindAllStringSubmatch(string(text), -1)
		assert.GreaterOrEqual(t, len(found), kind.least, kind.pattern)
		for _, name := range found {
			assert.Contains(t, kind.in, name[1], kind.pattern)
		}
	}
	for _, file := range regexp.MustCompile("`((?:deploy|scripts)/[^` ]+)`").FindAllStringSubmatch(string(text), -1) {
		assert.FileExists(t, filepath.Join("..", file[1]))
	}
}
