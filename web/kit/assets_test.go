package kit

import (
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
