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

// setupOrg is the seeded panel with a user of a role in it, in English.
func setupOrg(t *testing.T, role string) *bankPanel {
	t.Helper()
	p := setupBank(t)
	p.header["Accept-Language"] = "en"
	require.Equal(t, http.StatusSeeOther, p.login(t, role, "").Code)
	return p
}

func entityPath(code string) string { return orgPath + "/" + seed.ID("entity", code).String() }

// submit sends a form of a page.
func (p *bankPanel) submit(t *testing.T, page, action string, fields url.Values) (status int, body string) {
	t.Helper()
	fields.Set(tokenField, p.token(t, page))
	w := p.do(http.MethodPost, page+action, fields)
	return w.Code, w.Body.String()
}

func TestReadersOfTheOrganisationCannotChangeIt(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleSocio)
	page := p.get(entityPath(seed.CodeTicketPoint)).Body.String()
	assert.Contains(t, page, "Taquilla Doña Peña")
	for _, absent := range []string{`action="` + entityPath(seed.CodeTicketPoint) + `/status"`, `type="file"`, "/move", "org.documents", `>Save<`} {
		assert.NotContains(t, page, absent)
	}
	for _, action := range []string{"/facts", "/finance", "/status", "/move", "/delete", "/settings/print_info"} {
		status, _ := p.submit(t, orgPath+"/"+seed.ID("entity", seed.CodeTicketPoint).String(), action, url.Values{"name": {"x"}, "status": {"inactive"}, "title": {"x"}})
		assert.Equal(t, http.StatusForbidden, status, action)
	}
	assert.Equal(t, http.StatusForbidden, p.get(orgPath+"/new").Code)
	assert.Equal(t, http.StatusForbidden, p.get(entityPath(seed.CodeTicketPoint)+"/documents/"+uuid.NewString()).Code)
	var changed int
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module = 'entities'`).Scan(&changed))
	assert.Zero(t, changed)
}

func TestFormsOfAnEntity(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	at := entityPath(seed.CodeTicketPoint)
	for name, tt := range map[string]struct {
		page, action string
		fields       url.Values
		status       int
		has          string
	}{
		"a name":              {at, "/facts", url.Values{"name": {" Nueva "}, "code": {"TAQ-001"}}, 303, ""},
		"a taken code":        {at, "/facts", url.Values{"name": {"N"}, "code": {"taq-002"}}, 409, `id="code" name="code" value="taq-002" maxlength="32" spellcheck="false" required aria-describedby="h-code h-code-rule" aria-invalid="true"><p class="hint wrong" id="h-code">Another entity has this code`},
		"no name":             {at, "/facts", url.Values{"name": {"<b>"}, "code": {"a b"}}, 422, "Nothing was changed. Correct the marked fields."},
		"lines":               {at, "/settings/print_info", url.Values{"header": {"uno\r\n\r\ndos\r\n"}, "title": {"<i>"}}, 303, ""},
		"too many lines":      {at, "/settings/print_info", url.Values{"header": {"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11"}}, 422, "10 lines at most"},
		"no number":           {at, "/settings/config_info", url.Values{"cancels_per_day": {"many"}}, 422, "A whole number"},
		"no such group":       {at, "/settings/finance_info", url.Values{"commissions": {"x"}}, 404, ""},
		"no such entity":      {orgPath + "/new", "/../" + uuid.NewString() + "/facts", url.Values{"name": {"x"}}, 404, ""},
		"bytes":               {at, "/facts", url.Values{"name": {"a\x00b"}, "code": {"X"}}, 400, ""},
		"a rate, tried":       {at, "/finance", url.Values{"category": {"", ""}, "bet_type": {"", ""}, "percent": {"9,50", ""}, "action": {"try"}}, 200, "Rates that change"},
		"too high a rate":     {at, "/finance", url.Values{"category": {""}, "bet_type": {""}, "percent": {"13.01"}, "action": {"save"}}, 422, "at most 13.00 %"},
		"too high a share":    {at, "/finance", url.Values{"share": {"1"}, "action": {"save"}}, 422, "at most 0.00 %"},
		"no percentage":       {at, "/finance", url.Values{"category": {"", "X"}, "bet_type": {"", ""}, "percent": {"1", "y"}, "action": {"save"}}, 422, `id="h-percent-1"`},
		"half an account":     {at, "/finance", url.Values{"bank": {"0134"}, "action": {"save"}}, 422, `id="h-phone"`},
		"top-ups upside down": {at, "/finance", url.Values{"min": {"5"}, "max": {"4"}, "action": {"save"}}, 422, `id="h-max"`},
		"a status":            {at, "/status", url.Values{"status": {"register"}}, 409, "cannot go from its status"},
		"a wallet":            {at, "/delete", url.Values{}, 409, "suspend it instead"},
		"a missing file":      {at, "/documents", url.Values{}, 400, ""},
	} {
		status, body := p.submit(t, tt.page, tt.action, tt.fields)
		assert.Equal(t, tt.status, status, name)
		assert.Contains(t, body, tt.has, name)
		assert.NotContains(t, body, "<i>", name)
	}
	page := p.get(at).Body.String()
	assert.Contains(t, page, "Nueva")
	assert.Contains(t, page, "uno\n\ndos</textarea>")
	assert.Contains(t, page, "&lt;i&gt;")
	status, body := p.submit(t, orgPath+"/new", "", url.Values{"parent": {"NONE"}, "type": {"GROUP"}, "name": {"n"}, "code": {"C"}})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Contains(t, body, `id="parent" name="parent" value="NONE" maxlength="160" spellcheck="false" required placeholder="Name or code" list="l-parent"`)
	root := orgPath + "/" + rootOf(t, p)
	status, _ = p.submit(t, root, "/finance", url.Values{"min": {"1"}, "max": {"2"}, "action": {"save"}})
	assert.Equal(t, http.StatusSeeOther, status, "the root has accounts and no rates")
	assert.NotContains(t, p.get(root).Body.String(), `/delete"`)
}

func rootOf(t *testing.T, p *bankPanel) string {
	t.Helper()
	var id uuid.UUID
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT id FROM entities WHERE parent_id IS NULL`).Scan(&id))
	return id.String()
}
