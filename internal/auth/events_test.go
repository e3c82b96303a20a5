package auth_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
)

// heard records the sessions whose end was published, and the reasons.
type heard struct {
	mu   sync.Mutex
	list []string
}

func (h *heard) Publish(_ context.Context, to realtime.Audience, e realtime.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ended, _ := e.Data.(realtime.Terminated)
	if e.Name == realtime.SessionTerminated && ended.SessionID == to.UserSession {
		h.list = append(h.list, ended.Reason)
	}
}

func (h *heard) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}

// Every end of a session is published once, and nothing else.
func TestEndsOfSessionsArePublished(t *testing.T) {
	t.Parallel()
	news := &heard{}
	b := setup(t)
	var err error
	b.Service, err = auth.New(b.env.PG, b.clock, auth.Options{
		Secret: []byte(secret), AccessTTL: 15 * time.Minute, RefreshTTL: 720 * time.Hour, BcryptCost: bcrypt.MinCost, Redis: b.env.Redis, Events: news,
		Scope: func(context.Context, uuid.UUID) (caller.Scope, error) { return testkit.Scope(b.root.Path), nil },
	})
	require.NoError(t, err)
	tokens := b.login(t)
	p, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	_, _, err = b.Refresh(t.Context(), tokens.Refresh)
	require.NoError(t, err)
	assert.Empty(t, news.take())
	_, _, err = b.refreshFrom(t.Context(), "thief", tokens.Refresh)
	require.ErrorIs(t, err, auth.ErrInvalidRefresh)
	assert.Equal(t, []string{"reuse"}, news.take())
	require.NoError(t, b.Logout(t.Context(), p))
	assert.Empty(t, news.take(), "it was over")
	p, err = b.Authenticate(t.Context(), b.login(t).Access)
	require.NoError(t, err)
	require.NoError(t, b.Logout(t.Context(), p))
	assert.Equal(t, []string{"logout"}, news.take())
	b.login(t)
	b.clock.Advance(721 * time.Hour)
	n, err := b.ExpireSessions(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	assert.Equal(t, []string{"expired"}, news.take())
}
