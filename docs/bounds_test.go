package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bounds of the documents, which must not grow again. Words of decisions count. Measurements do not count, nor does
// the generated errors.md, which is read by key and not from beginning to end.
const (
	maxDocuments = 15
	maxWords     = 45_000
	maxSpanish   = 6_000 // words of the documents in Spanish
	maxParagraph = 120   // words
	maxLine      = 300   // characters
)

// documents returns the files that match patterns.
func documents(t *testing.T, patterns ...string) (files []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	return files
}

var listItem = regexp.MustCompile(`^\s*([-*]|\d+\.) `)

// paragraph is text between blank lines, headings, tables and code; a list item is a paragraph of its own.
type paragraph struct{ line, words int }

func paragraphs(text string) (list []paragraph) {
	var current paragraph
	end := func() {
		if current.words > 0 {
			list = append(list, current)
		}
		current = paragraph{}
	}
	code, number := false, 0
	for line := range strings.Lines(text) {
		number++
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence:
			end()
			code = !code
		case code:
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|"):
			end()
		default:
			if listItem.MatchString(line) {
				end()
			}
			if current.words == 0 {
				current.line = number
			}
			current.words += len(strings.Fields(line))
		}
	}
	end()
	return list
}

// The documents stay few and short.
func TestBoundsOfDocuments(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(documents(t, "*.md")), maxDocuments)
	words := 0
	for _, document := range documents(t, "*.md", "adr/*.md", "../README.md", "../CONTRIBUTING.md") {
		raw, err := os.ReadFile(document)
		require.NoError(t, err)
		text := string(raw)
		if document != "errors.md" {
			words += len(strings.Fields(text))
		}
		bounded(t, document, text)
	}
	require.LessOrEqual(t, words, maxWords)

	words = 0
	for _, document := range documents(t, "es/*.md") {
		raw, err := os.ReadFile(document)
		require.NoError(t, err)
		words += len(strings.Fields(string(raw)))
		bounded(t, document, string(raw))
	}
	require.LessOrEqual(t, words, maxSpanish)
}

// bounded checks the lines and paragraphs of a document.
func bounded(t *testing.T, document, text string) {
	t.Helper()
	number := 0
	for line := range strings.Lines(text) {
		number++
		characters := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		assert.LessOrEqual(t, characters, maxLine, "characters of %s:%d", document, number)
	}
	for _, p := range paragraphs(text) {
		assert.LessOrEqual(t, p.words, maxParagraph, "words of the paragraph at %s:%d", document, p.line)
	}
}

func TestParagraphs(t *testing.T) {
	t.Parallel()
	const text = "# Head\n\none two\nthree\n\n- four\n  five\n- six\n\n| a | b |\n\n```sh\nnot this\n```\n1. seven\n"
	require.Equal(t, []paragraph{{3, 3}, {6, 3}, {8, 2}, {15, 2}}, paragraphs(text))
}
