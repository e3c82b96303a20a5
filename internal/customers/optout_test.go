package customers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
)

func (b *bundle) outAt(t *testing.T, phone string, chain ...uuid.UUID) bool {
	t.Helper()
	to := customers.Recipient{Path: "/", Phone: phone}
	for _, id := range chain {
		to.EntityID, to.Path = id, to.Path+id.String()+"/"
	}
	var out []bool
	batch := &pgx.Batch{}
	customers.QueueOptedOut(batch, []customers.Recipient{{Phone: "+580000000000"}, to}, &out)
	require.NoError(t, b.env.PG.Pool.SendBatch(t.Context(), batch).Close())
	require.Len(t, out, 2)
	require.False(t, out[0], "an unknown telephone")
	return out[1]
}

// The flag is set and cleared by a change that names it, and stays otherwise.
func TestOptOutByAUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	yes, no := true, false
	c := b.create(t, "Ana", "04141234567")
	require.True(t, c.OptOutAt.IsZero())
	person := customers.Person{Name: "Ana", Phone: c.Phone}
	update := func(out *bool) customers.Customer {
		person.OptedOut = out
		changed, err := b.Update(t.Context(), b.seller, c.ID, person)
		require.NoError(t, err)
		return changed
	}
	first := update(&yes)
	require.False(t, first.OptOutAt.IsZero())
	require.True(t, b.outAt(t, c.Phone, b.agency.ID, b.point.ID))
	require.False(t, b.outAt(t, c.Phone, b.agency.ID, b.second.ID), "another ticket point was not asked")
	person.Name = "Ana María"
	require.Equal(t, first.OptOutAt, update(nil).OptOutAt)
	require.Equal(t, first.OptOutAt, update(&yes).OptOutAt, "since the first time")
	require.True(t, update(&no).OptOutAt.IsZero())
	require.False(t, b.outAt(t, c.Phone, b.point.ID))
	require.False(t, b.outAt(t, c.Phone))
	created, err := b.Create(t.Context(), b.seller, uuid.Nil, customers.Person{Name: "Eva", Phone: "04149999999", OptedOut: &yes})
	require.NoError(t, err)
	require.False(t, created.OptOutAt.IsZero())
}

// A merge keeps the opt-out of either.
func TestAMergeKeepsTheOptOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	yes := true
	kept, merged := b.create(t, "Ana", "04141234567"), b.create(t, "Ana M", "04149999999")
	_, err := b.Update(t.Context(), b.seller, merged.ID, customers.Person{Name: "Ana M", Phone: merged.Phone, OptedOut: &yes})
	require.NoError(t, err)
	c, err := b.Merge(t.Context(), b.admin, customers.Union{Kept: kept.ID, Merged: merged.ID})
	require.NoError(t, err)
	require.False(t, c.OptOutAt.IsZero())
	require.True(t, b.outAt(t, kept.Phone, b.point.ID))
}
