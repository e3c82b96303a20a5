package outbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/clock"
)

// listenIdle is how long a silent connection is trusted. Then it is asked for a sign of life, because a
// peer that vanished without a word looks just like a quiet one.
const listenIdle = 30 * time.Second

// listen wakes the relay on every notification until ctx ends. It uses a connection outside the pool, which it would
// occupy for good. While it reconnects, polling does the work, so failures are logged at debug level only.
func (r *Relay) listen(ctx context.Context) {
	backoff := minBackoff
	for ctx.Err() == nil {
		connected, err := r.listenOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		r.log.DebugContext(ctx, "outbox: listener reconnects", slog.Any("error", err))
		if connected {
			backoff = minBackoff
		}
		if clock.Sleep(ctx, backoff) != nil {
			return
		}
		backoff = min(backoff*2, maxBackoff)
	}
}

// listenOnce connects and passes on notifications until the connection fails. It reports whether it was
// listening at all.
func (r *Relay) listenOnce(ctx context.Context) (connected bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, r.config.Listen)
	if err != nil {
		return false, err
	}
	defer closeConn(ctx, conn)
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return false, err
	}
	r.signal() // for rows committed while not listening
	for {
		if err := waitForNotification(ctx, conn); err != nil {
			return true, err
		}
		r.signal()
	}
}

// waitForNotification returns nil on a notification, and an error when the connection is no good.
func waitForNotification(ctx context.Context, conn *pgx.Conn) error {
	for {
		idle, cancel := context.WithTimeout(ctx, listenIdle)
		_, err := conn.WaitForNotification(idle)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if err := ping(ctx, conn); err != nil {
			return err
		}
	}
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	return conn.Ping(ctx)
}

// closeConn closes a connection in protocol order, also after ctx has ended, but waits briefly only.
func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the connection is given up either way
}

// signal wakes the relay; marks that it has not seen yet are one.
func (r *Relay) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
