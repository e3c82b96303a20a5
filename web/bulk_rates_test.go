package web

import (
	"maps"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
	"banca/models"
)

// ratesPanel is the form of rates of the agencies below the super-agency: AGE-001 with 15 %, whose group has 13 %, and AGE-002 with 14 %, whose group has 12 %.
type ratesPanel struct {
	*bankPanel

	at            string
	agency, other string // ids
}

func setupRates(t *testing.T) *ratesPanel {
	t.Helper()
	return &ratesPanel{
		bankPanel: setupOrg(t, models.RoleAdmin), at: orgPath + "/bulk-rates?parent=" + seed.ID("entity", seed.CodeSuperAgency).String(),
		agency: seed.ID("entity", seed.CodeAgency).String(), other: seed.ID("entity", seed.CodeOtherAgency).String(),
	}
}

// step sends the form for both agencies, and returns the page.
func (p *ratesPanel) step(t *testing.T, step string, status int, fields url.Values) string {
	t.Helper()
	form := url.Values{"kind": {"commission"}, "entity": {p.agency, p.other}, "action": {step}}
	maps.Copy(form, fields)
	got, body := p.submit(t, p.at, "", form)
	require.Equal(t, status, got, body)
	return body
}

// rates are the stored general rates of both agencies, and how many changes the activity log has of each.
func (p *ratesPanel) rates(t *testing.T) (rates [2]string, entries [2]int) {
	t.Helper()
	for i, id := range []string{p.agency, p.other} {
		const query = `SELECT coalesce(finance_info -> 'commissions' -> 0 ->> 'percent', ''),
			(SELECT count(*) FROM activity_logs WHERE module = 'entities' AND action = 'update' AND target = $1::text) FROM entities WHERE id = $1::uuid`
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), query, id).Scan(&rates[i], &entries[i]))
	}
	return rates, entries
}

// The rates of several entities are changed after a look at what it does to each. One that cannot be changed stops no other, and a second click changes
// nothing more.
func TestRatesOfSeveralEntitiesAreSetAfterAReview(t *testing.T) {
	t.Parallel()
	p := setupRates(t)
	assert.Contains(t, p.get(p.at).Body.String(), `name="entity" value="`+p.agency+`"`)
	body := p.step(t, "review", http.StatusUnprocessableEntity, url.Values{"entity": nil, "percent": {"12"}})
	assert.Contains(t, body, "Choose at least one entity.")
	body = p.step(t, "review", http.StatusUnprocessableEntity, url.Values{"percent": {"much"}})
	assert.Contains(t, body, `name="percent" value="much"`)
	assert.Contains(t, body, `aria-invalid="true"`)

	body = p.step(t, "review", http.StatusOK, url.Values{"percent": {"19"}})
	assert.Contains(t, body, "2 cannot be changed.")
	assert.Contains(t, body, "Its parent grants 18.00 % at most.")
	assert.NotContains(t, body, `value="do"`)

	body = p.step(t, "review", http.StatusOK, url.Values{"percent": {"12,5"}})
	assert.Contains(t, body, "Commission (Any, Any): 12.50 %. 1 entity changes. 1 cannot be changed.")
	assert.Contains(t, body, "GRU-001, which is below it, has 13.00 %. Lower that first.")
	assert.Contains(t, body, "14.00 %")
	assert.Contains(t, body, `name="seen-`+p.other+`" value="14.00"`)
	rates, entries := p.rates(t)
	assert.Equal(t, [2]string{"15", "14"}, rates, "a review changes nothing")
	assert.Equal(t, [2]int{}, entries)
	body = p.step(t, "edit", http.StatusOK, url.Values{"percent": {"12,5"}})
	assert.Contains(t, body, `value="`+p.agency+`" checked`)
	assert.Contains(t, body, `name="percent" value="12,5"`)

	seen := url.Values{"percent": {"12,5"}, "seen-" + p.agency: {"15.00"}, "seen-" + p.other: {"14.00"}}
	for range 2 {
		body = p.step(t, "do", http.StatusOK, seen)
		assert.Contains(t, body, "This is how they are now")
		rates, entries = p.rates(t)
		assert.Equal(t, [2]string{"15", "12.50"}, rates)
		assert.Equal(t, [2]int{0, 1}, entries, "the activity log names each changed entity once")
	}
	assert.Contains(t, body, "Has it already")
	body = p.step(t, "do", http.StatusOK, url.Values{"percent": {"14"}, "seen-" + p.agency: {"15.00"}, "seen-" + p.other: {"14.00"}})
	assert.Contains(t, body, "Somebody else changed it after the review. Review it again.")
	rates, _ = p.rates(t)
	assert.Equal(t, [2]string{"14.00", "12.50"}, rates)

	body = p.step(t, "review", http.StatusOK, url.Values{"percent": {""}})
	assert.Contains(t, body, "inherits from Superagencia Oriente")
	p.step(t, "do", http.StatusOK, url.Values{"percent": {""}})
	rates, _ = p.rates(t)
	assert.Equal(t, [2]string{"", ""}, rates)
	status, _ := p.submit(t, p.at, "", url.Values{"kind": {"commission"}, "percent": {"1"}, "entity": {seed.ID("entity", seed.CodeTicketPoint).String()}, "action": {"do"}})
	assert.Equal(t, http.StatusUnprocessableEntity, status, "only what the page lists can be chosen")
}

// A participation is set like a commission, with what happens to losses.
func TestParticipationsOfSeveralEntities(t *testing.T) {
	t.Parallel()
	p := setupRates(t)
	share := url.Values{"kind": {"participation"}, "percent": {"10"}, "mode": {"SHARED"}}
	assert.Contains(t, p.step(t, "review", http.StatusOK, share), "Its parent grants 0.00 % at most.")
	status, _ := p.submit(t, entityPath(seed.CodeSuperAgency), "/finance", url.Values{"category": {""}, "bet_type": {""}, "percent": {"18"}, "share": {"30"}, "action": {"save"}})
	require.Equal(t, http.StatusSeeOther, status)
	body := p.step(t, "review", http.StatusOK, share)
	assert.Contains(t, body, "30.00 % · Carried forward")
	assert.Contains(t, body, "10.00 % · Shared")
	p.step(t, "do", http.StatusOK, share)
	var set int
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM entities WHERE finance_info -> 'participation' ->> 'mode' = 'SHARED'`).Scan(&set))
	assert.Equal(t, 2, set)
}

// Setting rates needs the permission of the single change, and a recent password; a review needs none.
func TestSettingRatesAsksForThePassword(t *testing.T) {
	t.Parallel()
	p := setupRates(t)
	p.forgetConfirmation(t)
	p.step(t, "review", http.StatusOK, url.Values{"percent": {"14"}})
	assert.Contains(t, p.step(t, "do", http.StatusForbidden, url.Values{"percent": {"14"}}), `name="confirm_password"`)
	rates, _ := p.rates(t)
	assert.Equal(t, [2]string{"15", "14"}, rates)
	reader := setupOrg(t, models.RoleSocio)
	assert.Equal(t, http.StatusForbidden, reader.get(p.at).Code)
}
