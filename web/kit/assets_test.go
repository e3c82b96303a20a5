package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fixed files load nothing from elsewhere, which the policy would refuse.
func TestAssetsAreSelfContained(t *testing.T) {
	t.Parallel()
	assets, err := loadAssets()
	require.NoError(t, err)
	for name, a := range assets {
		assert.NotRegexp(t, `url\(\s*['"]?https?:|@import`, string(a.content), name)
		assert.NotEmpty(t, a.contentType, name)
	}
}
