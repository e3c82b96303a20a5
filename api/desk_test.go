package api

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

// withPoint adds a ticket point below the agency to a game with draws, and its wallet. It returns the query that names it.
func withPoint(t *testing.T) (b *bundle, seller string) {
	t.Helper()
	b = withGame(t)
	point := b.entity(t, &b.agency, models.EntityTicketPoint)
	b.exec(t, `INSERT INTO currencies (id, code, name, symbol, digits) VALUES (gen_random_uuid(), 'VES', 'Bolívar', 'Bs', 2), (gen_random_uuid(), 'USD', 'Dólar', '$', 2) ON CONFLICT DO NOTHING`)
	b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, kind, credit_limit) SELECT gen_random_uuid(), $1, id, 'main', 50000 FROM currencies WHERE code = 'VES' ON CONFLICT DO NOTHING`, point.ID)
	b.exec(t, `UPDATE wallets SET credit_limit = 50000 WHERE entity_id = $1`, point.ID)
	return b, "entityId=" + point.ID.String()
}

// ask sends a request of the ticket point's user with If-None-Match.
func (b *bundle) ask(t *testing.T, path, known string) *httptest.ResponseRecorder {
	t.Helper()
	s := scenario{path: path, role: models.RoleTaquilla, header: map[string]string{}}
	if known != "" {
		s.header["If-None-Match"] = known
	}
	return b.do(t, s.request())
}

func TestSalesCatalogue(t *testing.T) {
	t.Parallel()
	b, seller := withPoint(t)
	path := "/sales/catalogue?" + seller
	b.exec(t, `UPDATE draws SET sale_stop_explicit = true WHERE draw_number = '3'`)
	b.exec(t, `UPDATE entities SET config_info = config_info || '{"confirm_line_above": 500}' WHERE id = $1`, b.agency.ID)
	b.run(t, []scenario{
		{name: "all", path: path, role: models.RoleTaquilla, status: 200, has: []string{
			`"code":"TICKET_POINT"`, `"symbol":"Bs"`, `"kind":"element"`, `"elements":[{"code":"0","name":"Delfín"},{"code":"00","name":"Ballena"}]`,
			`{"type":"straight","payout":"30","element_payouts":{"00":"32.5"},"min_stake":"1.00","max_stake":"500.00"}`,
			`{"type":"tripleta","payout":"50","min_stake":null,"max_stake":null,"max_per_ticket":3,"draws":11}`,
			`"draw_number":"1"`, `"draw_number":"3"`, `"max_lines":200`, `"confirm_line_above":"500.00","confirm_ticket_above":null`, `"logo_url":null`,
		}, lacks: []string{`"draw_number":"0"`}},
		{name: "in dollars", path: path + "&currency=USD", role: models.RoleTaquilla, status: 200, has: []string{`"min_stake":null,"max_stake":"500.00"`}},
		{name: "no ticket point", path: "/sales/catalogue", role: models.RoleTaquilla, status: 403, code: "ENTITY_CANNOT_SELL"},
		{name: "of another branch", path: "/sales/catalogue?entityId=" + b.root.ID.String(), role: models.RoleTaquilla, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "unknown currency", path: path + "&currency=XXX", role: models.RoleTaquilla, status: 422, code: "CURRENCY_NOT_FOUND"},
		{name: "a partner sells nothing", path: path, role: models.RoleSocio, status: 403, code: "FORBIDDEN"},
		{name: "no id", path: "/sales/catalogue?entityId=hunter2", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED", lacks: []string{"hunter2"}},
		{name: "unknown parameter", path: path + "&page=1", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "long list of tags", path: path, role: models.RoleTaquilla, header: map[string]string{"If-None-Match": strings.Repeat("x", 1001)}, status: 422, code: "VALIDATION_FAILED"},
	})
}

// A text of a buyer becomes the lines that its forms mean; what is not understood is named in the caller's language.
func TestParseDraft(t *testing.T) {
	t.Parallel()
	b, seller := withPoint(t)
	path := "/sales/drafts/parse?" + seller
	var one string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT id::text FROM draws WHERE draw_number = '1'`).Scan(&one))
	body := func(text string) string { return `{"text":"` + text + `","draw_ids":["` + one + `"]}` }
	spanish := map[string]string{"Accept-Language": "es"}
	b.run(t, []scenario{
		{name: "lines", method: "POST", path: path, role: models.RoleTaquilla, body: body(`buenas\n20 a delfin y ballena`), status: 200, has: []string{
			`"bet_type":"straight","selection":"0","name":"Delfín","amount":"20.00"`, `"selection":"00"`, `"draw_id":"` + one + `"`, `"line":2`, `"problem":null`, `"lines":2`, `"total":"40.00"`,
		}},
		{name: "not understood", method: "POST", path: path, role: models.RoleTaquilla, header: spanish, body: body(`el de siempre`), status: 200, has: []string{
			`"items":[]`, `"code":"LIST_UNKNOWN_WORD"`, `no se entiende «siempre»`, `"lines":0`, `"total":"0.00"`,
		}},
		{name: "under the minimum", method: "POST", path: path, role: models.RoleTaquilla, body: body(`delfin 0,50`), status: 200, has: []string{`"code":"STAKE_TOO_LOW"`}},
		{name: "in dollars", method: "POST", path: path + "&currency=USD", role: models.RoleTaquilla, body: body(`delfin 20 bs`), status: 200, has: []string{`"code":"LIST_CURRENCY"`}},
		{name: "too long", method: "POST", path: path, role: models.RoleTaquilla, body: body(strings.Repeat("0", 8001)), status: 422, code: "VALIDATION_FAILED"},
		{name: "no text", method: "POST", path: path, role: models.RoleTaquilla, body: `{}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "of another branch", method: "POST", path: "/sales/drafts/parse?entityId=" + b.root.ID.String(), role: models.RoleTaquilla, body: body("05 20"), status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "a partner sells nothing", method: "POST", path: path, role: models.RoleSocio, body: body("05 20"), status: 403, code: "FORBIDDEN"},
	})
}

// The version names the content: it is the same for the same content, and another after any change of it.
func TestTheVersionOfTheSalesCatalogue(t *testing.T) {
	t.Parallel()
	b, seller := withPoint(t)
	path := "/sales/catalogue?" + seller
	b.exec(t, `UPDATE games SET betting_rules = jsonb_set(betting_rules::jsonb, '{bet_types,0,element_payouts}', '{"0":"31","00":"32.5"}')`)
	b.deps.Services.Catalog.Forget()
	first := b.ask(t, path, "")
	require.Equal(t, http.StatusOK, first.Code, first.Body)
	tag := first.Header().Get("ETag")
	require.Equal(t, "private, no-cache", first.Header().Get("Cache-Control"))
	require.Equal(t, `"`+decode[struct{ Version string }](t, first).Version+`"`, tag)
	for range 20 {
		require.Equal(t, first.Body.String(), b.ask(t, path, `"another"`).Body.String(), "equal content is equal bytes")
	}
	for _, known := range []string{tag, "W/" + tag, `"another", ` + tag, "*"} {
		w := b.ask(t, path, known)
		require.Equal(t, http.StatusNotModified, w.Code, known)
		require.Empty(t, w.Body.String())
		require.Equal(t, tag, w.Header().Get("ETag"))
	}
	packed := scenario{path: path, role: models.RoleTaquilla, header: map[string]string{"Accept-Encoding": "br, gzip"}}
	w := b.do(t, packed.request())
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	require.Equal(t, "W/"+tag, w.Header().Get("ETag"))
	require.Contains(t, w.Header().Values("Vary"), "Accept-Encoding")
	unpacked, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	body, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.Equal(t, first.Body.String(), string(body))
	require.Equal(t, http.StatusNotFound, b.ask(t, "/sales/catalogue?entityId="+uuid.NewString(), "*").Code, "a tag opens nothing")

	seen := []string{tag}
	for _, change := range []string{
		`UPDATE games SET name = 'Otro'`,
		`UPDATE games SET betting_rules = replace(betting_rules::text, '"500"', '"400"')::jsonb`,
		`UPDATE game_elements SET status = 'retired' WHERE code = '0'`,
		`UPDATE draws SET sale_stop_at = sale_stop_at + interval '1 minute', sale_stop_explicit = true WHERE draw_number = '3'`,
		`UPDATE draws SET status = 'closed' WHERE draw_number = '2'`,
		`UPDATE entities SET config_info = '{"cancel_seconds": 77}'`,
		`INSERT INTO exchange_rates (base_id, quote_id, day, rate, source, updated_at) SELECT u.id, v.id, '2026-01-02', 24566480000, 'fetched', now() FROM currencies u, currencies v WHERE u.code = 'USD' AND v.code = 'VES'`,
		`UPDATE games SET status = 'suspended'`,
	} {
		b.exec(t, change)
		b.deps.Services.Catalog.Forget()
		b.deps.Services.Org.Forget()
		w := b.ask(t, path, tag)
		require.Equal(t, http.StatusOK, w.Code, change)
		require.NotContains(t, seen, w.Header().Get("ETag"), change)
		seen = append(seen, w.Header().Get("ETag"))
		tag = w.Header().Get("ETag")
	}
	require.Contains(t, b.ask(t, path, "").Body.String(), `"games":[],"draws":[]`)
}

func TestSalesQuota(t *testing.T) {
	t.Parallel()
	b, seller := withPoint(t)
	path := "/sales/quota?" + seller
	b.run(t, []scenario{
		{name: "limited", path: path, role: models.RoleTaquilla, status: 200, has: []string{
			`"available":"500.00","balance":"0.00","credit_limit":"500.00","sold_today":{"amount":"0.00","tickets":0`, `"code":"TICKET_POINT"`, `"digits":2`,
		}},
		{name: "no ticket point", path: "/sales/quota", role: models.RoleAdmin, status: 403, code: "ENTITY_CANNOT_SELL"},
		{name: "of another branch", path: "/sales/quota?entityId=" + b.root.ID.String(), role: models.RoleTaquilla, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "unknown currency", path: path + "&currency=XXX", role: models.RoleTaquilla, status: 422, code: "CURRENCY_NOT_FOUND"},
		{name: "a partner sells nothing", path: path, role: models.RoleSocio, status: 403, code: "FORBIDDEN"},
	})
	b.exec(t, `UPDATE wallets SET unlimited = true`)
	b.exec(t, `INSERT INTO user_permissions (user_id, permission, granted) SELECT id, 'reports:read', false FROM users WHERE role = 'TAQUILLA'`)
	b.deps.Services.Auth.Forget()
	b.run(t, []scenario{{name: "not limited, without reports", path: path, role: models.RoleTaquilla, status: 200, has: []string{`"available":null`, `"sold_today":null`}}})
}

// What is left on several draws is answered by one request.
func TestAvailableOnSeveralDraws(t *testing.T) {
	t.Parallel()
	b, seller := withPoint(t)
	var draws []string
	rows, err := b.env.PG.Pool.Query(t.Context(), `SELECT id::text FROM draws ORDER BY draw_time`)
	require.NoError(t, err)
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		draws = append(draws, id)
	}
	require.NoError(t, rows.Err())
	path := func(more string, ids ...string) string {
		return "/risk/available?" + seller + more + "&draw_id=" + strings.Join(ids, ",")
	}
	many := slices.Repeat(draws, 13) // 52
	b.run(t, []scenario{
		{name: "one", path: path("", draws[1]), role: models.RoleTaquilla, status: 200, has: []string{`"total":2`, `"draw_id":"` + draws[1] + `"`}},
		{name: "two, escaped", path: strings.ReplaceAll(path("", draws[1], draws[3]), ",", "%2C"), role: models.RoleTaquilla, status: 200, has: []string{`"total":4`, draws[1], draws[3]}},
		{name: "one that is closed", path: path("", draws[0], draws[1]), role: models.RoleTaquilla, status: 200, has: []string{`"available":"0.00"`, `"available":null`}},
		{name: "the same again", path: path("", many[:50]...), role: models.RoleTaquilla, status: 200, has: []string{`"total":8`}},
		{name: "selections", path: path("&selection=00", draws[1], draws[2]), role: models.RoleTaquilla, status: 200, has: []string{`"total":2`}, lacks: []string{`"selection":"0"`}},
		{name: "not offered", path: path("&bet_type=triple", draws[1], draws[2]), role: models.RoleTaquilla, status: 200, has: []string{`"data":[]`}},
		{name: "not offered by one", path: path("&bet_type=triple&selection=123", draws[1]), role: models.RoleTaquilla, status: 422, code: "INVALID_TICKET"},
		{name: "51", path: path("", many[:51]...), role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.draw_id"`}},
		{name: "garbage", path: path("", draws[1], "hunter2"), role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.draw_id[1]"`}, lacks: []string{"hunter2"}},
		{name: "an empty one", path: path("", draws[1], ""), role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "none", path: path(""), role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "left out", path: "/risk/available?" + seller, role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "unknown", path: path("", draws[1], uuid.NewString()), role: models.RoleTaquilla, status: 404, code: "DRAW_NOT_FOUND"},
		{name: "of another branch", path: "/risk/available?entityId=" + b.root.ID.String() + "&draw_id=" + draws[1] + "," + draws[2], role: models.RoleTaquilla, status: 404, code: "ENTITY_NOT_FOUND"},
	})
	var page struct {
		Data []struct {
			DrawID    string `json:"draw_id"`
			Selection string
		}
	}
	require.NoError(t, json.Unmarshal(b.ask(t, path("", draws[2], draws[1]), "").Body.Bytes(), &page))
	var order []string
	for _, v := range page.Data {
		order = append(order, v.DrawID+" "+v.Selection)
	}
	assert.Equal(t, []string{draws[2] + " 0", draws[2] + " 00", draws[1] + " 0", draws[1] + " 00"}, order, fmt.Sprint(page))
}
