package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// Bounds of one change of draws.
const (
	maxDays = 366
	// maxBulk bounds the draws that are changed at once, and so the locks that are held.
	maxBulk = 1_500

	numberPattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$`
)

// DrawSpec is a draw as it is wanted. Its local date, by the time zone of the game's schedule, and its number say which
// one it is.
type DrawSpec struct {
	Number     string
	Time       time.Time
	SaleStopAt time.Time // explicit; zero: inherited from the game
	// KeepEqualStop keeps the stop of a draw inherited where SaleStopAt equals it, at the same Time.
	KeepEqualStop bool
	OpensAt       time.Time // zero: not opened by a task
	// Status is scheduled or open. If it is empty, an existing draw keeps its status, and a new draw, or one that
	// loses its OpensAt, is open unless it has an OpensAt.
	Status string
}

// DrawSync is the wanted set of a game's draws in a range of local dates.
type DrawSync struct {
	From, To   businessday.Day // both included
	Draws      []DrawSpec
	BySchedule bool // the draws of the schedule, in place of Draws; the days follow it from now on
	DryRun     bool
}

// SyncDraws creates, changes and deletes a game's draws in one transaction, so that the draws of the range equal
// the requested ones. The days count as planned by hand from then on: the schedule neither adds nor removes draws on
// them. Draws that are over stay. Errors: ErrGameNotFound, ErrInvalidDraws, ErrDrawHasTickets, ErrDrawOver,
// ErrDrawInUse, each naming the draws.
func (s *Service) SyncDraws(ctx context.Context, game uuid.UUID, req *DrawSync) (DrawCounts, error) {
	var counts DrawCounts
	if err := req.bound(); err != nil {
		return counts, err
	}
	err := s.writeGame(ctx, game, func(tx pgx.Tx) error {
		row, err := gameRow(ctx, tx, game)
		if err != nil {
			return err
		}
		wanted, err := s.wanted(row, req)
		if err != nil {
			return err
		}
		if counts, err = s.sync(ctx, tx, span{game: game, from: req.From, to: req.To}, wanted); err != nil {
			return err
		}
		if err := markDays(ctx, tx, game, req); err != nil {
			return err
		}
		if req.DryRun {
			return errDryRun
		}
		return record(ctx, tx, activity.DrawsSync, game, map[string]any{
			"code": row.ShortCode, "name": row.Name, "from": req.From, "to": req.To, "by_schedule": req.BySchedule,
			"created": counts.Created, "updated": counts.Updated, "deleted": counts.Deleted,
		}, nil)
	})
	return counts, err
}

func (r *DrawSync) bound() error {
	days := r.From.DaysUntil(r.To) + 1
	switch {
	case r.From.IsZero() || r.To.IsZero() || days < 1:
		return ErrInvalidDraws.WithDetails(wrong("to", "is before from")...)
	case days > maxDays:
		return ErrInvalidDraws.WithDetails(wrong("to", "is more than 366 days after from")...)
	case len(r.Draws) > maxBulk:
		return ErrInvalidDraws.WithDetails(wrong("draws", apperr.Messagef("has more than %d items", maxBulk))...)
	case r.BySchedule && len(r.Draws) > 0:
		return ErrInvalidDraws.WithDetails(wrong("draws", "cannot be combined with by_schedule")...)
	default:
		return nil
	}
}

// markDays records whether the days of a range are planned by hand or follow the schedule.
func markDays(ctx context.Context, tx pgx.Tx, game uuid.UUID, r *DrawSync) error {
	sql := `INSERT INTO planned_days (game_id, local_date) SELECT $1, d::date FROM generate_series($2::date, $3::date, interval '1 day') d ON CONFLICT DO NOTHING`
	if r.BySchedule {
		sql = `DELETE FROM planned_days WHERE game_id = $1 AND local_date BETWEEN $2 AND $3`
	}
	if _, err := tx.Exec(ctx, sql, game, r.From, r.To); err != nil {
		return fmt.Errorf("mark days: %w", err)
	}
	return nil
}

// wanted turns a request into planned draws. Errors: ErrInvalidDraws.
func (s *Service) wanted(row *models.Game, r *DrawSync) ([]plannedDraw, error) {
	schedule, err := scheduleOf(row)
	if err != nil {
		return nil, err
	}
	if r.BySchedule {
		list, err := s.scheduled(row, schedule, r.From, r.To)
		if err != nil {
			return nil, err
		}
		return upcoming(list, s.clock.Now()), nil
	}
	zone, err := schedule.Zone(s.options.Zone)
	if err != nil {
		return nil, err
	}
	form := regexp.MustCompile(numberPattern)
	list := make([]plannedDraw, len(r.Draws))
	seen := make(map[drawKey]bool, len(r.Draws))
	var found []apperr.Detail
	for i := range r.Draws {
		d, p := &r.Draws[i], &list[i]
		at := fmt.Sprintf("draws[%d]", i)
		*p = s.planned(row, d, zone, i)
		key := drawKey{p.date, p.number}
		for _, rule := range []struct {
			broken  bool
			where   string
			message apperr.Message
		}{
			{!form.MatchString(d.Number), ".draw_number", "expected 1 to 32 letters, digits, points, dashes and underscores"},
			{d.Time.IsZero() || p.date.Before(r.From) || p.date.After(r.To), ".draw_time", "does not occur in the range"},
			{p.stop.After(p.at), ".sale_stop_at", "is after the draw"},
			{p.at.Sub(p.stop) > maxDays*24*time.Hour, ".sale_stop_at", "is more than a year before the draw"},
			{!p.opens.IsZero() && p.opens.After(p.stop), ".opens_at", "is after the end of sales"},
			{d.Status != "" && d.Status != models.DrawScheduled && d.Status != models.DrawOpen, ".status", "expected scheduled or open"},
			{seen[key], "", "is given twice: numbers are unique within a day"},
		} {
			if rule.broken {
				found = append(found, apperr.Detail{Location: at + rule.where, Message: rule.message})
			}
		}
		seen[key] = true
	}
	if found != nil {
		return nil, ErrInvalidDraws.WithDetails(found[:min(len(found), maxProblems)]...)
	}
	return list, nil
}

// planned fills in the fields that a request leaves to the game.
func (s *Service) planned(row *models.Game, d *DrawSpec, zone *time.Location, place int) plannedDraw {
	p := plannedDraw{
		number: d.Number, date: businessday.Of(d.Time, zone), status: d.Status, request: place,
		at: d.Time.UTC().Truncate(time.Microsecond), stop: d.SaleStopAt.UTC().Truncate(time.Microsecond),
	}
	p.keepEqual = d.KeepEqualStop
	if p.fixed = !d.SaleStopAt.IsZero(); !p.fixed {
		p.stop = p.at.Add(-s.stopOf(row))
	}
	if !d.OpensAt.IsZero() {
		p.opens = d.OpensAt.UTC().Truncate(time.Microsecond)
	}
	return p
}

// stopOf is how long before its draws a game's sales stop.
func (s *Service) stopOf(row *models.Game) time.Duration {
	if row.SaleStopSeconds != nil {
		return time.Duration(*row.SaleStopSeconds) * time.Second
	}
	return s.options.SaleStop
}

func scheduleOf(row *models.Game) (*Schedule, error) {
	var schedule Schedule
	if err := json.Unmarshal(row.ScheduleConfig, &schedule); err != nil {
		return nil, fmt.Errorf("game %s: schedule_config: %w", row.ShortCode, err)
	}
	return &schedule, nil
}

// scheduled are the draws that a schedule asks for from one local date to another.
func (s *Service) scheduled(row *models.Game, schedule *Schedule, from, to businessday.Day) ([]plannedDraw, error) {
	var list []plannedDraw
	stop := s.stopOf(row)
	for date := from; !date.After(to); date = date.AddDays(1) {
		slots, err := schedule.Day(date, s.options.Zone)
		if err != nil {
			return nil, fmt.Errorf("game %s: %w", row.ShortCode, err)
		}
		for _, slot := range slots {
			p := plannedDraw{
				number: slot.Number, date: slot.Date, at: slot.At, stop: slot.At.Add(-stop), opens: slot.OpensAt,
				request: -1,
			}
			if p.opens.After(p.stop) {
				p.opens = p.stop
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// upcoming are the draws whose sales have not stopped yet.
func upcoming(list []plannedDraw, now time.Time) []plannedDraw {
	var left []plannedDraw
	for _, p := range list {
		if now.Before(p.stop) {
			left = append(left, p)
		}
	}
	return left
}

// replan changes the coming draws of a game, up to the last existing or generated one, to those of its schedule. An
// inactive game gets no new draws. If the game has, or had before, a stop of its own, all its coming draws get its
// stop, except explicit ones: also draws with tickets, draws planned by hand and draws of an inactive game.
func (s *Service) replan(ctx context.Context, tx pgx.Tx, before, row *models.Game) (DrawCounts, error) {
	sp := span{game: row.ID, schedule: true}
	if stop := s.stopOf(row); row.SaleStopSeconds != nil || before.SaleStopSeconds != nil {
		sp.stop = &stop
	}
	if row.Status != models.StatusActive {
		sp.from, sp.to = businessday.Date(2000, 1, 2), businessday.Date(2000, 1, 1) // no day
		return s.sync(ctx, tx, sp, nil)
	}
	schedule, err := scheduleOf(row)
	if err != nil {
		return DrawCounts{}, err
	}
	from := s.today(schedule)
	to := from.AddDays(s.options.DaysAhead)
	var last businessday.Day
	if err := tx.QueryRow(ctx, `SELECT max(local_date) FROM draws WHERE game_id = $1`, row.ID).Scan(&last); err != nil {
		return DrawCounts{}, fmt.Errorf("last draw: %w", err)
	}
	if last.After(to) {
		to = last
	}
	if most := from.AddDays(maxDays - 1); to.After(most) {
		to = most
	}
	wanted, err := s.scheduled(row, schedule, from, to)
	if err != nil {
		return DrawCounts{}, err
	}
	sp.from, sp.to = from, to
	if sp.skip, err = handPlanned(ctx, tx, row.ID, from, to); err != nil {
		return DrawCounts{}, err
	}
	return s.sync(ctx, tx, sp, without(wanted, sp.skip))
}

// today is the current date in the schedule's zone.
func (s *Service) today(schedule *Schedule) businessday.Day {
	zone, err := schedule.Zone(s.options.Zone)
	if err != nil {
		zone = s.options.Zone // it was checked when it was written
	}
	return businessday.Of(s.clock.Now(), zone)
}

// handPlanned are the days of a range about which a schedule does not decide.
func handPlanned(
	ctx context.Context, db queryer, game uuid.UUID, from, to businessday.Day,
) (map[businessday.Day]bool, error) {
	days := map[businessday.Day]bool{}
	var day businessday.Day
	err := storage.Each(ctx, db, "days planned by hand", []any{&day}, func() error {
		days[day] = true
		return nil
	}, `SELECT local_date FROM planned_days WHERE game_id = $1 AND local_date BETWEEN $2 AND $3`, game, from, to)
	if err != nil {
		return nil, err
	}
	return days, nil
}

func without(list []plannedDraw, days map[businessday.Day]bool) []plannedDraw {
	var left []plannedDraw
	for _, p := range list {
		if !days[p.date] {
			left = append(left, p)
		}
	}
	return left
}
