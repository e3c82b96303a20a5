package kit

import (
	"path"
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

// All scripts together are at most 60 KB as they are sent.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	const most = 60 << 10
	assets, err := loadAssets()
	require.NoError(t, err)
	sum := 0
	for name, a := range assets {
		if path.Ext(name) == ".js" {
			sum += len(a.compressed)
		}
	}
	assert.Positive(t, sum)
	assert.LessOrEqual(t, sum, most)
}
