package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
	"banca/models"
)

// Several entities are suspended after a look at what it means; a second click changes nothing more.
func TestSeveralEntitiesAreSuspendedAfterAReview(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	super, agency, other := seed.ID("entity", seed.CodeSuperAgency).String(), seed.ID("entity", seed.CodeAgency).String(), seed.ID("entity", seed.CodeOtherAgency).String()
	at := orgPath + "/bulk?parent=" + super
	states := func() (one, two string) {
		const query = `SELECT (SELECT status FROM entities WHERE id = $1), (SELECT status FROM entities WHERE id = $2)`
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), query, agency, other).Scan(&one, &two))
		return one, two
	}
	assert.Contains(t, p.get(at).Body.String(), `name="entity" value="`+agency+`"`)
	status, body := p.submit(t, at, "", url.Values{"status": {"suspended"}, "action": {"review"}})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Contains(t, body, "Choose at least one entity.")
	chosen := url.Values{"status": {"suspended"}, "entity": {agency, other}}
	status, body = p.submit(t, at, "", with(chosen, url.Values{"action": {"review"}}))
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "2 entities are suspended.")
	assert.Contains(t, body, "stop selling.")
	one, two := states()
	assert.Equal(t, []string{"active", "active"}, []string{one, two}, "a review changes nothing")
	status, body = p.submit(t, at, "", with(chosen, url.Values{"action": {"edit"}}))
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `value="`+agency+`" checked`)
	for range 2 {
		status, body = p.submit(t, at, "", with(chosen, url.Values{"action": {"do"}}))
		require.Equal(t, http.StatusOK, status)
		assert.Contains(t, body, "This is how they are now")
		one, two = states()
		assert.Equal(t, []string{"suspended", "suspended"}, []string{one, two})
	}
	status, body = p.submit(t, at, "", url.Values{"status": {"active"}, "entity": {seed.ID("entity", seed.CodeTicketPoint).String()}, "action": {"do"}})
	assert.Equal(t, http.StatusUnprocessableEntity, status, "only what the page lists can be chosen: %s", body)
}

// The tree has the figures of each entity.
func TestTheTreeHasFigures(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	deposit := walletPath(seed.CodeTicketPoint, "VES") + "/deposit"
	p.send(t, deposit, deposit, http.StatusSeeOther, url.Values{"amount": {"5.432,10"}, "reference": {"D-1"}, "key": {uuid.NewString()}, "sure": {"1"}})
	body := p.get(orgPath).Body.String()
	assert.Contains(t, body, "5,432.10")
	assert.Contains(t, body, "Net sales today")
	assert.NotContains(t, p.get(orgPath+"?currency=USD").Body.String(), "5,432.10")
}
