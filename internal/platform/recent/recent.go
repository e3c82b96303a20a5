// Package recent shares answers that may be some seconds old among all who ask for the same at a time.
package recent

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/platform/cache"
)

// Age is how old an answer may be. It is less than the time between two renewals of a page that stays open.
const Age = 4 * time.Second

// timeout bounds a reading. It does not end with the request that asks first, because others wait for it, too.
const timeout = 30 * time.Second

// Answers keeps the answers of the last seconds, by what they answer. Callers must not change an answer.
type Answers[K comparable, V any] struct{ kept cache.Cache[K, V] }

// New returns answers of which at most size are kept.
func New[K comparable, V any](size int) *Answers[K, V] {
	return &Answers[K, V]{cache.New(&otter.Options[K, V]{MaximumSize: size, ExpiryCalculator: otter.ExpiryWriting[K, V](Age)})}
}

// Get returns the answer to key, which read reads if none is kept. All who ask at the same time get the answer of one
// reading. Errors: errors of read, which are not kept.
func (a *Answers[K, V]) Get(ctx context.Context, key K, read func(ctx context.Context) (V, error)) (V, error) {
	return a.kept.Get(ctx, key, otter.LoaderFunc[K, V](func(ctx context.Context, _ K) (V, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return read(ctx)
	}))
}

// Forget forgets all answers.
func (a *Answers[K, V]) Forget() { a.kept.InvalidateAll() }

// Key returns a text that is the same for the same ids in any order.
func Key(ids []uuid.UUID) string {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	key := make([]byte, 0, len(sorted)*len(uuid.Nil))
	for _, id := range sorted {
		key = append(key, id[:]...)
	}
	return string(key)
}
