package idempotency

import (
	"context"

	"banca/storage"
)

// Once returns the result of an operation that has one effect for each key: that of run, or the one that replay makes
// of the answer that an equal request stored before. run stores the key in its transaction ([Use.StoreTx]). If run
// fails, an equal request may have been first, so the key is looked up again. Without a key Once is run. Errors:
// ErrKeyReused, those of run and replay.
func Once[T any](ctx context.Context, q storage.Querier, use Use, replay func(ctx context.Context, a *Answer) (T, error), run func() (T, error)) (result T, replayed bool, err error) {
	a, found, err := use.Find(ctx, q)
	if err == nil && !found {
		if result, err = run(); err == nil {
			return result, false, nil
		}
		var reused error
		if a, found, reused = use.Find(ctx, q); found {
			err = reused
		}
	}
	if err != nil {
		var none T
		return none, false, err
	}
	result, err = replay(ctx, a)
	return result, true, err
}
