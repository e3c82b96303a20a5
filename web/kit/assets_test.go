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

// All scripts of the panel together are at most 60 KB as they are sent, those of the counter 25 KB.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	const mostOfPanel, mostOfCounter = 60 << 10, 25 << 10
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

func TestScriptsAreSentWithoutComments(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a // b\nc\n", string(withoutComments([]byte("// x\na // b\n\t// y\n  c\n"))))
}
