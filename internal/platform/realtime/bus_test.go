package realtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/realtime"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// listen runs a bus that sends, and returns what another one hears.
func listen(t *testing.T, env *testkit.Env) (*realtime.Bus, <-chan *realtime.Message) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	sender, receiver := realtime.NewBus(env.Redis, env.Log), realtime.NewBus(env.Redis, env.Log)
	heard, ready := make(chan *realtime.Message, 10_000), make(chan struct{}, 10)
	done := make(chan struct{}, 2)
	go func() { sender.Run(ctx); done <- struct{}{} }()
	go func() {
		receiver.Subscribe(ctx, func() { ready <- struct{}{} }, func(m *realtime.Message) { heard <- m })
		done <- struct{}{}
	}()
	t.Cleanup(func() { cancel(); <-done; <-done })
	<-ready
	return sender, heard
}

func receive(t *testing.T, heard <-chan *realtime.Message) *realtime.Message {
	t.Helper()
	select {
	case m := <-heard:
		return m
	case <-time.After(testkit.WaitTimeout):
		require.Fail(t, "nothing was heard")
		return nil
	}
}

func TestPublishedEventsKeepAudienceAndData(t *testing.T) {
	t.Parallel()
	bus, heard := listen(t, testkit.New(t))
	id := uuid.New()
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.FixedZone("", -4*60*60))
	for _, to := range []realtime.Audience{
		realtime.Everybody(), realtime.Below("/a/b/"), realtime.Entity(id), realtime.DeviceSession(id), realtime.UserSession(id), realtime.User(id),
	} {
		e := realtime.NewEvent(realtime.DrawClosed, at, map[string]string{"draw_id": "x"})
		bus.Publish(t.Context(), to, e)
		m := receive(t, heard)
		assert.Equal(t, to, m.To)
		assert.Equal(t, realtime.DrawClosed, m.Name)
		assert.JSONEq(t, fmt.Sprintf(`{"event":"draw.closed","id":"%s","at":"2026-03-02T14:00:00Z","data":{"draw_id":"x"}}`, e.ID), string(m.Event))
	}
	bus.Announce(t.Context(), realtime.Bound{DeviceSession: id, Number: 7})
	assert.Equal(t, &realtime.Bound{DeviceSession: id, Number: 7}, receive(t, heard).Bound)
}

// Everything that is published while there is room arrives, in order.
func TestEventsArriveInOrder(t *testing.T) {
	t.Parallel()
	bus, heard := listen(t, testkit.New(t))
	for i := range 3_000 {
		bus.Publish(t.Context(), realtime.Everybody(), realtime.NewEvent("n", time.Now(), i))
	}
	for i := range 3_000 {
		var e realtime.Event
		require.NoError(t, json.Unmarshal(receive(t, heard).Event, &e))
		require.EqualValues(t, i, e.Data)
	}
}

// Publishing never waits: without Run, events that do not fit into the queue are dropped, and so are events that are
// too large or cannot be marshalled.
func TestPublishingNeverBlocks(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	var log bytes.Buffer
	bus := realtime.NewBus(env.Redis, slog.New(slog.NewTextHandler(&log, nil)))
	began := time.Now()
	for range 10_000 {
		bus.Publish(t.Context(), realtime.Everybody(), realtime.NewEvent("n", time.Now(), nil))
	}
	assert.Less(t, time.Since(began), testkit.WaitTimeout/2)
	bus.Publish(t.Context(), realtime.Everybody(), realtime.NewEvent("large", time.Now(), strings.Repeat("x", 9_000)))
	assert.Contains(t, log.String(), "event=large")
	bus.Publish(t.Context(), realtime.Everybody(), realtime.NewEvent("strange", time.Now(), func() {}))
	assert.Contains(t, log.String(), "event=strange")
}

// A Redis that takes connections and answers nothing does not hold up the end of a process.
func TestTheEndDoesNotWaitForRedis(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	client := redis.NewClient(&redis.Options{Addr: silent.Addr().String(), MaxRetries: -1, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = client.Close() })
	bus := realtime.NewBus(client, slog.New(slog.DiscardHandler))
	for range 4_096 {
		bus.Publish(t.Context(), realtime.Everybody(), realtime.NewEvent("n", time.Now(), nil))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	bus.Run(ctx)
	assert.Less(t, time.Since(began), 20*time.Second, "and not a second or two for each of 32 batches")
}

// A broken subscription reconnects, and an invalid message is ignored.
func TestASubscriptionReconnects(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bus, heard := listen(t, env)
	number := strings.TrimPrefix(env.RedisURL[strings.LastIndex(env.RedisURL, "db="):], "db=")
	channel := "banca:realtime:" + number
	require.NoError(t, env.Redis.Publish(t.Context(), channel, "{").Err())
	require.NoError(t, env.Redis.Publish(t.Context(), channel, strings.Repeat(" ", 9_000)).Err())
	clients, err := env.Redis.ClientList(t.Context()).Result()
	require.NoError(t, err)
	killed := 0
	for line := range strings.Lines(clients) {
		if strings.Contains(line, " db="+number+" ") && strings.Contains(line, " sub=1 ") {
			id, _, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
			require.NoError(t, env.Redis.ClientKillByFilter(t.Context(), "ID", id).Err())
			killed++
		}
	}
	require.Equal(t, 1, killed)
	assert.Eventually(t, func() bool {
		bus.Publish(t.Context(), realtime.Everybody(), realtime.NewEvent("n", time.Now(), nil))
		select {
		case <-heard:
			return true
		case <-time.After(50 * time.Millisecond):
			return false
		}
	}, testkit.WaitTimeout, 10*time.Millisecond)
}
