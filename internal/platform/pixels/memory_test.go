package pixels_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
	"banca/internal/platform/pixels"
)

// However many ask, the bytes admitted at the same time never exceed the size, and all are served.
func TestBytesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	const size = 100
	m := pixels.NewMemory(size, time.Minute)
	var taken, served atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			n := int64(i%size + 1)
			release, err := m.Take(t.Context(), n)
			if !assert.NoError(t, err) {
				return
			}
			assert.LessOrEqual(t, taken.Add(n), int64(size))
			taken.Add(-n)
			served.Add(1)
			release()
			release() // a second one gives nothing back
		})
	}
	all.Wait()
	assert.EqualValues(t, 200, served.Load())
}

func TestRefusalsOfMemory(t *testing.T) {
	t.Parallel()
	m := pixels.NewMemory(100, 20*time.Millisecond)
	_, err := m.Take(t.Context(), 101)
	require.ErrorIs(t, err, pixels.ErrTooMuchMemory)

	release, err := m.Take(t.Context(), 60)
	require.NoError(t, err)
	_, err = m.Take(t.Context(), 50)
	require.ErrorIs(t, err, pixels.ErrBusy)
	assert.Equal(t, apperr.Unavailable, apperr.From(err).Kind)
	assert.Positive(t, apperr.From(err).RetryAfter)

	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err = m.Take(gone, 50)
	require.ErrorIs(t, err, context.Canceled)

	small, err := m.Take(t.Context(), 40)
	require.NoError(t, err, "waiters that left hold nothing")
	small()
	release()
	whole, err := m.Take(t.Context(), 100)
	require.NoError(t, err)
	whole()
}
