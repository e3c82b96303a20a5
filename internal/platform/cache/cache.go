// Package cache hides the caches of the program behind an interface.
//
// The compiler compiles every method of an otter.Cache again in each package that knows of a type with one in it: some 300
// functions an instance. With 28 of them that was 12 seconds a package, for all packages above the domains. Of an interface
// it compiles nothing, so each instance is compiled once, where [New] is called.
package cache

import (
	"context"

	"github.com/maypok86/otter/v2"
)

// Cache is what the program uses of an otter.Cache, whose documentation holds.
type Cache[K comparable, V any] interface { //nolint:interfacebloat // the seven methods of thirty that are used
	Get(ctx context.Context, key K, loader otter.Loader[K, V]) (V, error)
	BulkGet(ctx context.Context, keys []K, loader otter.BulkLoader[K, V]) (map[K]V, error)
	GetIfPresent(key K) (V, bool)
	Set(key K, value V) (V, bool)
	SetIfAbsent(key K, value V) (V, bool)
	Invalidate(key K) (value V, invalidated bool)
	InvalidateAll()
}

// New returns a cache. It panics if the options contradict each other.
func New[K comparable, V any](options *otter.Options[K, V]) Cache[K, V] {
	return otter.Must(options) //nolint:forbidigo // the one place
}
