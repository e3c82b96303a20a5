package worker

import (
	"context"
	"fmt"
	"log/slog"
)

// slogAdapter gives asynq's own messages to slog. Its interface has no context.
type slogAdapter struct{ log *slog.Logger }

// Debug implements asynq.Logger.
func (a slogAdapter) Debug(args ...any) { a.write(slog.LevelDebug, args) }

// Info implements asynq.Logger.
func (a slogAdapter) Info(args ...any) { a.write(slog.LevelInfo, args) }

// Warn implements asynq.Logger.
func (a slogAdapter) Warn(args ...any) { a.write(slog.LevelWarn, args) }

// Error implements asynq.Logger.
func (a slogAdapter) Error(args ...any) { a.write(slog.LevelError, args) }

// Fatal does not end the process, as asynq suggests: that is main's to decide.
func (a slogAdapter) Fatal(args ...any) { a.write(slog.LevelError, args) }

func (a slogAdapter) write(level slog.Level, args []any) {
	a.log.Log(context.Background(), level, "asynq: "+fmt.Sprint(args...))
}
