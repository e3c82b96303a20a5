package realtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/realtime"
)

// A listener receives the events of its entity and of the entities above it, until its end.
func TestListenersHearWhatIsMeantForTheirEntity(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bus, listeners := realtime.NewBus(env.Redis, env.Log), realtime.NewListeners()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{}, 2)
	go func() { bus.Run(ctx); done <- struct{}{} }()
	root, own, other := uuid.New(), uuid.New(), uuid.New()
	names, stop := listeners.Listen(own, "/"+root.String()+"/"+own.String()+"/")
	go func() { listeners.Run(ctx, bus); done <- struct{}{} }()
	t.Cleanup(func() { cancel(); <-done; <-done })
	heard := func() string {
		t.Helper()
		select {
		case name := <-names:
			return name
		case <-time.After(testkit.WaitTimeout):
			require.Fail(t, "nothing was heard")
			return ""
		}
	}
	require.Equal(t, realtime.Connected, heard())
	publish := func(to realtime.Audience, p realtime.Payload) {
		bus.Publish(ctx, to, realtime.EventOf(time.Now(), p))
	}
	publish(realtime.Entity(other), realtime.UpdatedTicket{})
	publish(realtime.Below("/"+other.String()+"/"), realtime.ChangedLimits{})
	publish(realtime.Below("/"+root.String()+"/"), realtime.ChangedLimits{})
	publish(realtime.Entity(own), realtime.UpdatedTicket{})
	publish(realtime.Everybody(), realtime.ClosedDraw{})
	require.Equal(t, realtime.LimitsChanged, heard())
	require.Equal(t, realtime.TicketUpdated, heard())
	require.Equal(t, realtime.DrawClosed, heard())
	stop()
	publish(realtime.Everybody(), realtime.ClosedDraw{})
	again, stopAgain := listeners.Listen(own, "/")
	defer stopAgain()
	publish(realtime.Everybody(), realtime.ChangedLimits{})
	require.Eventually(t, func() bool { return len(again) > 0 }, testkit.WaitTimeout, time.Millisecond)
	require.Empty(t, names)
}
