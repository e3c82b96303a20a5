package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// How a transaction failed.
var (
	ErrRefused        = errors.New("refused by Postgres")         // nothing was written
	ErrUnknownOutcome = errors.New("the commit was not answered") // it may be committed
)

// outcomeTimeout bounds FindOutcome.
const outcomeTimeout = 5 * time.Second

// Refused wraps err with ErrRefused if it is an answer of Postgres which says that the transaction is rolled
// back. A shutdown (class 57) and a lost connection (class 08) may follow the commit; such an error and one that is not
// of Postgres are returned as they are.
func Refused(err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refused.Code[:2] == "57" || refused.Code[:2] == "08" {
		return err
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

// CommitError wraps the error of a round trip that ends with COMMIT: with ErrRefused as [Refused], else with
// ErrUnknownOutcome.
func CommitError(err error) error {
	if err == nil {
		return nil
	}
	if err = Refused(err); errors.Is(err, ErrRefused) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}

// FindOutcome reads what became of a transaction whose commit was not answered. lock takes, in a new transaction, a lock
// that the other one holds until its end, and so waits for one that is still running; find then reads what it would have
// written. An error wraps ErrUnknownOutcome.
func (p *Postgres) FindOutcome(ctx context.Context, lock, find func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, outcomeTimeout)
	defer cancel()
	err := p.Retried(ctx, func(tx pgx.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		return find(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	return nil
}
