package storage

import (
	"fmt"

	"github.com/hibiken/asynq"
)

// AsynqOpt returns the connection option for asynq and asynqmon for the same addresses as [OpenRedis], of which
// asynq's own parser supports only some. Each server, client and inspector made from it opens its own connections
// without checking them: asynq does not report an unreachable Redis when it starts, so call [OpenRedis] first.
func AsynqOpt(address string) (asynq.RedisConnOpt, error) {
	client, err := newRedisClient(address)
	if err != nil {
		return nil, fmt.Errorf("storage: asynq: %w", err)
	}
	if err := client.Close(); err != nil { // it was made only to show that the address is good
		return nil, fmt.Errorf("storage: asynq: %w", err)
	}
	return asynqConn{address: address}, nil
}

// asynqConn implements asynq.RedisConnOpt.
type asynqConn struct{ address string }

// MakeRedisClient implements asynq.RedisConnOpt; asynq wants a redis.UniversalClient in an any.
func (c asynqConn) MakeRedisClient() any {
	client, err := newRedisClient(c.address)
	if err != nil {
		return nil // cannot be: AsynqOpt has parsed the same address; asynq panics on nil
	}
	return client
}
