package kit

import (
	"bytes"
	"html/template"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostile is a text that every part must escape.
const hostile = `"><script>alert('x')</script>`

// spanish returns a view in Spanish at an instant, with the texts of the catalogue.
func spanish(t *testing.T, now time.Time) *View {
	t.Helper()
	words, err := LoadCatalogue()
	require.NoError(t, err)
	parts, err := template.New("parts").Funcs(functions(func(name string) (string, error) { return name, nil })).ParseFS(templateFiles, partFiles)
	require.NoError(t, err)
	return &View{Language: Spanish, words: words[Spanish], zone: time.UTC, now: now, template: parts, FormToken: "token"}
}

// render returns the output of a template part.
func render(t *testing.T, v *View, part string, content any) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, v.template.ExecuteTemplate(&out, part, content))
	require.NotContains(t, out.String(), "<script>")
	return out.String()
}
