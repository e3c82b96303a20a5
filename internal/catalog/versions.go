package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// RuleVersions returns every version of a game's rules, the first one first: a draw's lines name the versions they were
// sold under.
func (s *Service) RuleVersions(ctx context.Context, game uuid.UUID) ([]Rules, error) {
	return RulesOf(ctx, s.pg.Pool, game)
}

// RulesOf is RuleVersions within a transaction.
func RulesOf(ctx context.Context, db queryer, game uuid.UUID) ([]Rules, error) {
	rows, err := db.Query(ctx, `SELECT r.version, r.mechanics, r.betting_rules, c.code FROM game_rules r JOIN games g ON g.id = r.game_id
		JOIN game_categories c ON c.id = g.category_id WHERE r.game_id = $1 ORDER BY r.version`, game)
	if err != nil {
		return nil, fmt.Errorf("versions of rules: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Rules, error) {
		var version int
		var mechanics, bets []byte
		var category string
		if err := row.Scan(&version, &mechanics, &bets, &category); err != nil {
			return Rules{}, err
		}
		return DecodeRules(version, mechanics, bets, category)
	})
}
