package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
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

// RulesKey names a version of a game's rules, which never change.
type RulesKey struct {
	GameID  uuid.UUID
	Version int
}

// RulesByVersion returns versions of the rules of several games. A version that does not exist is missing.
func (s *Service) RulesByVersion(ctx context.Context, keys []RulesKey) (map[RulesKey]Rules, error) {
	games, versions := make(storage.UUIDs, len(keys)), make(storage.Integers, len(keys))
	for i, key := range keys {
		games[i], versions[i] = key.GameID, int32(key.Version)
	}
	all := make(map[RulesKey]Rules, len(keys))
	var key RulesKey
	var mechanics, bets []byte
	var category string
	err := storage.Each(ctx, s.pg.Pool, "versions of rules", []any{&key.GameID, &key.Version, &mechanics, &bets, &category}, func() error {
		rules, err := DecodeRules(key.Version, mechanics, bets, category)
		all[key] = rules
		return err
	}, `SELECT r.game_id, r.version, r.mechanics, r.betting_rules, c.code FROM unnest($1::uuid[], $2::integer[]) AS k (game_id, version)
		JOIN game_rules r USING (game_id, version) JOIN games g ON g.id = r.game_id JOIN game_categories c ON c.id = g.category_id`, games, versions)
	if err != nil {
		return nil, err
	}
	return all, nil
}
