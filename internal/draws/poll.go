package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/drawstate"
	"banca/internal/lottery"
	"banca/internal/risk"
	"banca/models"
	"banca/tasks"
)

// DefaultPollDelays are the waits between the attempts to fetch a result: eight retries, later and later, over
// some four hours.
func DefaultPollDelays() []time.Duration {
	return []time.Duration{
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
	}
}

// Poll asks the external systems for the result of a draw if an attempt is due and not claimed. Every answer is
// stored. A result that the game's policy trusts is verified; others wait for a person. After the last attempt
// without a result an alert is filed. It is idempotent.
func (s *Service) Poll(ctx context.Context, id uuid.UUID) error {
	a, err := s.claim(ctx, drawstate.ClaimPoll, id)
	if err != nil || a == nil {
		return failed("poll result", err)
	}
	var fetched []lottery.Fetched
	// A derived game takes its result from another draw: no source is asked, but the alert is filed after as many
	// attempts. With a broken api_config polling goes on: it may be repaired meanwhile.
	derived := a.game.Mechanics().DerivedFrom != nil
	published := a.broken != nil || a.config.FetchesResults() || derived
	if published && !derived && a.broken == nil && a.number <= len(s.PollDelays)+1 {
		fetched = s.Lottery.Fetch(ctx, a.config, a.ref)
	}
	in := &intake{service: s, attempt: a, fetched: fetched, now: s.Clock.Now().Truncate(time.Microsecond)}
	err = s.inLongTx(ctx, func(tx pgx.Tx) error {
		if err := risk.LockExclusively(ctx, tx, id); err != nil {
			return err
		}
		in.verified, in.fresh = nil, false
		if in.draw, err = lockDraw(ctx, tx, id); err != nil {
			return err
		}
		if !published {
			return drawstate.StopPollTx(ctx, tx, id)
		}
		return in.takeIn(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("poll result of draw %s: %w", id, err)
	}
	s.Wake()
	if in.verified != nil {
		s.published(ctx, in.verified, nil)
	}
	return nil
}

// pollLater plans the next attempt, or files that the last one found nothing that counts.
func (in *intake) pollLater(ctx context.Context, tx pgx.Tx) error {
	s, a := in.service, in.attempt
	if a.number > len(s.PollDelays) {
		detail := fmt.Sprintf("no verified result after %d attempts", min(a.number, len(s.PollDelays)+1))
		if err := s.alertTx(ctx, tx, a.draw, models.AlertNoResult, detail); err != nil {
			return err
		}
		return drawstate.StopPollTx(ctx, tx, a.draw)
	}
	next := in.now.Add(s.PollDelays[a.number-1]).Truncate(time.Second)
	if err := drawstate.PollAtTx(ctx, tx, a.draw, next); err != nil {
		return err
	}
	return enqueueAtTx(ctx, tx, next, tasks.ResultPoll{DrawID: a.draw.String()})
}
