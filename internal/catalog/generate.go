package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// Generate creates the draws of today and the coming days that schedules ask for and that do not
// exist yet, and returns how many. Draws whose sales would already have stopped and days that were planned by
// hand are left out. Safe to repeat: (game, local day, number) is unique and existing draws, custom ones too, stay.
func (s *Service) Generate(ctx context.Context) (int, error) {
	games, err := storage.Collect(ctx, s.pg.Pool, "games to generate", pgx.RowTo[uuid.UUID],
		`SELECT id FROM games WHERE status = $1 ORDER BY position, short_code`, models.StatusActive)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, id := range games {
		n, err := s.generateGame(ctx, id)
		if err != nil {
			return total, err
		}
		total += n
	}
	if total > 0 {
		s.options.Wake()
	}
	return total, nil
}

// generateGame creates the missing draws of one game under its lock, so that its schedule is the one of this moment.
func (s *Service) generateGame(ctx context.Context, id uuid.UUID) (int, error) {
	created := 0
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := lockGame(ctx, tx, id); err != nil {
			return err
		}
		row, err := gameRow(ctx, tx, id)
		if errors.Is(err, ErrGameNotFound) || err == nil && row.Status != models.StatusActive {
			return nil
		}
		if err != nil {
			return err
		}
		missing, err := s.missing(ctx, tx, row)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		ids, err := insertDraws(ctx, tx, id, missing, now)
		if err != nil {
			return err
		}
		stops := make(map[uuid.UUID]time.Time, len(ids))
		for i := range ids {
			stops[ids[i]] = missing[i].stop
		}
		created = len(ids)
		return closeAt(ctx, tx, stops)
	})
	if err != nil {
		return 0, fmt.Errorf("generate draws: %w", err)
	}
	return created, nil
}

// missing are the draws that a game's schedule asks for and that are not there.
func (s *Service) missing(ctx context.Context, tx pgx.Tx, row *models.Game) ([]plannedDraw, error) {
	schedule, err := scheduleOf(row)
	if err != nil {
		return nil, err
	}
	from := s.today(schedule)
	to := from.AddDays(s.options.DaysAhead)
	wanted, err := s.scheduled(row, schedule, from, to)
	if err != nil {
		return nil, err
	}
	byHand, err := handPlanned(ctx, tx, row.ID, from, to)
	if err != nil {
		return nil, err
	}
	have, err := presentDraws(ctx, tx, `game_id = $1 AND local_date BETWEEN $2 AND $3`, row.ID, from, to)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	return compare(have, without(upcoming(wanted, now), byHand), now).create, nil
}
