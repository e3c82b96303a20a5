package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// RuleVersions returns every version of a game's rules, the first one first: a draw's lines name the versions they were
// sold under.
func (s *Service) RuleVersions(ctx context.Context, game uuid.UUID) ([]Rules, error) {
	var rows []struct {
		Version      int
		Mechanics    []byte
		BettingRules []byte
		Code         string
	}
	err := s.db.WithContext(ctx).Raw(`SELECT r.version, r.mechanics, r.betting_rules, c.code FROM game_rules r JOIN games g ON g.id = r.game_id
		JOIN game_categories c ON c.id = g.category_id WHERE r.game_id = ? ORDER BY r.version`, game).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("versions of rules: %w", err)
	}
	list := make([]Rules, len(rows))
	for i := range rows {
		if list[i], err = DecodeRules(rows[i].Version, rows[i].Mechanics, rows[i].BettingRules, rows[i].Code); err != nil {
			return nil, err
		}
	}
	return list, nil
}
