package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"gorm.io/gorm"

	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

func (s *Service) loadGame(ctx context.Context, id uuid.UUID) (*Game, error) {
	var row struct {
		models.Game
		CategoryCode string
	}
	err := s.db.WithContext(ctx).Table("games").Select("games.*, game_categories.code AS category_code").
		Joins("JOIN game_categories ON game_categories.id = games.category_id").
		Where("games.id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, otter.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load game: %w", err)
	}
	var elements []models.GameElement
	if err := s.db.WithContext(ctx).Where("game_id = ?", id).Order("position, code").Find(&elements).Error; err != nil {
		return nil, fmt.Errorf("load elements: %w", err)
	}
	return gameOf(&row.Game, row.CategoryCode, elements)
}

func (s *Service) loadDraw(ctx context.Context, id uuid.UUID) (*Draw, error) {
	var row drawRow
	err := s.drawRows(ctx).Select(selectDraw).Where("d.id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, otter.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load draw: %w", err)
	}
	return drawOf(&row), nil
}

// loadDraws loads several draws; those that do not exist are missing.
func (s *Service) loadDraws(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*Draw, error) {
	var rows []drawRow
	if err := s.drawRows(ctx).Select(selectDraw).Where("d.id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("load draws: %w", err)
	}
	draws := make(map[uuid.UUID]*Draw, len(rows))
	for i := range rows {
		draws[rows[i].ID] = drawOf(&rows[i])
	}
	return draws, nil
}

const selectDraw = `d.*, ` + StopInherited + ` AS stop_inherited`

// drawRows queries draws d with their games g.
func (s *Service) drawRows(ctx context.Context) *gorm.DB {
	return s.db.WithContext(ctx).Table("draws d").Joins("JOIN games g ON g.id = d.game_id")
}

// Categories lists the codes of the categories of games.
func (s *Service) Categories(ctx context.Context) ([]string, error) {
	var codes []string
	if err := s.db.WithContext(ctx).Model(&models.GameCategory{}).Order("code").Pluck("code", &codes).Error; err != nil {
		return nil, fmt.Errorf("list categories: %w", err)
	}
	return codes, nil
}

// Games lists every game in its display order.
func (s *Service) Games(ctx context.Context) ([]*Game, error) {
	var ids []uuid.UUID
	if err := s.db.WithContext(ctx).Model(&models.Game{}).Order("position, short_code").Pluck("id", &ids).Error; err != nil {
		return nil, fmt.Errorf("list games: %w", err)
	}
	games := make([]*Game, 0, len(ids))
	for _, id := range ids {
		g, err := s.Game(ctx, id)
		if err != nil {
			return nil, err
		}
		games = append(games, g)
	}
	return games, nil
}

// GameTitle names a game.
type GameTitle struct {
	ID        uuid.UUID
	ShortCode string
	Name      string
}

// GameTitles names every game in its display order, without what it consists of.
func (s *Service) GameTitles(ctx context.Context) ([]GameTitle, error) {
	var titles []GameTitle
	if err := s.db.WithContext(ctx).Model(&models.Game{}).Select("id, short_code, name").Order("position, short_code").Scan(&titles).Error; err != nil {
		return nil, fmt.Errorf("name games: %w", err)
	}
	return titles, nil
}

// DrawFilter selects draws; zero fields select all. Date is a business day.
type DrawFilter struct {
	Status string
	GameID uuid.UUID
	Date   businessday.Day
	From   businessday.Day // both included
	To     businessday.Day
	Stop   time.Duration // before a draw, that the seller inherits; 0 where it does not matter
	Latest bool          // by time, latest first
	Limit  int
	Offset int
}

// Draws lists draws by time and returns the total of the filter. A draw past its sale stop for the seller (see
// Draw.StopFor) is not listed as open even before its closing is recorded.
func (s *Service) Draws(ctx context.Context, f DrawFilter) ([]*Draw, int64, error) {
	q := s.drawRows(ctx)
	if f.Status != "" {
		q = q.Where("d.status = ?", f.Status)
	}
	if f.Status == models.DrawOpen {
		now := s.clock.Now()
		q = q.Where("d.sale_stop_at > ?", now)
		if f.Stop > 0 {
			q = q.Where("(d.sale_stop_explicit OR g.sale_stop_seconds IS NOT NULL OR d.draw_time > ?)", now.Add(f.Stop))
		}
	}
	if f.GameID != uuid.Nil {
		q = q.Where("d.game_id = ?", f.GameID)
	}
	if !f.Date.IsZero() {
		q = q.Where("d.local_date = ?", f.Date)
	}
	if !f.From.IsZero() {
		q = q.Where("d.local_date >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("d.local_date <= ?", f.To)
	}
	order := "d.draw_time, d.id"
	if f.Latest {
		order = "d.draw_time DESC, d.id DESC"
	}
	rows, total, err := storage.Find[drawRow](q.Select(selectDraw), order, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list draws: %w", err)
	}
	draws := make([]*Draw, len(rows))
	for i := range rows {
		draws[i] = drawOf(&rows[i])
	}
	return draws, total, nil
}
