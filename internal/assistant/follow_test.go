package assistant_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant"
	"banca/internal/dev/testkit"
)

// listener is a reader that notes what it gets.
type listener struct {
	events chan assistant.Event
	done   *assistant.Message
}

func (l *listener) Events(list []assistant.Event) error {
	for _, e := range list {
		l.events <- e
	}
	return nil
}

func (*listener) Wait() error { return nil }

func (l *listener) Done(m *assistant.Message) error {
	l.done = m
	return nil
}

// signIn gives the user a session.
func (b *bundle) signIn(t *testing.T) {
	t.Helper()
	b.by.SessionID = uuid.Must(uuid.NewV7())
	b.exec(t, `INSERT INTO user_sessions (id, user_id, token_hash, expires_at) VALUES ($1, $2, 'x', now() + interval '1 hour')`, b.by.SessionID, b.by.UserID)
}

// follow reads a message from its beginning; ended is closed with the end of the stream.
func (b *bundle) follow(t *testing.T, id uuid.UUID) (l *listener, ended chan struct{}) {
	t.Helper()
	f, err := b.Follow(t.Context(), b.by, id, "")
	require.NoError(t, err)
	l, ended = &listener{events: make(chan assistant.Event, 1_000)}, make(chan struct{})
	go func() { defer close(ended); f.Run(context.WithoutCancel(t.Context()), l) }()
	return l, ended
}

func within(t *testing.T, ended <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(testkit.WaitTimeout):
		require.Fail(t, what)
	}
}

func TestAReaderGetsTheAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.signIn(t)
	for range 20 {
		if b.readsTheAnswer(t) {
			return
		}
	}
	require.Fail(t, "no reader hears an answer while it is written")
}

// readsTheAnswer asks and reads. It reports whether the reader has heard the text: one that begins after the end has the message alone.
func (b *bundle) readsTheAnswer(t *testing.T) bool {
	t.Helper()
	m := b.ask(t, "ventas de hoy")
	l, ended := b.follow(t, m.ID)
	require.NoError(t, b.Answer(t.Context(), m.ID))
	within(t, ended, "the stream does not end")
	require.Equal(t, b.get(t, m.ID), l.done)
	var text strings.Builder
	for len(l.events) > 0 {
		if e := <-l.events; e.Kind == assistant.EventText {
			text.WriteString(e.Data)
		}
	}
	if text.Len() > 0 {
		require.Equal(t, l.done.Answer, text.String())
	}
	return text.Len() > 0
}

// A stream ends within seconds when its reader may not read any more, before the answer is complete.
func TestTheStreamEndsWithTheRightToReadIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"blocked":    `UPDATE users SET status = 'inactive' WHERE id = $1`,
		"moved":      `UPDATE users SET entity_id = (SELECT id FROM entities WHERE code = 'OTHER') WHERE id = $1`,
		"denied":     `INSERT INTO user_permissions (user_id, permission, granted) VALUES ($1, 'assistant:read', false)`,
		"logged out": `UPDATE user_sessions SET ended_at = now() WHERE user_id = $1`,
		"expired":    `UPDATE user_sessions SET expires_at = now() WHERE user_id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.signIn(t)
			b.exec(t, `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'O', 'OTHER', '/' || $1::text || '/')`, uuid.Must(uuid.NewV7()))
			m := b.ask(t, "ventas de hoy")
			b.exec(t, `UPDATE assistant_messages SET state = 'running', attempt = 1 WHERE id = $1`, m.ID)
			l, ended := b.follow(t, m.ID)
			require.NoError(t, b.env.Redis.XAdd(t.Context(), &redis.XAddArgs{Stream: "assistant:stream:" + m.ID.String(), Values: []string{"kind", assistant.EventText, "data", "Ven"}}).Err())
			require.Equal(t, "Ven", (<-l.events).Data)
			b.exec(t, change, b.by.UserID)
			b.Auth.Forget() // as after some seconds
			within(t, ended, "the stream goes on")
			b.exec(t, `UPDATE assistant_messages SET state = 'done', answer = 'secret 1', finished_at = now() WHERE id = $1`, m.ID)
			late, ended := b.follow(t, m.ID)
			within(t, ended, "another stream goes on")
			require.Nil(t, l.done)
			require.Nil(t, late.done)
		})
	}
}
