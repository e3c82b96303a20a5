package recent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/recent"
)

// All who ask at the same time share one reading, which goes on when the first of them has gone.
func TestOneReadingAnswersAll(t *testing.T) {
	t.Parallel()
	answers := recent.New[string, int](10)
	var readings atomic.Int32
	started, finish := make(chan struct{}), make(chan struct{})
	read := func(ctx context.Context) (int, error) {
		readings.Add(1)
		close(started)
		<-finish
		return 7, ctx.Err()
	}
	first, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _, _ = answers.Get(first, "a", read) })
	<-started
	for range 20 {
		all.Go(func() {
			answer, err := answers.Get(t.Context(), "a", read)
			assert.NoError(t, err)
			assert.Equal(t, 7, answer)
		})
	}
	leave()
	time.Sleep(10 * time.Millisecond) // some of them wait
	close(finish)
	all.Wait()
	assert.EqualValues(t, 1, readings.Load())

	answer, err := answers.Get(t.Context(), "b", func(context.Context) (int, error) { return 8, nil })
	require.NoError(t, err)
	assert.Equal(t, 8, answer, "another question")
	answers.Forget()
	answer, err = answers.Get(t.Context(), "a", func(context.Context) (int, error) { return 9, nil })
	require.NoError(t, err)
	assert.Equal(t, 9, answer)
}

// An error is not kept.
func TestAnErrorIsNotKept(t *testing.T) {
	t.Parallel()
	answers, failed := recent.New[string, int](10), errors.New("failed")
	_, err := answers.Get(t.Context(), "a", func(context.Context) (int, error) { return 0, failed })
	require.ErrorIs(t, err, failed)
	answer, err := answers.Get(t.Context(), "a", func(context.Context) (int, error) { return 1, nil })
	require.NoError(t, err)
	assert.Equal(t, 1, answer)
}

func TestKey(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	assert.Equal(t, recent.Key([]uuid.UUID{a, b}), recent.Key([]uuid.UUID{b, a}))
	assert.NotEqual(t, recent.Key([]uuid.UUID{a, b}), recent.Key([]uuid.UUID{a}))
	assert.Empty(t, recent.Key(nil))
}
