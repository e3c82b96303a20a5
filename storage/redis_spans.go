package storage

import (
	"context"
	"net"
	"strconv"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/telemetry"
)

// redisSpans shows the commands of traced operations as spans. The hook of the library's own package begins a trace for
// each command outside a trace, such as the polls of the queues.
type redisSpans struct{}

// DialHook implements redis.Hook.
func (redisSpans) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (redisSpans) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, span := telemetry.Span(ctx, "redis "+cmd.Name())
		err := next(ctx, cmd)
		span.End(err)
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (redisSpans) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, span := telemetry.Span(ctx, "redis pipeline of "+strconv.Itoa(len(cmds)))
		err := next(ctx, cmds)
		span.End(err)
		return err
	}
}
