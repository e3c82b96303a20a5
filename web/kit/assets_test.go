package kit

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/web/pos/static"
)

func counterAssets() Assets { return NewAssets(static.Files) }

// The static files load no file from another server, which the Content-Security-Policy would refuse.
func TestAssetsAreSelfContained(t *testing.T) {
	t.Parallel()
	assets, err := siteAssets([]Area{{Static: counterAssets()}})
	require.NoError(t, err)
	for name, a := range assets {
		assert.NotRegexp(t, `url\(\s*['"]?https?:|@import`, string(a.content), name)
		assert.NotEmpty(t, a.contentType, name)
	}
}

// All scripts of the panel together are at most 60 KB as they are sent, all scripts of the counter 47 KB: its page has 60 KB.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	for most, load := range map[int]Assets{60 << 10: loadAssets, 47 << 10: counterAssets()} {
		assets, err := load()
		require.NoError(t, err)
		sent := 0
		for name, a := range assets {
			if path.Ext(name) == ".js" {
				sent += len(a.compressed)
			}
		}
		assert.Positive(t, sent)
		assert.LessOrEqual(t, sent, most)
	}
}

// A file of an area has the name of no other file.
func TestAnAssetHasOneSource(t *testing.T) {
	t.Parallel()
	assets, err := siteAssets([]Area{{}, {Static: counterAssets()}})
	require.NoError(t, err)
	assert.Contains(t, assets, "pos.js")
	assert.Contains(t, assets, "panel.js")
	_, err = siteAssets([]Area{{Static: loadAssets}})
	require.ErrorContains(t, err, "two assets")
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
