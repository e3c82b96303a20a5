package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/tasks"
)

// run gives one message.send task to a registry whose handler is fn and returns its error and log.
func run(t *testing.T, payload string, fn func(ctx context.Context, args tasks.MessageSend) error) (string, error) {
	t.Helper()
	var log bytes.Buffer
	r := NewRegistry(clock.System{}, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	require.NoError(t, Handle(r, fn))
	err := r.ProcessTask(t.Context(), asynq.NewTask("message.send", []byte(payload)))
	return log.String(), err
}

func TestErrorsDecideWhetherATaskIsRetried(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		payload string
		err     error
		retried bool
	}{
		"unreadable payload": {payload: `{"nonsense":1}`, retried: true}, // a newer release may have written it
		"rule broken":        {payload: `{}`, err: apperr.New(apperr.Invalid, "X", "x")},
		"not found, wrapped": {payload: `{}`, err: fmt.Errorf("y: %w", apperr.New(apperr.NotFound, "X", "x"))},
		"unavailable":        {payload: `{}`, err: apperr.New(apperr.Unavailable, "X", "x"), retried: true},
		"rate limited":       {payload: `{}`, err: apperr.New(apperr.RateLimited, "X", "x"), retried: true},
		"unknown":            {payload: `{}`, err: errors.New("x"), retried: true},
		"deadline":           {payload: `{}`, err: context.DeadlineExceeded, retried: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, c.payload, func(context.Context, tasks.MessageSend) error { return c.err })
			require.Error(t, err)
			assert.Equal(t, !c.retried, errors.Is(err, asynq.SkipRetry))
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
			}
		})
	}
}

func TestPanicIsAnErrorThatIsRetried(t *testing.T) {
	t.Parallel()
	log, err := run(t, `{}`, func(context.Context, tasks.MessageSend) error { panic("boom") })
	require.ErrorIs(t, err, errPanic)
	assert.NotErrorIs(t, err, asynq.SkipRetry)
	assert.Contains(t, log, "boom")
	assert.Contains(t, log, "handler_test.go", "the stack leads to the culprit")
}

func TestLogNamesTheTaskAndNotItsPayload(t *testing.T) {
	t.Parallel()
	const id = "11111111-2222-7333-8444-555555555555"
	log, err := run(t, `{"message_id":"`+id+`"}`, func(ctx context.Context, args tasks.MessageSend) error {
		_, bounded := ctx.Deadline()
		assert.True(t, bounded)
		assert.Equal(t, id, args.MessageID.String())
		return nil
	})
	require.NoError(t, err)
	assert.Contains(t, log, "kind=message.send")
	assert.Contains(t, log, "task finished")
	assert.NotContains(t, log, id)
}

type strange struct{}

func (strange) Spec() tasks.Spec { return tasks.Spec{Kind: "no.such"} }

func TestRegistryReportsMissingHandlers(t *testing.T) {
	t.Parallel()
	r := NewRegistry(clock.System{}, slog.New(slog.DiscardHandler))
	assert.Equal(t, tasks.Kinds(), r.Missing())
	handle := func(context.Context, tasks.LedgerFold) error { return nil }
	require.NoError(t, Handle(r, handle))
	require.ErrorIs(t, Handle(r, handle), ErrDuplicateHandler)
	require.ErrorIs(t, Handle(r, func(context.Context, strange) error { return nil }), tasks.ErrUnknownKind)
	assert.NotContains(t, r.Missing(), "ledger.fold")
	assert.Len(t, r.Missing(), len(tasks.Kinds())-1)
}

// TestAnUnknownKindIsLoggedAndRetried: a newer release wrote it, and a worker of that release will get it.
func TestAnUnknownKindIsLoggedAndRetried(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := NewRegistry(clock.System{}, slog.New(slog.NewTextHandler(&log, nil)))
	err := r.ProcessTask(t.Context(), asynq.NewTask("no.such", []byte(`{"x":"secret"}`)))
	require.ErrorIs(t, err, tasks.ErrUnknownKind)
	assert.NotErrorIs(t, err, asynq.SkipRetry)
	assert.Contains(t, log.String(), "kind=no.such")
	assert.NotContains(t, log.String(), "secret")
}

func TestRetryDelayHonoursTheError(t *testing.T) {
	t.Parallel()
	task := asynq.NewTask("message.send", nil)
	busy := apperr.New(apperr.RateLimited, "X", "x")
	assert.Equal(t, time.Second, retryDelay(0, errors.New("x"), task))
	assert.Equal(t, 40*time.Second, retryDelay(0, fmt.Errorf("y: %w", busy.WithRetryAfter(40*time.Second)), task))
	assert.Equal(t, maxRequestedDelay, retryDelay(0, busy.WithRetryAfter(time.Hour), task))
	assert.Equal(t, 5*time.Minute, retryDelay(50, busy, task))
}

func TestAShutdownDoesNotCountAsAFailureOfTheTask(t *testing.T) {
	t.Parallel()
	base, abandon := context.WithCancel(t.Context())
	counts := isFailure(base)
	assert.True(t, counts(asynq.ErrLeaseExpired), "a task that kills its worker must not be retried for ever")
	assert.True(t, counts(errors.New("x")))
	assert.True(t, counts(context.Canceled), "a task that cancels itself must not be retried for ever")
	abandon()
	assert.False(t, counts(fmt.Errorf("x: %w", context.Canceled)))
}
