package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/telemetry"
)

const (
	redisDialTimeout = 3 * time.Second
	redisIOTimeout   = 3 * time.Second
	noRetries        = -1 // zero would mean the library's default, three
)

// OpenRedis connects and checks the connection. The caller closes it. Deadlines of contexts are honoured,
// which the library leaves off by default. The forms of address:
//
//	redis://user:password@host:6379/0          a single server; rediss:// for TLS
//	unix:///path/to/redis.sock?db=0            a single server on this machine
//	redis://host1:26379?master_name=m&addr=host2:26379   Sentinel
//	redis://host1:6379?addr=host2:6379         Cluster: more than one address and no master_name
func OpenRedis(ctx context.Context, address string) (redis.UniversalClient, error) {
	client, err := newRedisClient(address)
	if err != nil {
		return nil, fmt.Errorf("storage: redis: %w", err)
	}
	if telemetry.Tracing() {
		client.AddHook(redisSpans{})
	}
	if err := client.Ping(ctx).Err(); err != nil {
		return nil, fmt.Errorf("storage: redis: %w", errors.Join(err, client.Close()))
	}
	return client, nil
}

// newRedisClient makes the client that an address asks for, without connecting.
func newRedisClient(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address is not a URL") // the cause would quote the password
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled = true
		bound(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.DialerRetries, &o.MaxRetries)
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled = true
		bound(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.DialerRetries, &o.MaxRetries)
		return redis.NewClusterClient(o), nil
	default:
		o, err := redis.ParseURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled = true
		bound(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.DialerRetries, &o.MaxRetries)
		return redis.NewClient(o), nil
	}
}

// bound sets the options that the address leaves open. A command is sent once: one that timed out may have run, and a
// script that counts a sale must not count it twice, so retrying is up to the caller. A dial is tried once, too: the
// caller learns at once that Redis is down.
func bound(dial, read, write *time.Duration, dials, retries *int) {
	*dial = cmp.Or(*dial, redisDialTimeout)
	*read = cmp.Or(*read, redisIOTimeout)
	*write = cmp.Or(*write, redisIOTimeout)
	*dials = cmp.Or(*dials, 1)
	*retries = cmp.Or(*retries, noRetries)
}
