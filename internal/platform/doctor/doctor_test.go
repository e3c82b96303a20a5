package doctor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersionsAreCompared(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"7.0.15": true, "10.1": true, "6.2.14": false, "": false, "x": false} {
		assert.Equal(t, want, atLeast(leastRedis)(firstNumber(version)), version)
	}
	assert.Equal(t, "7.2", infoField("# Server\r\nredis_version:7.2\r\nredis_mode:standalone\r\n", "redis_version"))
	assert.Empty(t, infoField("# Server\r\n", "redis_version"))
}
