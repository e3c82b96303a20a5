package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/drawstate"
	"banca/internal/lottery"
	"banca/models"
	"banca/storage"
	"banca/tasks"
)

// DefaultPollDelays returns the delays between the attempts to fetch a result: eight retries at growing intervals over
// about four hours.
func DefaultPollDelays() []time.Duration {
	return []time.Duration{
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
	}
}

// Poll fetches the result of a draw from the external systems if an attempt is due and not claimed. It stores every
// answer. It verifies a result that the game's policy accepts; other results await a person. After the last attempt
// without a verified result it adds an alert. It is idempotent.
func (s *Service) Poll(ctx context.Context, id uuid.UUID) error {
	a, err := s.claim(ctx, drawstate.ClaimPoll, id)
	if err != nil || a == nil {
		return wrap("poll result", err)
	}
	var fetched []lottery.Fetched
	// The result of a derived game comes from another draw: no source is called, but the alert is added after the same
	// number of attempts. With an invalid api_config the attempts continue, because an operator may correct it.
	derived := a.game.Mechanics().DerivedFrom != nil
	expectsResult := a.configErr != nil || a.config.FetchesResults() || derived
	if expectsResult && !derived && a.configErr == nil && a.number <= len(s.PollDelays)+1 {
		fetched = s.Lottery.Fetch(ctx, a.config, a.ref)
	}
	in := &intake{service: s, attempt: a, fetched: fetched, now: s.Clock.Now().Truncate(time.Microsecond)}
	err = s.inLongTx(ctx, func(tx pgx.Tx) error {
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{id}); err != nil {
			return err
		}
		in.verified, in.fresh = nil, false
		if in.draw, err = lockDraw(ctx, tx, id); err != nil {
			return err
		}
		if !expectsResult {
			return drawstate.StopPollTx(ctx, tx, id)
		}
		return in.process(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("poll result of draw %s: %w", id, err)
	}
	s.Wake()
	if in.verified != nil {
		s.publishVerified(ctx, in.verified, nil)
	}
	return nil
}

// pollLater schedules the next attempt. After the last one it adds an alert and ends the polling.
func (in *intake) pollLater(ctx context.Context, tx pgx.Tx) error {
	s, a := in.service, in.attempt
	if a.number > len(s.PollDelays) {
		detail := fmt.Sprintf(attemptsDetail, min(a.number, len(s.PollDelays)+1))
		if err := s.alertTx(ctx, tx, a.draw, models.AlertNoResult, detail); err != nil {
			return err
		}
		return drawstate.StopPollTx(ctx, tx, a.draw)
	}
	next := in.now.Add(s.PollDelays[a.number-1]).Truncate(time.Second)
	if err := drawstate.PollAtTx(ctx, tx, a.draw, next); err != nil {
		return err
	}
	return enqueueAtTx(ctx, tx, next, tasks.ResultPoll{DrawID: a.draw})
}
