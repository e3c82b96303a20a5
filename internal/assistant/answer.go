package assistant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
)

// Reasons for which a run ends early.
var (
	errStopped    = errors.New("assistant: the user stopped the answer")
	errSuperseded = errors.New("assistant: a newer run has begun, or the conversation is deleted")
)

// run is one run of an answer.
type run struct {
	id           uuid.UUID
	attempt      int
	conversation uuid.UUID
	user, entity uuid.UUID
	question     string
	language     string
	out          writer
	text         strings.Builder // shown so far
	model        string          // that wrote it
	results      []Result
	cut          bool
	late         bool // it waited too long for a place, and is answered without a model
}

// run writes the answer of a claimed message. An error that no repetition heals marks the message as failed; after
// another one the run is repeated once. It returns an error if the end of the run cannot be written.
func (s *Service) run(ctx context.Context, r *run) error {
	if r.attempt > maxAttempts {
		return s.fail(ctx, r, ErrInterrupted)
	}
	r.out.send(ctx, EventStart, "")
	within, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); s.watch(within, r, cancel) }()
	err := s.write(within, r)
	cause := context.Cause(within)
	cancel(nil)
	<-ended
	switch {
	case errors.Is(cause, errSuperseded), errors.Is(err, errSuperseded):
		return nil
	case errors.Is(cause, errStopped):
		return s.finish(ctx, r, StateStopped)
	case err == nil:
		return s.finish(ctx, r, StateDone)
	case permanent(err):
		return s.fail(ctx, r, apperr.From(err))
	default:
		return s.retry(ctx, r, err)
	}
}

// permanent reports whether no repetition heals err.
func permanent(err error) bool {
	switch apperr.From(err).Kind {
	case apperr.RateLimited, apperr.Unavailable, apperr.Internal:
		return false
	default:
		return true
	}
}

// watch shows that the run is alive and ends it if the user stops it or another run has taken its place.
func (s *Service) watch(ctx context.Context, r *run, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var stop bool
		err := s.PG.Pool.QueryRow(ctx, `UPDATE assistant_messages SET updated_at = clock_timestamp() WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING stop_requested`,
			r.id, r.attempt).Scan(&stop)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			cancel(errSuperseded)
			return
		case err == nil && stop:
			cancel(errStopped)
			return
		}
	}
}

// caller returns the user of the conversation with the current rights. Errors: auth.ErrForbidden if the user is not
// active any more, belongs to another entity or may not use the assistant.
func (s *Service) caller(ctx context.Context, r *run) (caller.Caller, error) {
	by, err := s.Auth.CallerOf(ctx, r.user)
	if errors.Is(err, auth.ErrUserNotFound) || err == nil && (by.EntityID != r.entity || !by.May(auth.AssistantRead)) {
		return caller.Caller{}, auth.ErrForbidden
	}
	return by, err
}

// finish writes the answer if this is the newest run.
func (s *Service) finish(ctx context.Context, r *run, state string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	r.out.flush(ctx)
	var untraced []string
	if r.model != "" && state == StateDone {
		untraced = s.untraced(r)
	}
	if len(untraced) > 0 {
		r.add(ctx, "\n\n"+r.texts().untraced+strings.Join(untraced, ", "))
		r.out.flush(ctx)
	}
	results, err := json.Marshal(r.results)
	if err != nil {
		return fmt.Errorf("results of message: %w", err)
	}
	if r.results == nil {
		results = []byte("[]")
	}
	if untraced == nil {
		untraced = []string{}
	}
	err = s.end(
		ctx, r, `state = $3, answer = $4, model = $5, cut = $6, untraced = $7, results = $8`, state, r.text.String(),
		r.model, r.cut, untraced, results,
	)
	if err == nil {
		r.out.send(ctx, EventDone, state)
	}
	return err
}

// fail marks the message as failed if this is the newest run.
func (s *Service) fail(ctx context.Context, r *run, cause *apperr.Error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	err := s.end(ctx, r, `state = 'failed', error_code = $3`, cause.Code)
	if err == nil {
		r.out.send(ctx, EventDone, StateFailed)
	}
	return err
}

// end finishes the message of the newest run; a run that is not the newest changes nothing.
func (s *Service) end(ctx context.Context, r *run, set string, values ...any) error {
	_, err := s.PG.Pool.Exec(ctx, `UPDATE assistant_messages SET `+set+`, updated_at = clock_timestamp(), finished_at = clock_timestamp()
		WHERE id = $1 AND attempt = $2 AND state = 'running'`, append([]any{r.id, r.attempt}, values...)...)
	if err != nil {
		return fmt.Errorf("finish message: %w", err)
	}
	return nil
}

// retry gives the message back for another run, which a task of its own begins.
func (s *Service) retry(ctx context.Context, r *run, cause error) error {
	s.Log.WarnContext(ctx, "an answer failed", "message", r.id, "run", r.attempt, "error", cause)
	if r.attempt >= maxAttempts {
		return s.fail(ctx, r, ErrInterrupted)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	_, err := s.PG.Pool.Exec(ctx, `UPDATE assistant_messages SET state = 'pending', updated_at = clock_timestamp() WHERE id = $1 AND attempt = $2 AND state = 'running'`, r.id, r.attempt)
	if err != nil {
		return fmt.Errorf("give message back: %w", err)
	}
	return s.again(ctx, r.id, retryAfter)
}

// add appends a part to the answer and shows it.
func (r *run) add(ctx context.Context, part string) {
	r.text.WriteString(part)
	r.out.text(ctx, part)
}
