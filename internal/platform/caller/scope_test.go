package caller_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
)

func TestZeroScopeContainsNothing(t *testing.T) {
	t.Parallel()
	var zero caller.Scope
	assert.True(t, zero.IsZero())
	assert.Empty(t, zero.Path())
	assert.Empty(t, zero.Pattern(), "a pattern without a wildcard")
	assert.False(t, zero.IsOperator())
	assert.False(t, caller.Caller{}.IsOperator())
	for _, path := range []string{"", "/", "%", "/" + uuid.NewString() + "/"} {
		assert.False(t, zero.Contains(path), path)
	}
}

func TestParseScopeRefusesMalformedPaths(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	for _, path := range []string{
		"", "/", "//", "%", "/%/", "/a/", id, "/" + id, id + "/", "//" + id + "/", "/" + id + "//", "/" + id + "/%", "/" + id + "/%/",
		"/" + strings.ToUpper("abcdef00-0000-7000-8000-000000000000") + "/", "/{" + id + "}/", "/" + strings.ReplaceAll(id, "-", "") + "/", " /" + id + "/", "/" + id + "/\n",
	} {
		scope, err := caller.ParseScope(path)
		require.Error(t, err, path)
		assert.Zero(t, scope, path)
	}
}

func TestIsOperator(t *testing.T) {
	t.Parallel()
	root := "/" + uuid.NewString() + "/"
	assert.True(t, testkit.Scope(root).IsOperator())
	assert.Equal(t, root, testkit.Scope(root).Path())
	for path := root; len(path) < 5*len(root); {
		path += uuid.NewString() + "/"
		assert.False(t, testkit.Scope(path).IsOperator(), path)
	}
}

// TestContainsAgreesWithPattern compares every two entities of a tree, and paths that no entity has, in Go and in SQL.
func TestContainsAgreesWithPattern(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	paths := []string{"/" + uuid.NewString() + "/", "/" + uuid.NewString() + "/"}
	for i := range 30 {
		paths = append(paths, paths[i]+uuid.NewString()+"/")
	}
	scopes := []caller.Scope{{}}
	for _, path := range paths {
		scopes = append(scopes, testkit.Scope(path))
	}
	paths = append(paths, "/", "%", paths[0][:len(paths[0])-1], paths[0]+"%", "/%"+paths[0][2:])
	inside := 0
	for _, scope := range scopes {
		rows, err := env.PG.Pool.Query(t.Context(), `SELECT path, path LIKE $1 FROM unnest($2::text[]) AS path`, scope.Pattern(), paths)
		require.NoError(t, err)
		for rows.Next() {
			var path string
			var matches bool
			require.NoError(t, rows.Scan(&path, &matches))
			assert.Equal(t, matches, scope.Contains(path), "%q in the scope %q", path, scope.Path())
			if matches {
				inside++
			}
		}
		require.NoError(t, rows.Err())
	}
	assert.Greater(t, inside, len(paths), "entities below others")
}
