package catalog_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
)

// A copy has the elements and rules of a game at once. A failure leaves nothing of it.
func TestCopyGame(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	_, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields(catalog.FieldRules, `{"bet_types":[{"type":"straight","payout":"5"}]}`)})
	require.NoError(t, err)
	_, err = s.UpdateElement(ctx, s.game, "33", &catalog.ElementChange{Retired: new(true)})
	require.NoError(t, err)

	made, err := s.CopyGame(ctx, s.game, newGame(s, "copy"))
	require.NoError(t, err)
	from, err := s.Game(ctx, s.game)
	require.NoError(t, err)
	g, err := s.Game(ctx, made.ID)
	require.NoError(t, err)
	require.Len(t, g.Elements, len(from.Elements))
	require.Empty(t, g.Retired)
	require.Equal(t, from.Rule("straight").Payout, g.Rule("straight").Payout)
	require.Equal(t, from.CategoryID, g.CategoryID)

	before := s.state(t)
	_, err = s.CopyGame(ctx, s.game, newGame(s, "copy"))
	require.ErrorIs(t, err, catalog.ErrGameExists)
	_, err = s.CopyGame(ctx, uuid.New(), newGame(s, "other"))
	require.ErrorIs(t, err, catalog.ErrGameNotFound)
	s.exec(t, `ALTER TABLE game_elements ADD CONSTRAINT no_more CHECK (false) NOT VALID`)
	_, err = s.CopyGame(ctx, s.game, newGame(s, "other"))
	require.ErrorContains(t, err, "write elements")
	require.Equal(t, before, s.state(t), "what failed changed nothing")
}
