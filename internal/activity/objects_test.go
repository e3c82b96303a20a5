package activity_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Objects are read in the caller's scope alone, and an id of nothing is missing.
func TestObjectsAreReadInTheScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all, err := b.s.Objects(t.Context(), b.rootUser, []uuid.UUID{b.root, b.left, uuid.Must(uuid.NewV7()), uuid.Nil})
	require.NoError(t, err)
	assert.Len(t, all, 2)
	assert.Equal(t, "entity", all[b.left].Kind)
	assert.Equal(t, b.left, all[b.left].Page)
	assert.NotEmpty(t, all[b.left].Name)
	assert.True(t, all[b.left].At.IsZero())

	own, err := b.s.Objects(t.Context(), b.leftUser, []uuid.UUID{b.root, b.left})
	require.NoError(t, err)
	assert.Len(t, own, 1)
	assert.Contains(t, own, b.left)
	none, err := b.s.Objects(t.Context(), b.rootUser, nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}
