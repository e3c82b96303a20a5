package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/models"
)

// Generate creates the draws of today and the coming days that schedules ask for and that do not
// exist yet, and returns how many. Draws whose sales would already have stopped are left out. Safe
// to repeat: (game, local day, number) is unique and existing draws, custom ones too, stay.
func (s *Service) Generate(ctx context.Context) (int, error) {
	games, err := s.Games(ctx)
	if err != nil {
		return 0, err
	}
	now := s.clock.Now()
	local := now.In(s.options.Zone)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	var rows []models.Draw
	for _, g := range games {
		if g.Status != models.StatusActive {
			continue
		}
		for day := range s.options.DaysAhead + 1 {
			slots, err := g.schedule.Day(today.AddDate(0, 0, day), s.options.Zone)
			if err != nil {
				return 0, fmt.Errorf("game %s: %w", g.ShortCode, err)
			}
			rows = s.plan(rows, g, slots, now)
		}
	}
	return s.insertDraws(ctx, rows)
}

func (s *Service) plan(rows []models.Draw, g *Game, slots []Slot, now time.Time) []models.Draw {
	stop := s.options.SaleStop
	if g.SaleStop != nil {
		stop = *g.SaleStop
	}
	for _, slot := range slots {
		stopAt := slot.At.Add(-stop)
		if !now.Before(stopAt) {
			continue
		}
		rows = append(rows, models.Draw{
			ID: uuid.Must(uuid.NewV7()), GameID: g.ID, DrawNumber: slot.Number, LocalDate: slot.Date,
			DrawTime: slot.At, SaleStopAt: stopAt, Status: models.DrawOpen, CreatedAt: now, UpdatedAt: now,
		})
	}
	return rows
}
