package draws

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/drawstate"
	"banca/internal/lottery"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Lottery calls the external systems that a game's api_config describes.
type Lottery interface {
	Fetch(ctx context.Context, cfg *lottery.Config, draw lottery.DrawRef) []lottery.Fetched
	CloseDraw(ctx context.Context, cfg *lottery.Config, draw lottery.DrawRef) error
}

// noLottery is the Lottery of a service without external systems.
type noLottery struct{}

// Fetch implements Lottery.
func (noLottery) Fetch(context.Context, *lottery.Config, lottery.DrawRef) []lottery.Fetched {
	return nil
}

// CloseDraw implements Lottery.
func (noLottery) CloseDraw(context.Context, *lottery.Config, lottery.DrawRef) error {
	return lottery.ErrConfig
}

// Bounds of the attempts to close a draw in an external system.
const (
	// attemptLease is how long an attempt to close or to poll belongs to the task that claimed it. It is longer than a
	// task may run. After it, another task may claim the attempt of a task that was killed.
	attemptLease = 2 * time.Minute
	// attemptEarly is how long before its time an attempt may be claimed, because the clocks of machines differ.
	attemptEarly = 5 * time.Second
	// The delay between attempts grows from firstCloseDelay to maxCloseDelay. The last attempt is after about four
	// hours.
	firstCloseDelay  = 15 * time.Second
	maxCloseDelay    = 10 * time.Minute
	maxCloseAttempts = 30
	// closeAlertAfter is the number of failures between two alerts.
	closeAlertAfter = 5
)

// attempt is a claimed attempt to call the external systems of a draw's game.
type attempt struct {
	draw      uuid.UUID
	game      *catalog.Game
	number    int // counted from one
	config    *lottery.Config
	configErr error // set if the game's api_config is invalid
	ref       lottery.DrawRef
}

// claimFunc is drawstate.ClaimClosing or drawstate.ClaimPoll.
type claimFunc func(ctx context.Context, q storage.RowQuerier, id uuid.UUID, due, lease time.Time) (*drawstate.Attempt, error)

// claim counts and leases an attempt by the function claim. It returns nil if no attempt is due.
func (s *Service) claim(ctx context.Context, claim claimFunc, id uuid.UUID) (*attempt, error) {
	now := s.Clock.Now()
	claimed, err := claim(ctx, s.PG.Pool, id, now.Add(attemptEarly), now.Add(attemptLease).Truncate(time.Second))
	if err != nil || claimed == nil {
		return nil, err
	}
	a := &attempt{draw: id, number: claimed.Number, ref: lottery.DrawRef{DrawNumber: claimed.DrawNumber, Time: claimed.DrawTime}}
	if a.game, err = s.Catalog.Game(ctx, claimed.GameID); err != nil {
		return nil, err
	}
	a.ref.GameCode, a.ref.Zone = a.game.ShortCode, s.zoneOf(a.game)
	if a.config, a.configErr = lottery.Decode(claimed.Config); a.configErr != nil {
		a.config = &lottery.Config{Verify: lottery.Verify{Policy: lottery.PolicyManual}}
	}
	return a, nil
}

// zoneOf returns the time zone of a game's schedule.
func (s *Service) zoneOf(g *catalog.Game) *time.Location {
	if zone, err := time.LoadLocation(g.Schedule().TimeZone); err == nil && g.Schedule().TimeZone != "" {
		return zone
	}
	return s.Zone
}

// CloseExternal closes a draw in the external systems and records that. A failure is retried at growing intervals, and
// repeated failures add an alert. CloseExternal is idempotent: it skips a draw that is closed there already, or that
// another attempt is closing.
func (s *Service) CloseExternal(ctx context.Context, id uuid.UUID) error {
	a, err := s.claim(ctx, drawstate.ClaimClosing, id)
	if err != nil || a == nil {
		return wrap("close draw externally", err)
	}
	failure := a.configErr
	if failure == nil && a.config.ClosesDraws() {
		failure = s.Lottery.CloseDraw(ctx, a.config, a.ref)
	}
	if failure == nil {
		return drawstate.ClosedExternally(ctx, s.PG.Pool, id, s.Clock.Now())
	}
	s.Log.WarnContext(
		ctx, "closing a draw in the external system failed", "draw", id, "attempt", a.number, "error", failure,
	)
	if err := s.PG.InTx(ctx, func(tx pgx.Tx) error { return s.closeLater(ctx, tx, a, failure) }); err != nil {
		return wrap("close draw externally", err)
	}
	s.Wake()
	return nil
}

// closeLater schedules the next attempt after a failed one.
func (s *Service) closeLater(ctx context.Context, tx pgx.Tx, a *attempt, failure error) error {
	if a.number%closeAlertAfter == 0 || a.configErr != nil && a.number == 1 {
		if err := s.alertTx(ctx, tx, a.draw, models.AlertCloseFailed, models.Clip(failure.Error(), maxDetail)); err != nil {
			return err
		}
	}
	if a.number >= maxCloseAttempts {
		return nil
	}
	next := s.Clock.Now().Add(min(firstCloseDelay<<min(a.number-1, 10), maxCloseDelay)).Truncate(time.Second)
	if err := drawstate.ClosingAtTx(ctx, tx, a.draw, next); err != nil {
		return err
	}
	return enqueueAtTx(ctx, tx, next, tasks.DrawCloseExternal{DrawID: a.draw})
}

func enqueueAtTx(ctx context.Context, tx pgx.Tx, at time.Time, args tasks.Args) error {
	row, err := outbox.NewRow(args, outbox.At(at))
	if err != nil {
		return err
	}
	return outbox.EnqueueTx(ctx, tx, row)
}

// wrap returns err with the operation that failed, or nil if err is nil.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// evidenceOf returns the part of an answer that is stored with the result. The whole answer is a row of result_fetches.
func evidenceOf(f *lottery.Fetched) ([]byte, error) {
	return json.Marshal(map[string]any{
		"url": f.Evidence.URL, "status": f.Evidence.Status, "sha256": f.Evidence.SHA256,
		"fetched_at": f.Evidence.FetchedAt.UTC(), "trusted": f.Trusted,
	})
}
