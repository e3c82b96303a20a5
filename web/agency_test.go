package web

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/seed"
	chromium "banca/internal/testkit/browser"
	"banca/models"
)

const agencyForm = orgPath + "/agency"

func fortuna() url.Values {
	return url.Values{
		"parent": {seed.CodeSuperAgency}, "agency": {"La Fortuna Ñandú"}, "agency_rate": {"10"}, "point": {"Fortuna Centro"}, "point_code": {"FC-1"}, "point_rate": {"8,5"},
		"currency": {"VES"}, "credit": {"1.234,56"}, "user": {"Luz Marina"}, "identifier": {"luzmarina"}, "password": {"a long secret"},
		"device": {"Caja"}, "fingerprint": {"huella-de-la-caja-1"},
	}
}

// madeOf counts what the form of an agency makes.
func (p *bankPanel) madeOf(t *testing.T) (entities, users, devices, credits int) {
	t.Helper()
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM entities WHERE code IN ('LA-FORTUNA-NANDU', 'FC-1')),
		(SELECT count(*) FROM users WHERE identifier = 'luzmarina'), (SELECT count(*) FROM devices WHERE name = 'Caja'), (SELECT count(*) FROM credit_limit_changes)`).
		Scan(&entities, &users, &devices, &credits))
	return entities, users, devices, credits
}

// An agency is made with all it needs in one form. A second click makes nothing twice.
func TestAnAgencyIsMadeByTheWizard(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	token := p.token(t, agencyForm)
	var sent sync.WaitGroup
	codes := make([]int, 2)
	for i := range codes {
		sent.Go(func() {
			form := fortuna()
			form.Set(tokenField, token)
			codes[i] = p.do(http.MethodPost, agencyForm, form).Code
		})
	}
	sent.Wait()
	assert.Equal(t, []int{http.StatusOK, http.StatusOK}, codes)
	entities, users, devices, credits := p.madeOf(t)
	assert.Equal(t, []int{2, 1, 1, 1}, []int{entities, users, devices, credits})
	var credit int64
	var rates, role string
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT w.credit_limit, e.finance_info->'commissions'->0->>'percent', u.role FROM entities e
		JOIN wallets w ON w.entity_id = e.id JOIN users u ON u.entity_id = e.id WHERE e.code = 'FC-1'`).Scan(&credit, &rates, &role))
	assert.Equal(t, int64(123456), credit)
	assert.Equal(t, "8.50", rates)
	assert.Equal(t, models.RoleTaquilla, role)
}

// A step that is refused says so at its field; what was made stays, and the form goes on from there.
func TestTheWizardGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	form := fortuna()
	form.Set("identifier", "x y")
	status, body := p.submit(t, agencyForm, "", form)
	require.Equal(t, http.StatusUnprocessableEntity, status, body)
	assert.Contains(t, body, "What was created so far")
	assert.Contains(t, body, `href="#identifier"`)
	assert.Contains(t, body, `value="La Fortuna Ñandú"`, "what was typed stays")
	assert.NotContains(t, body, "a long secret")
	entities, users, devices, credits := p.madeOf(t)
	assert.Equal(t, []int{2, 0, 0, 1}, []int{entities, users, devices, credits})
	status, body = p.submit(t, agencyForm, "", fortuna())
	require.Equal(t, http.StatusOK, status, body)
	assert.Equal(t, 2, strings.Count(body, "already there"))
	entities, users, devices, credits = p.madeOf(t)
	assert.Equal(t, []int{2, 1, 1, 1}, []int{entities, users, devices, credits})
}

// What is wrong is said before anything is made.
func TestWrongValuesInTheWizard(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	for field, typed := range map[string]string{
		"parent": "Nadie", "agency": "", "agency_rate": "diez", "point_rate": "101", "point_code": "LA-FORTUNA-NANDU", "password": "", "device": "", "user": "",
	} {
		form := fortuna()
		form.Set(field, typed)
		status, body := p.submit(t, agencyForm, "", form)
		assert.Equal(t, http.StatusUnprocessableEntity, status, field)
		marked := field
		if field == "device" {
			marked = "fingerprint"
		}
		assert.Contains(t, body, `href="#`+marked+`"`, field)
		entities, _, _, _ := p.madeOf(t)
		require.Zero(t, entities, field)
	}
	form := fortuna()
	form.Set("agency_code", seed.CodeAgency)
	status, body := p.submit(t, agencyForm, "", form)
	assert.Equal(t, http.StatusConflict, status)
	assert.Contains(t, body, `href="#agency_code"`, "the code of another entity is not taken for an earlier try")
	form = fortuna()
	form.Set("agency_rate", "99")
	status, body = p.submit(t, agencyForm, "", form)
	assert.Equal(t, http.StatusUnprocessableEntity, status, body)
	assert.Contains(t, body, `href="#agency_rate"`)
}

func TestTheWizardInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupOrg(t, models.RoleAdmin)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + orgPath)
	tab.Follow(`.head .actions a.button`)
	for field, text := range map[string]string{
		"parent": seed.CodeSuperAgency, "agency": "La Fortuna", "point": "Fortuna Centro", "user": "Luz Marina", "identifier": "luz-" + uuid.NewString()[:8], "password": "a long secret",
	} {
		tab.Fill("#"+field, text)
	}
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	tab.Follow(`main form .row button`)
	assert.Contains(t, tab.Text("main"), "La agencia está lista para vender")
}
