package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

// The bundle's users are of an agency: the root and a second agency are foreign to them.
func TestEntities(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := models.Entity{}
	b.exec(t, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, status) SELECT $1::uuid, 'AGENCY', 'Other', 'OTHER', id, path || $1::text || '/', 'active' FROM entities WHERE parent_id IS NULL`,
		"01900000-0000-7000-8000-0000000000e1")
	require.NoError(t, b.env.PG.Gorm.Where("code = 'OTHER'").Take(&other).Error)
	b.exec(t, `UPDATE entities SET finance_info = '{"commissions": [{"percent": "15"}]}' WHERE id = $1`, b.agency.ID)
	foreign, agency := "/entities/"+other.ID.String(), "/entities/"+b.agency.ID.String()
	newEntity := func(kind, code, parent, more string) string {
		return `{"entity_type":"` + kind + `","name":"N","code":"` + code + `","parent_id":"` + parent + `"` + more + `}`
	}
	s := scenario{path: "/entities", role: models.RoleAdmin, body: newEntity("GROUP", "GRU", b.agency.ID.String(), `,"finance_info":{"commissions":[{"percent":"12"}]},"legal_info":{"tax_id":"J-1"}`)}
	w := b.do(t, s.request())
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	group := decode[entity](t, w)
	at := "/entities/" + group.ID.String()
	assert.Equal(t, at, w.Header().Get("Location"))
	s = scenario{path: "/entities", role: models.RoleAdmin, body: newEntity("TICKET_POINT", "TAQ", group.ID.String(), `,"status":"active"`)}
	point := decode[entity](t, b.do(t, s.request()))
	const patch, put, del = http.MethodPatch, http.MethodPut, http.MethodDelete
	b.run(t, []scenario{
		{name: "read", path: at, role: models.RoleSocio, status: 200, has: []string{`"code":"GRU"`, `"status":"register"`, `"tax_id":"J-1"`, `"commissions":[{"percent":"12"}]`, `"location_info":{}`, `"default_device_id":null`}, lacks: []string{"what_if"}},
		{name: "list", path: "/entities?entity_type=GROUP&status=register&q=gr&parent_id=" + b.agency.ID.String(), role: models.RoleTaquilla, status: 200, has: []string{`"code":"GRU"`, `"total":1`}},
		{name: "own subtree only", path: "/entities", role: models.RoleAdmin, status: 200, has: []string{`"total":3`}, lacks: []string{"OTHER", `"OPERATOR"`}},
		{name: "tree", path: "/entities/tree", role: models.RoleTaquilla, status: 200, has: []string{`"children":[{"id":"` + group.ID.String(), `"code":"TAQ","status":"active","children":[]`}, lacks: []string{"OTHER"}},
		{name: "effective", path: "/entities/" + point.ID.String() + "/effective-config", role: models.RoleSocio, status: 200, has: []string{
			`"can_sell":false`, `"percent":"12.00","from":{"id":"` + group.ID.String(), `"tax_id":{"value":"J-1","from":{"id":"` + group.ID.String(), `"cancels_per_day":{"value":20,"from":null}`,
		}},
		{name: "foreign", path: foreign, role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "foreign config", path: foreign + "/effective-config", role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "foreign patch", method: patch, path: foreign, role: models.RoleAdmin, body: `{"name":"x"}`, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "foreign status", method: put, path: foreign + "/status", role: models.RoleAdmin, body: `{"status":"inactive"}`, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "foreign delete", method: del, path: foreign, role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "foreign parent", path: "/entities", role: models.RoleAdmin, body: newEntity("GROUP", "X", other.ID.String(), ""), status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "move abroad", path: at + "/move", role: models.RoleAdmin, body: `{"parent_id":"` + other.ID.String() + `"}`, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "the root, seen from below", method: del, path: "/entities/" + b.root.ID.String(), role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "code taken", path: "/entities", role: models.RoleAdmin, body: newEntity("GROUP", "gru", b.agency.ID.String(), ""), status: 409, code: "ENTITY_CODE_TAKEN"},
		{name: "type order", path: "/entities", role: models.RoleAdmin, body: newEntity("AGENCY", "X", b.agency.ID.String(), ""), status: 422, code: "ENTITY_TYPE_ORDER"},
		{name: "a second root", path: "/entities", role: models.RoleAdmin, body: newEntity("OPERATOR", "X", b.agency.ID.String(), ""), status: 422, code: "VALIDATION_FAILED"},
		{name: "rate above the parent's", path: "/entities", role: models.RoleAdmin, body: newEntity("GROUP", "X", b.agency.ID.String(), `,"finance_info":{"commissions":[{"percent":"15.01"}]}`),
			status: 422, code: "RATES_EXCEED_PARENT", has: []string{`"finance_info.commissions"`, "15.01", "15.00"}},
		{name: "unknown key", method: patch, path: at, role: models.RoleAdmin, body: `{"print_info":{"titel":"hunter2"}}`, status: 422, code: "INVALID_ENTITY", has: []string{`"print_info.titel"`}, lacks: []string{"hunter2"}},
		{name: "unknown field", method: patch, path: at, role: models.RoleAdmin, body: `{"parent_id":"` + b.root.ID.String() + `"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "no object", method: patch, path: at, role: models.RoleAdmin, body: `{"print_info":"x"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "own rates", method: patch, path: agency, role: models.RoleAdmin, body: `{"finance_info":{"commissions":[{"percent":"99"}]}}`, status: 403, code: "OWN_ENTITY"},
		{name: "own status", method: put, path: agency + "/status", role: models.RoleAdmin, body: `{"status":"inactive"}`, status: 403, code: "OWN_ENTITY"},
		{name: "dry run", method: patch, path: at + "?dry_run=true", role: models.RoleAdmin, body: `{"finance_info":{"commissions":[{"percent":"16"}]}}`, status: 200,
			has: []string{`"violations":[{"entityId":"` + group.ID.String(), `"percent":"16.00","allowed":"15.00"`, `"code":"TAQ","kind":"commission","category":"","bet_type":"","before":"12.00","after":"15.00"`}},
		{name: "refused in earnest", method: patch, path: at, role: models.RoleAdmin, body: `{"finance_info":{"commissions":[{"percent":"16"}]}}`, status: 422, code: "RATES_EXCEED_PARENT"},
		{name: "nothing happened", path: at, role: models.RoleAdmin, status: 200, has: []string{`"percent":"12"`}},
		{name: "patch", method: patch, path: at, role: models.RoleAdmin, body: `{"name":"Catia","legal_info":{"tax_id":null}}`, status: 200, has: []string{`"name":"Catia"`, `"legal_info":{}`}},
		{name: "a device that is not its own", method: patch, path: at, role: models.RoleAdmin, body: `{"default_device_id":"` + lotto + `"}`, status: 422, code: "INVALID_ENTITY", has: []string{`"default_device_id"`}},
		{name: "patch with null", method: patch, path: at, role: models.RoleAdmin, body: `{"default_device_id":null}`, status: 200, has: []string{`"default_device_id":null`}},
		{name: "no UUID", method: patch, path: at, role: models.RoleAdmin, body: `{"default_device_id":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", lacks: []string{"hunter2"}},
		{name: "below itself", path: at + "/move", role: models.RoleAdmin, body: `{"parent_id":"` + point.ID.String() + `"}`, status: 409, code: "ENTITY_CYCLE"},
		{name: "status", method: put, path: at + "/status", role: models.RoleAdmin, body: `{"status":"suspended"}`, status: 409, code: "ENTITY_STATUS_MOVE"},
		{name: "active", method: put, path: at + "/status", role: models.RoleAdmin, body: `{"status":"active"}`, status: 200, has: []string{`"status":"active"`}},
		{name: "sells now", path: "/entities/" + point.ID.String() + "/effective-config", role: models.RoleSocio, status: 200, has: []string{`"can_sell":true`}},
		{name: "move, dry run", path: "/entities/" + point.ID.String() + "/move?dry_run=true", role: models.RoleAdmin, body: `{"parent_id":"` + b.agency.ID.String() + `"}`, status: 200,
			has: []string{`"parent_id":"` + b.agency.ID.String(), `"before":"12.00","after":"15.00"`, `"violations":[]`}},
		{name: "has children", method: del, path: at, role: models.RoleAdmin, status: 409, code: "ENTITY_HAS_CHILDREN"},
		{name: "move", path: "/entities/" + point.ID.String() + "/move", role: models.RoleAdmin, body: `{"parent_id":"` + b.agency.ID.String() + `"}`, status: 200, has: []string{`"path":"` + b.agency.Path + point.ID.String()}, lacks: []string{"what_if"}},
		{name: "delete", method: del, path: at, role: models.RoleAdmin, status: 200, has: []string{`"deleted":true`}},
		{name: "gone", path: at, role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
	})
	b.exec(t, `UPDATE user_sessions SET confirmed_at = NULL`)
	at = "/entities/" + point.ID.String()
	b.run(t, []scenario{
		{name: "made with rates without a confirmation", path: "/entities", role: models.RoleAdmin, body: newEntity("GROUP", "RATED", b.agency.ID.String(), `,"finance_info":{"commissions":[{"percent":"1"}]}`),
			status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "rates without a confirmation", method: patch, path: at, role: models.RoleAdmin, body: `{"finance_info":{}}`, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "what they would do", method: patch, path: at + "?dry_run=true", role: models.RoleAdmin, body: `{"finance_info":{}}`, status: 200},
		{name: "other settings", method: patch, path: at, role: models.RoleAdmin, body: `{"print_info":{"title":"T"}}`, status: 200},
		{name: "status", method: put, path: at + "/status", role: models.RoleAdmin, body: `{"status":"inactive"}`, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "move", path: at + "/move", role: models.RoleAdmin, body: `{"parent_id":"` + b.agency.ID.String() + `"}`, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "delete", method: del, path: at, role: models.RoleAdmin, status: 403, code: "CONFIRMATION_REQUIRED"},
		{name: "a document", method: del, path: at + "/documents/" + lotto, role: models.RoleAdmin, status: 403, code: "CONFIRMATION_REQUIRED"},
	})
	assert.NotContains(t, b.log.String(), "request failed")
}
