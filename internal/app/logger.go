package app

import (
	"context"
	"io"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/config"
)

// NewLogger returns the process's logger as configured, writing to w. Libraries that log by themselves get it,
// too.
func NewLogger(cfg config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if cfg.Format == "json" {
		handler = slog.NewJSONHandler(w, options)
	}
	log := slog.New(handler)
	slog.SetDefault(log)
	redis.SetLogger(redisLogger{log})
	return log
}

// redisLogger logs the messages that the Redis client would print to standard error.
type redisLogger struct{ log *slog.Logger }

// Printf implements the client's logging interface. Its messages repeat errors that callers get, too.
func (l redisLogger) Printf(ctx context.Context, format string, _ ...any) {
	l.log.DebugContext(ctx, "redis client", "message", format)
}
