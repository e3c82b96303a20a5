package catalog

import (
	"context"
	"fmt"

	"banca/storage"
)

// unknownSources names the systems that active games ask for results and that are none of $1.
const unknownSources = `SELECT coalesce(array_agg(DISTINCT source->>'name'), '{}')
	FROM games, jsonb_array_elements(CASE WHEN jsonb_typeof(api_config->'sources') = 'array' THEN api_config->'sources' ELSE '[]' END) source
	WHERE status = 'active' AND source->>'name' <> ALL($1)`

// UnknownSources returns the names of the sources that active games ask for results and that are not among the known
// ones: nothing is read from them.
func UnknownSources(ctx context.Context, q storage.RowQuerier, known []string) ([]string, error) {
	var names []string
	if known == nil {
		known = []string{} // an array, not NULL
	}
	if err := q.QueryRow(ctx, unknownSources, known).Scan(&names); err != nil {
		return nil, fmt.Errorf("sources of games: %w", err)
	}
	return names, nil
}
