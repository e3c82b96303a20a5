package embedded

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLeftoverRedisIsStopped(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx, o := t.Context(), RedisOptions{Dir: dataDir(t), Required: true}
	first, err := StartRedis(ctx, o)
	require.NoError(t, err)
	withRedis(t, first.URL(), func(c *redis.Client) { require.NoError(t, c.Set(ctx, "kept", "1", 0).Err()) })

	second, err := StartRedis(ctx, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, second.Stop(ctx)) }()
	<-first.Done()
	withRedis(t, second.URL(), func(c *redis.Client) { assert.Equal(t, "1", c.Get(ctx, "kept").Val()) })
}

func TestRedisNeverEvicts(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx := t.Context()
	r, err := StartRedis(ctx, RedisOptions{Dir: dataDir(t), Databases: 300, Required: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Stop(ctx)) }()
	withRedis(t, r.URL()+"?db=299", func(c *redis.Client) {
		for key, want := range map[string]string{
			"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "everysec",
		} {
			assert.Equal(t, want, c.ConfigGet(ctx, key).Val()[key])
		}
	})
}

func TestTheEmbeddedRedisExpiresKeys(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r, err := startStandIn(loggerFor(nil, ""))
	require.NoError(t, err)
	assert.False(t, r.Durable())
	withRedis(t, r.URL(), func(c *redis.Client) {
		require.NoError(t, c.Set(ctx, "short", "1", 2*time.Second).Err())
		require.NoError(t, c.Set(ctx, "long", "1", time.Hour).Err())
		assert.Equal(t, int64(1), c.Exists(ctx, "short").Val())
		assert.Eventually(t, func() bool { return c.Exists(ctx, "short").Val() == 0 }, time.Minute, 20*time.Millisecond)
		assert.Equal(t, int64(1), c.Exists(ctx, "long").Val())
		assert.Less(t, c.PTTL(ctx, "long").Val(), time.Hour, "time passes")
	})
	require.NoError(t, r.Stop(ctx))
	require.NoError(t, r.Stop(ctx))
	<-r.Done()
}
