package storage

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"banca/internal/platform/clock"
)

// Bounds of Retry.
const (
	maxAttempts = 4
	retryPause  = 10 * time.Millisecond // before the second attempt; doubled before each further one
)

// Codes of Postgres for a transaction that was rolled back because of others and may succeed when run again.
const (
	deadlockDetected     = "40P01"
	serialisationFailure = "40001"
)

// lockNotAvailable is the code of Postgres for a statement that bounds its waits for locks and did not get one.
const lockNotAvailable = "55P03"

// Retryable reports whether err is a deadlock or a serialisation failure.
func Retryable(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == deadlockDetected || refused.Code == serialisationFailure)
}

// Retry runs fn until it returns something else than a deadlock or a serialisation failure, at most four times. The
// error of the last attempt is returned as it is; apperr.From makes it BUSY, which clients may repeat.
func Retry(ctx context.Context, fn func() error) error {
	pause := retryPause
	for attempt := 1; ; attempt++ {
		err := fn()
		if !Retryable(err) || attempt == maxAttempts {
			return err
		}
		if clock.Sleep(ctx, pause/2+rand.N(pause)) != nil { //nolint:gosec // spreads attempts, protects nothing
			return err
		}
		pause *= 2
	}
}

// RetryLocks runs fn again, after a pause, while its statements do not get a lock within their bound or end in a
// deadlock, at most tries times after the first. Returns the error of the last attempt, or of ctx.
func RetryLocks(ctx context.Context, tries int, pause time.Duration, fn func() error) error {
	for try := 0; ; try++ {
		err := fn()
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || refused.Code != lockNotAvailable && !Retryable(err) || try == tries {
			return err
		}
		if err := clock.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// Retried is InTx within Retry: fn may run more than once, so it resets whatever it sets outside the transaction.
func (p *Postgres) Retried(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return Retry(ctx, func() error { return p.InTx(ctx, fn) })
}
