package org_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/models"
)

// Entities are concurrently created, moved, renamed and deleted, under parents that others move and delete at the
// same time: the result is a tree, each code is unique, and the activity log has an entry for every change.
func TestConcurrentChangesKeepTheTreeConsistent(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	var agencies []uuid.UUID
	for i := range 3 {
		agencies = append(agencies, tr.add(t, tr.ids[0], models.EntityAgency, fmt.Sprintf("AGE-%d", i), `{}`).ID)
	}
	groupsOf := make([][]uuid.UUID, 4)
	var wait sync.WaitGroup
	for w := range groupsOf {
		wait.Go(func() {
			mine := &groupsOf[w]
			for range 30 {
				var err error
				switch n := rand.IntN(10); {
				case n < 5 || len(*mine) == 0:
					var e *org.Entity
					code := fmt.Sprintf("G-%d", rand.IntN(60)) // which others may have, or be making
					e, err = tr.Create(t.Context(), tr.scope(), &org.NewEntity{ParentID: agencies[rand.IntN(3)], Type: models.EntityGroup, Name: code, Code: code})
					if err == nil {
						*mine = append(*mine, e.ID)
					}
				case n < 7:
					_, _, err = tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: (*mine)[rand.IntN(len(*mine))], ParentID: agencies[rand.IntN(3)]})
				case n < 8:
					code := fmt.Sprintf("g-%d", rand.IntN(60))
					_, _, err = tr.Update(t.Context(), tr.scope(), (*mine)[rand.IntN(len(*mine))], &org.Change{Code: &code})
				case n < 9:
					i := rand.IntN(len(*mine))
					if err = tr.Delete(t.Context(), tr.scope(), (*mine)[i]); err == nil {
						*mine = append((*mine)[:i:i], (*mine)[i+1:]...)
					}
				default:
					err = tr.Delete(t.Context(), tr.scope(), agencies[0])
				}
				if !errors.Is(err, org.ErrEntityExists) && !errors.Is(err, org.ErrEntityNotFound) && !errors.Is(err, org.ErrHasChildren) {
					assert.NoError(t, err)
				}
			}
		})
	}
	wait.Wait()
	left := 0
	for _, mine := range groupsOf {
		left += len(mine)
	}
	var torn, twice, groups int
	require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), `SELECT
		(SELECT count(*) FROM entities e LEFT JOIN entities p ON p.id = e.parent_id WHERE e.path <> coalesce(p.path, '/') || e.id || '/'),
		(SELECT count(*) FROM (SELECT 1 FROM entities GROUP BY upper(code) HAVING count(*) > 1) d),
		(SELECT count(*) FROM entities WHERE entity_type = 'GROUP')`).Scan(&torn, &twice, &groups))
	assert.Equal(t, []int{0, 0, left}, []int{torn, twice, groups})
	var made, deleted int
	require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE action = 'create'), count(*) FILTER (WHERE action = 'delete') FROM activity_logs`).Scan(&made, &deleted))
	var all int
	require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) - 1 FROM entities`).Scan(&all))
	assert.Equal(t, all, made-deleted)
}
