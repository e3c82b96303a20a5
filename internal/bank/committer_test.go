package bank

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What waits behind a database that hangs is refused when its time is over, and so is what comes when the
// queue is full or closed; none of it is written.
func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := newCommitter(b.Service)
	waiting := func() *pending { return &pending{done: make(chan struct{})} }
	late := waiting()
	require.True(t, c.enqueue(late))
	b.clock.Advance(callTimeout + 1)
	fresh := waiting()
	require.True(t, c.enqueue(fresh))
	require.Equal(t, []*pending{fresh}, c.inTime([]*pending{late, fresh}))
	<-late.done
	require.ErrorIs(t, late.err, ErrBusy)
	for range queueLimit - 2 {
		require.True(t, c.enqueue(waiting()))
	}
	require.False(t, c.enqueue(waiting()), "full")
	c.close()
	require.False(t, c.enqueue(waiting()), "closed")
}
