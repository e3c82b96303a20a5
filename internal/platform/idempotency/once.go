package idempotency

import (
	"context"

	"banca/internal/platform/apperr"
	"banca/storage"
)

// Once returns the result of an operation that has one effect for each key: the result of run, or the result that
// replay makes of the stored answer of an equal request. run stores the key in its transaction ([Use.StoreTx]). If run
// fails, an equal request may have been first, so the key is looked up again. Without a key Once is run. Errors:
// ErrKeyReused, ErrUnknownOutcome if the key or the first answer cannot be read, the other errors of run and replay.
func Once[T any](ctx context.Context, q storage.Querier, use Use, replay func(ctx context.Context, a *Answer) (T, error), run func() (T, error)) (result T, replayed bool, err error) {
	a, found, err := use.Find(ctx, q)
	if err == nil && !found {
		var refusal error
		if result, refusal = run(); refusal == nil {
			return result, false, nil
		}
		if a, found, err = use.Find(ctx, q); err == nil && !found {
			err = refusal
		}
	}
	if err != nil {
		var none T
		return none, false, err
	}
	result, err = replay(ctx, a)
	return result, true, Unread(err)
}

// Unread returns ErrUnknownOutcome for an outage while the first answer of a key is read, because the operation has
// had its effect, and err otherwise.
func Unread(err error) error {
	if err != nil && apperr.From(err).Kind == apperr.Unavailable {
		return ErrUnknownOutcome.WithCause(err)
	}
	return err
}
