package rollup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// place is a path with the types of its entities, the operator first.
type place struct {
	entities []uuid.UUID
	types    []string
}

// paths returns the paths of the events.
func (e events) paths() map[int32]bool {
	used := map[int32]bool{}
	for at := range e {
		used[at.path] = true
	}
	return used
}

// placesOf returns the places of paths.
func placesOf(ctx context.Context, tx pgx.Tx, paths map[int32]bool) (map[int32]place, error) {
	ids := storage.Integers(slices.Collect(maps.Keys(paths)))
	rows, err := tx.Query(ctx, `SELECT p.id, p.path, array_agg(e.entity_type ORDER BY strpos(p.path, e.id::text)) FROM entity_paths p
		JOIN entities e ON e.id = ANY (string_to_array(trim(BOTH '/' FROM p.path), '/')::uuid[]) WHERE p.id = ANY ($1::integer[]) GROUP BY p.id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read paths: %w", err)
	}
	places := make(map[int32]place, len(ids))
	var id int32
	var path string
	var types []string
	_, err = pgx.ForEachRow(rows, []any{&id, &path, &types}, func() (err error) {
		places[id], err = placeOf(path, types)
		types = nil
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read paths: %w", err)
	}
	return places, nil
}

func placeOf(path string, types []string) (place, error) {
	p := place{types: types}
	for text := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		entity, err := uuid.Parse(text)
		if err != nil {
			return p, fmt.Errorf("path %s: %w", path, err)
		}
		p.entities = append(p.entities, entity)
	}
	if len(p.entities) != len(types) {
		return p, fmt.Errorf("path %s names an entity that does not exist", path)
	}
	return p, nil
}

// gamesOf returns the games of the draws of events.
func gamesOf(ctx context.Context, tx pgx.Tx, e events) (map[uuid.UUID]uuid.UUID, error) {
	games := map[uuid.UUID]uuid.UUID{}
	var ids storage.UUIDs
	for at := range e {
		if _, known := games[at.draw]; !known && at.draw != uuid.Nil {
			games[at.draw], ids = uuid.Nil, append(ids, at.draw)
		}
	}
	rows, err := tx.Query(ctx, `SELECT id, game_id FROM draws WHERE id = ANY ($1::uuid[])`, ids)
	if err != nil {
		return nil, fmt.Errorf("read games: %w", err)
	}
	var draw, game uuid.UUID
	found, err := pgx.ForEachRow(rows, []any{&draw, &game}, func() error { games[draw] = game; return nil })
	if err != nil {
		return nil, fmt.Errorf("read games: %w", err)
	}
	if found.RowsAffected() != int64(len(ids)) {
		return nil, fmt.Errorf("%d of %d draws do not exist", int64(len(ids))-found.RowsAffected(), len(ids))
	}
	return games, nil
}
