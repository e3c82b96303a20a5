package places_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/places"
)

func TestAUserTakesAPartOfThePlaces(t *testing.T) {
	t.Parallel()
	p := places.New(3, 2)
	ana, luis := uuid.New(), uuid.New()
	first, ok := p.Take(ana)
	require.True(t, ok)
	_, ok = p.Take(ana)
	require.True(t, ok)
	_, ok = p.Take(ana)
	require.False(t, ok, "two of each user")
	_, ok = p.Take(luis)
	require.True(t, ok, "the places of another user are free")
	_, ok = p.Take(luis)
	require.False(t, ok, "three of all")
	first()
	_, ok = p.Take(luis)
	require.True(t, ok)
}

func TestConcurrentUsersStayWithinTheBounds(t *testing.T) {
	t.Parallel()
	p := places.New(20, 5)
	users := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	var got atomic.Int64
	var all sync.WaitGroup
	frees := make(chan func(), 60)
	for i := range 60 {
		all.Go(func() {
			if free, ok := p.Take(users[i%len(users)]); ok {
				got.Add(1)
				frees <- free
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 15, got.Load())
	close(frees)
	for free := range frees {
		free()
	}
	_, ok := p.Take(users[0])
	require.True(t, ok)
}
