package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// A limit bounds the rows of its own input, and not a read for each of these rows or before them.
func TestALimitBoundsNoLookUps(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	_, err := env.PG.Pool.Exec(t.Context(), `CREATE TABLE owners (id int PRIMARY KEY);
		CREATE TABLE notes_202601 (id int, owner_id int);
		CREATE UNIQUE INDEX ON notes_202601 (id) INCLUDE (owner_id)`)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		sql   string
		scans bool
	}{
		"order of the index":     {`SELECT id FROM notes_202601 ORDER BY id LIMIT 5`, false},
		"filter":                 {`SELECT id FROM notes_202601 WHERE owner_id = 3`, true},
		"outer side":             {`SELECT n.id, o.id FROM notes_202601 n LEFT JOIN owners o ON o.id = n.owner_id ORDER BY n.id LIMIT 5`, false},
		"inner side by an index": {`SELECT o.id, n.id FROM owners o LEFT JOIN notes_202601 n ON n.id = o.id ORDER BY o.id LIMIT 5`, false},
		"inner side":             {`SELECT o.id, n.id FROM owners o LEFT JOIN notes_202601 n ON n.owner_id = o.id ORDER BY o.id LIMIT 5`, true},
		"inner side with a limit of its own": {
			`SELECT o.id, m.id FROM owners o, LATERAL (SELECT n.id FROM notes_202601 n ORDER BY n.id LIMIT 1) m WHERE m.id > o.id ORDER BY o.id LIMIT 5`, false,
		},
		"subplan":           {`SELECT o.id, ARRAY(SELECT n.id FROM notes_202601 n WHERE n.owner_id = o.id) FROM owners o ORDER BY o.id LIMIT 5`, true},
		"subplan of a node": {`SELECT n.id, ARRAY(SELECT o.id FROM owners o WHERE o.id = n.owner_id) FROM notes_202601 n ORDER BY n.id LIMIT 5`, false},
		"list of a page":    {`SELECT id, owner_id FROM notes_202601 WHERE id IN (SELECT id FROM notes_202601 ORDER BY id LIMIT 5)`, false},
		"bounded count":     {`SELECT count(*) FROM (SELECT 1 FROM notes_202601 LIMIT 5) n`, false},
		"list of all":       {`SELECT id, owner_id FROM notes_202601 WHERE id IN (SELECT owner_id FROM notes_202601 WHERE owner_id > 3)`, true},
		"read before":       {`SELECT id FROM owners WHERE id <> ALL (ARRAY(SELECT id FROM notes_202601 WHERE owner_id = 3)) ORDER BY id LIMIT 5`, true},
	} {
		found, err := testkit.Scans(t.Context(), env.PG, c.sql)
		require.NoError(t, err)
		assert.Equal(t, c.scans, len(found) > 0, "%s: %v", name, found)
	}
}
