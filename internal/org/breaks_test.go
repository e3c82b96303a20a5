package org_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/models"
)

// An entity whose creation breaks at any statement, the commit included, does not exist and leaves no entry in the
// activity log. The answer to a creation needs no further statement, and equals a later read.
func TestABrokenCreationHasNoEffect(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	breaker := tr.env.Breaker(t)
	broken := org.New(breaker.PG.Gorm, org.Options{Documents: tr.env.Private})
	count := func(sql string) (n int) {
		require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	logged := count(`SELECT count(*) FROM activity_logs`)
	var made *org.Entity
	breaks := breaker.Each(t, func() (err error) {
		made, err = broken.Create(t.Context(), tr.scope(), &org.NewEntity{
			ParentID: tr.ids[0], Type: models.EntityAgency, Name: " Agencia ", Code: "AGE",
			Groups: groups(t, `{"legal_info": {"tax_id": "J-1"}, "config_info": {"cancels_per_day": 3}, "contact_info": {"phone": "0414-1234567"}}`),
		})
		return err
	}, func(error) {
		require.Zero(t, count(`SELECT count(*) FROM entities WHERE code = 'AGE'`), "a creation that was done is not answered with an error")
		require.Equal(t, logged, count(`SELECT count(*) FROM activity_logs`))
	})
	require.GreaterOrEqual(t, breaks, 4)
	stored, err := tr.Entity(t.Context(), tr.scope(), made.ID)
	require.NoError(t, err)
	require.Equal(t, stored, made)
	require.Equal(t, logged+1, count(`SELECT count(*) FROM activity_logs`))
}
