package kit

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The static files load no file from another server, which the Content-Security-Policy would refuse.
func TestAssetsAreSelfContained(t *testing.T) {
	t.Parallel()
	assets, err := loadAssets()
	require.NoError(t, err)
	for name, a := range assets {
		assert.NotRegexp(t, `url\(\s*['"]?https?:|@import`, string(a.content), name)
		assert.NotEmpty(t, a.contentType, name)
	}
}

// All scripts of the panel together are at most 60 KB as they are sent, those of the counter 28 KB.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	const mostOfPanel, mostOfCounter = 60 << 10, 28 << 10
	assets, err := loadAssets()
	require.NoError(t, err)
	panel, counter := 0, 0
	for name, a := range assets {
		switch {
		case path.Ext(name) != ".js":
		case strings.HasPrefix(name, "pos"):
			counter += len(a.compressed)
		default:
			panel += len(a.compressed)
		}
	}
	assert.Positive(t, panel)
	assert.LessOrEqual(t, panel, mostOfPanel)
	assert.Positive(t, counter)
	assert.LessOrEqual(t, counter, mostOfCounter)
}

func TestScriptsAndStylesAreMinified(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.js": "function f(e){return`//`+e}", "a.css": "a{color:red}", "a.min.js": "// licence\nfunction f( a ) { }",
	} {
		content := map[string]string{
			"a.js": "// says\nfunction f(name) {\n  return `//` + name\n}\n", "a.css": "/* says */\na {\n  color: red;\n}\n", "a.min.js": "// licence\nfunction f( a ) { }",
		}[name]
		found, err := minified(name, []byte(content))
		require.NoError(t, err)
		assert.Equal(t, want, string(found), name)
	}
	_, err := minified("a.js", []byte("function {"))
	assert.Error(t, err, "a script that is not one stops the start")
}
