package draws_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
)

// A person does not verify an own result by an account whose credentials the person gave within a day, nor by one of
// two such accounts.
func TestAnAccountControlledByTheFirstPersonCannotVerify(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.hold(t, draw)
	h.SecondPersonWait = 24 * time.Hour
	day := h.Clock.Now()
	account := func(by uuid.UUID, age time.Duration) uuid.UUID {
		id := uuid.New()
		h.Exec(t, `INSERT INTO users (id, entity_id, identifier, name, role, password_hash, status) VALUES ($1, $2, $3, 'x', 'ADMIN', '', 'active')`, id, fixture.RootID, id.String())
		if by != uuid.Nil {
			h.Exec(t, `INSERT INTO account_credentials VALUES ($1, $2, $3)`, id, by, day.Add(-age))
		}
		return id
	}
	boss, stranger := account(uuid.Nil, 0), account(uuid.Nil, 0)
	fresh, other, old := account(boss, 23*time.Hour), account(boss, time.Hour), account(boss, 25*time.Hour)
	grandchild := account(fresh, time.Hour)
	shared := account(boss, 2*time.Hour) // and later given a phone by another person
	h.Exec(t, `INSERT INTO account_credentials VALUES ($1, $2, $3)`, shared, stranger, day.Add(-time.Hour))

	result, err := h.Enter(t.Context(), fixture.As(boss), draw.ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	before := h.tables(t)
	for name, second := range map[string]uuid.UUID{"itself": boss, "made": fresh, "made by one made": grandchild, "made, then changed by another": shared} {
		_, _, err = h.Verify(t.Context(), fixture.As(second), result.ID, nil)
		require.ErrorIs(t, err, draws.ErrSamePerson, name)
	}
	require.Equal(t, before, h.tables(t))
	_, err = h.Reject(t.Context(), fixture.As(stranger), result.ID, "again")
	require.NoError(t, err)

	result, err = h.Enter(t.Context(), fixture.As(fresh), draw.ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	for name, second := range map[string]uuid.UUID{"its maker": boss, "another one of its maker": other, "another one of its maker, then changed by another": shared} {
		_, _, err = h.Verify(t.Context(), fixture.As(second), result.ID, nil)
		require.ErrorIs(t, err, draws.ErrSamePerson, name)
	}
	_, _, err = h.Verify(t.Context(), fixture.As(old), result.ID, nil)
	require.NoError(t, err, "made more than a day ago")
}
