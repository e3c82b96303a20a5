package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

// withOperator is withGame with the administrator at the root, whose password was given.
func withOperator(t *testing.T) *bundle {
	t.Helper()
	b := withGame(t)
	b.exec(t, `UPDATE users SET entity_id = $1 WHERE role = 'ADMIN'`, b.root.ID)
	b.exec(t, `UPDATE games SET betting_rules = '{"bet_types":[{"type":"straight","payout":"2"}]}', schedule_config = '{"times":["08:00"]}'`)
	b.tokens[models.RoleAdmin] = b.relogin(t)
	return b
}

// relogin gives the administrator, who was moved, a session with the new scope.
func (b *bundle) relogin(t *testing.T) string {
	t.Helper()
	w := b.do(t, (&scenario{path: "/auth/login", body: `{"email":"admin@banca.test","password":"` + password + `"}`}).request())
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	return decode[struct {
		AccessToken string `json:"access_token"`
	}](t, w).AccessToken
}

// multi writes a form of fields, and of files, whose names begin with @.
func multi(t testing.TB, fields ...string) (contentType, body string) {
	t.Helper()
	var out strings.Builder
	w := multipart.NewWriter(&out)
	for i := 0; i < len(fields); i += 2 {
		if name, file := strings.CutPrefix(fields[i], "@"); file {
			part, err := w.CreateFormFile(name, "x")
			require.NoError(t, err)
			_, err = part.Write([]byte(fields[i+1]))
			require.NoError(t, err)
			continue
		}
		require.NoError(t, w.WriteField(fields[i], fields[i+1]))
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), out.String()
}

func TestGamesAPI(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	admin, put, del := models.RoleAdmin, http.MethodPut, http.MethodDelete
	game := func(code, more string) string {
		return fmt.Sprintf(`{"category_id":%q,"name":"Game","short_code":%q%s}`, category, code, more)
	}
	form := func(name, method, path string, status int, code string, fields ...string) scenario {
		contentType, body := multi(t, fields...)
		return scenario{name: name, method: method, path: path, role: admin, header: map[string]string{"Content-Type": contentType}, body: body, status: status, code: code}
	}
	at := "/games/" + lotto
	quoted, err := json.Marshal(game("TWICE", ""))
	require.NoError(t, err)
	b.run(t, []scenario{
		{name: "free", path: "/games/check?short_code=NEW", role: models.RoleTaquilla, status: 200, has: []string{`"available":true`}},
		{name: "taken", path: "/games/check?short_code=la", role: models.RoleTaquilla, status: 200, has: []string{`"available":false`}},
		{name: "schema", path: "/games/schemas/betting_rules", role: models.RoleTaquilla, status: 200, has: []string{`"bet_types"`}},
		{name: "no schema", path: "/games/schemas/hunter2", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "create", path: "/games", role: admin, body: game("NEW", `,"sale_stop_time":120,"metadata":{"a":{"b":[1]}},"position":0`), status: 201, has: []string{`"sale_stop_time":120`, `"metadata":{"a":{"b":[1]}}`, `"position":0`, `"category":"ANIMALITOS"`}},
		{name: "code taken", path: "/games", role: admin, body: game("new", ""), status: 409, code: "SHORT_CODE_TAKEN"},
		{name: "seller", path: "/games", role: models.RoleTaquilla, body: game("X", ""), status: 403, code: "FORBIDDEN"},
		{name: "unknown key", path: "/games", role: admin, body: game("X", `,"hunter2":1`), status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"hunter2"`}},
		{name: "no category", path: "/games", role: admin, body: `{"name":"X","short_code":"X"}`, status: 422, code: "INVALID_GAME", has: []string{`"location":"category_id"`}},
		{name: "unknown category", path: "/games", role: admin, body: strings.Replace(game("X", ""), category, lotto, 1), status: 422, code: "INVALID_GAME", has: []string{`"location":"category_id"`}},
		{name: "wrong type", path: "/games", role: admin, body: game("X", `,"mechanics":[]`), status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"mechanics"`}},
		{name: "key twice", path: "/games", role: admin, body: game("X", `,"mechanics":{"kind":"element","kind":"number"}`), status: 400, code: "MALFORMED_BODY"},
		{name: "not JSON", path: "/games", role: admin, body: `{`, status: 400, code: "MALFORMED_BODY"},
		{name: "a place", path: at, method: put, role: admin, body: `{"betting_rules":{"bet_types":[{"type":"straight","payout":"2"},{"type":"straight"}]}}`, status: 422, code: "INVALID_GAME", has: []string{`"location":"betting_rules.bet_types[1].payout"`}},
		{name: "overpriced", path: at, method: put, role: admin, body: `{"betting_rules":{"bet_types":[{"type":"straight","payout":"3"}]}}`, status: 422, code: "EXPECTED_PAYOUT_TOO_HIGH", has: []string{`"location":"betting_rules.bet_types[0]"`}},
		{name: "forced without a reason", path: at, method: put, role: admin, body: `{"force":true,"betting_rules":{"bet_types":[{"type":"straight","payout":"3"}]}}`, status: 422, code: "FORCE_REASON_REQUIRED"},
		{name: "forced", path: at, method: put, role: admin, body: `{"force":true,"force_reason":"why","betting_rules":{"bet_types":[{"type":"straight","payout":"3"}]}}`, status: 200, has: []string{`"forced":{"reason":"why"}`, `"rule_version":3`}},
		form("with a logo", http.MethodPost, "/games", 201, "", "data", game("LOGO", ""), "@logo", picture(t, 300)),
		form("a string of JSON", http.MethodPost, "/games", 201, "", "data", string(quoted)),
		form("no picture", put, at, 422, "PICTURE_TYPE", "@logo", "%PDF-1.4"),
		form("another file", put, at, 400, "INVALID_FORM", "@other", picture(t, 3)),
		{name: "no type", path: at, method: put, role: admin, header: map[string]string{"Content-Type": "text/plain"}, body: `{}`, status: 400, code: "INVALID_FORM"},
		{name: "read", path: at, role: admin, status: 200, has: []string{`"api_config":{}`}},
		{name: "who sells sees no sources", path: at, role: models.RoleTaquilla, status: 200, has: []string{`"api_config":null`, `"betting_rules":{`}},
		{name: "status", path: at + "/status", method: put, role: admin, body: `{"status":"suspended"}`, status: 200, has: []string{`"status":"suspended"`}},
		{name: "no status", path: at + "/status", method: put, role: admin, body: `{"status":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", lacks: []string{"hunter2"}},
		{name: "delete", path: at, method: del, role: admin, status: 200, has: []string{`"deleted":true`}},
		{name: "gone", path: at, method: del, role: admin, status: 404, code: "GAME_NOT_FOUND"},
	})
	b.exec(t, `UPDATE user_sessions SET confirmed_at = NULL, created_at = now() - interval '1 hour'`)
	b.exec(t, `UPDATE users SET entity_id = $1 WHERE role = 'ADMIN'`, b.agency.ID)
	b.tokens[admin] = b.relogin(t)
	b.run(t, []scenario{{name: "an agency's administrator", path: "/games", role: admin, body: game("X", ""), status: 403, code: "FORBIDDEN"}})
}

func TestGridAPI(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	admin, put := models.RoleAdmin, http.MethodPut
	at := "/games/" + lotto
	contentType, body := multi(t, "data", `{"elements":[{"code":"0","name":"Delfín"},{"code":"00","name":"Ballena"},{"code":"5","name":"León"}],"schedule_config":{"times":["10:00",{"time":"20:00","number":"N"}]},"sale_stop_time":null}`, "@image_5", picture(t, 30))
	upload := map[string]string{"Content-Type": contentType}
	b.run(t, []scenario{
		{name: "add", path: at + "/elements", role: admin, body: `{"elements":[{"code":"05","name":"Gato","display_value":"05 Gato"}]}`, status: 201, has: []string{`"code":"05"`, `"status":"active"`}},
		{name: "again", path: at + "/elements", role: admin, body: `{"elements":[{"code":"5","name":"León"},{"code":"05","name":"Gato"}]}`, status: 409, code: "ELEMENT_CODE_TAKEN", has: []string{`"location":"elements[1].code"`}},
		{name: "no code", path: at + "/elements", role: admin, body: `{"elements":[{"code":"x","name":"León"}]}`, status: 422, code: "INVALID_ELEMENTS", has: []string{`"location":"elements[0].code"`}},
		{name: "sync", path: at + "/bulk-data", role: admin, header: upload, body: body, status: 200, has: []string{`"elements":3`, `"retired":1`}},
		{name: "its list", path: at + "/elements", role: models.RoleTaquilla, status: 200, has: []string{`"total":3`, `-256.png`}, lacks: []string{"Gato"}},
		{name: "with the retired", path: at + "/elements?status=all", role: models.RoleTaquilla, status: 200, has: []string{`"total":4`, `"status":"retired"`}},
		{name: "bring back", path: at + "/elements/05", method: put, role: admin, body: `{"status":"active","name":"Gato negro"}`, status: 200, has: []string{`"status":"active"`, "Gato negro"}},
		{name: "an unknown one", path: at + "/elements/005", method: put, role: admin, body: `{"name":"x"}`, status: 404, code: "ELEMENT_NOT_FOUND"},
		{name: "no status", path: at + "/elements/05", method: put, role: admin, body: `{"status":"hunter2"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "no grid", path: at + "/bulk-data", role: admin, body: `{"schedule_config":{}}`, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"elements"`}},
		{name: "another's element", path: at + "/bulk-data", role: admin, body: `{"elements":[{"id":"` + category + `","code":"0","name":"x"}]}`, status: 422, code: "INVALID_ELEMENTS", has: []string{`"location":"elements[0].id"`}},
	})
}

func TestDrawPlansAPI(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	admin := models.RoleAdmin
	at := "/games/" + lotto + "/draws/bulk"
	day := time.Now().UTC().AddDate(0, 0, 20).Format(time.DateOnly)
	request := func(more string) string { return fmt.Sprintf(`{"from":%q,"to":%q%s}`, day, day, more) }
	draws := request(`,"draws":[{"draw_number":"1","draw_time":"` + day + `T10:00:00Z"},{"draw_number":"A1","draw_time":"` + day + `T20:00:00Z","opens_at":"` + day + `T08:00:00Z"}]`)
	b.run(t, []scenario{
		{name: "dry", path: at, role: admin, body: strings.Replace(draws, `"from"`, `"dry_run":true,"from"`, 1), status: 200, has: []string{`"created":2`}},
		{name: "create", path: at, role: admin, body: draws, status: 200, has: []string{`{"created":2,"updated":0,"deleted":0,"unchanged":0,"kept":0}`}},
		{name: "again", path: at, role: admin, body: draws, status: 200, has: []string{`"unchanged":2`}},
		{name: "listed", path: "/draws?game_id=" + lotto + "&from=" + day + "&to=" + day, role: admin, status: 200, has: []string{`"total":2`, `"status":"scheduled"`, `"opens_at":"` + day + `T08:00:00Z"`, `"local_date":"` + day}},
		{name: "by schedule", path: at, role: admin, body: request(`,"by_schedule":true`), status: 200, has: []string{`"created":0,"updated":1,"deleted":1`}},
		{name: "nothing said", path: at, role: admin, body: request(""), status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"draws"`}},
		{name: "emptied", path: at, role: admin, body: request(`,"draws":[]`), status: 200, has: []string{`"deleted":1`}},
		{name: "no date", path: at, role: admin, body: `{"from":"2026-02-30","to":"2026-03-01","draws":[]}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "seller", path: at, role: models.RoleTaquilla, body: draws, status: 403, code: "FORBIDDEN"},
	})
	b.exec(t, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT gen_random_uuid(), 1, id, game_id, 'straight', '0', 100, 3000, 3000, 1, '{}' FROM draws WHERE draw_number = '3'`)
	var date, id string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT local_date::text, id FROM draws WHERE draw_number = '3'`).Scan(&date, &id))
	w := b.do(t, (&scenario{path: at, role: admin, body: fmt.Sprintf(`{"from":%q,"to":%q,"draws":[]}`, date, date)}).request())
	assertProblem(t, w, http.StatusConflict, "DRAW_HAS_TICKETS")
	assert.Contains(t, w.Body.String(), `"location":"`+date+` #3"`)
	b.run(t, []scenario{
		{name: "one draw", path: "/draws/" + id, role: models.RoleTaquilla, status: 200, has: []string{`"draw_number":"3"`}},
		{name: "no draw", path: "/draws/" + lotto, role: models.RoleTaquilla, status: 404, code: "DRAW_NOT_FOUND"},
	})
}

// Draws that are read and sent back change nothing, whatever stop the reader inherits.
func TestDrawsAreSentBackAsTheyWereRead(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	day := time.Now().UTC().AddDate(0, 0, 20).Format(time.DateOnly)
	b.exec(t, `UPDATE games SET sale_stop_seconds = NULL`)
	b.exec(t, `DELETE FROM draws`)
	b.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, sale_stop_explicit, opens_at, status, updated_at)
		SELECT gen_random_uuid(), $1, n::text, $2::date, at, at - CASE n WHEN 2 THEN interval '1 minute' ELSE interval '5 minutes' END, n IN (2, 3),
			CASE n WHEN 4 THEN at - interval '3 hours' END, CASE n WHEN 4 THEN 'scheduled' ELSE 'open' END, '2026-01-01'
		FROM generate_series(1, 4) n, LATERAL (SELECT $2::date + n * interval '1 hour' + interval '12 hours' AS at) x`, lotto, day)
	state := func() (text string) {
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT string_agg(d::text, E'\n' ORDER BY draw_number) FROM draws d`).Scan(&text))
		return text
	}
	before := state()
	sendBack := func(reader string) map[string]any {
		var read struct{ Data []map[string]any }
		w := b.do(t, (&scenario{path: "/draws?game_id=" + lotto, role: reader}).request())
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &read))
		require.Len(t, read.Data, 4)
		first := maps.Clone(read.Data[0])
		for _, d := range read.Data {
			maps.DeleteFunc(d, func(key string, _ any) bool { return key == "id" || key == "game_id" || key == "local_date" })
		}
		body, err := json.Marshal(map[string]any{"from": day, "to": day, "draws": read.Data})
		require.NoError(t, err)
		w = b.do(t, (&scenario{path: "/games/" + lotto + "/draws/bulk", role: models.RoleAdmin, body: string(body)}).request())
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Contains(t, w.Body.String(), `"updated":0,"deleted":0,"unchanged":4`, reader)
		require.Equal(t, before, state(), reader)
		return first
	}
	for _, own := range []string{"{}", `{"sale_stop_seconds": 900}`} {
		b.exec(t, `UPDATE entities SET config_info = $1`, own)
		b.deps.Services.Org.Forget()
		for _, reader := range []string{models.RoleAdmin, models.RoleTaquilla} {
			first := sendBack(reader)
			require.Equal(t, false, first["sale_stop_explicit"])
			require.Equal(t, own != "{}", strings.HasSuffix(fmt.Sprint(first["sale_stop_at"]), "12:45:00Z"), "the reader's own stop is shown")
		}
	}
	bulk := func(more string) string {
		return fmt.Sprintf(`{"from":%[1]q,"to":%[1]q,"draws":[{"draw_number":"1","draw_time":"%[1]sT13:00:00Z"%[2]s}]}`, day, more)
	}
	b.run(t, []scenario{
		{name: "explicit without a stop", path: "/games/" + lotto + "/draws/bulk", role: models.RoleAdmin, body: bulk(`,"sale_stop_explicit":true`), status: 422,
			code: "VALIDATION_FAILED", has: []string{`"location":"draws[0].sale_stop_at"`}},
		{name: "the inherited stop that it has, by a client without sale_stop_explicit", path: "/games/" + lotto + "/draws/bulk", role: models.RoleAdmin,
			body: bulk(`,"sale_stop_at":"` + day + `T12:55:00Z"`), status: 200, has: []string{`"updated":0,"deleted":3,"unchanged":1`}},
		{name: "explicit, as it is computed", path: "/games/" + lotto + "/draws/bulk", role: models.RoleAdmin,
			body: bulk(`,"sale_stop_at":"` + day + `T12:55:00Z","sale_stop_explicit":true`), status: 200, has: []string{`"updated":1`}},
		{name: "told", path: "/draws?game_id=" + lotto, role: models.RoleTaquilla, status: 200, has: []string{`T12:55:00Z","sale_stop_explicit":true`}},
	})
}

func TestCategoriesAPI(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	admin, put, del := models.RoleAdmin, http.MethodPut, http.MethodDelete
	w := b.do(t, (&scenario{path: "/game-categories", role: admin, body: `{"name":"Loto","code":"LOTO","config":{"a":1}}`}).request())
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	at := w.Header().Get("Location")
	b.run(t, []scenario{
		{name: "list", path: "/game-categories", role: models.RoleTaquilla, status: 200, has: []string{`"total":2`, `"games":1`}},
		{name: "one", path: at, role: models.RoleTaquilla, status: 200, has: []string{`"config":{"a":1}`}},
		{name: "taken", path: "/game-categories", role: admin, body: `{"name":"Loto","code":"LOTO"}`, status: 409, code: "CATEGORY_CODE_TAKEN"},
		{name: "no code", path: "/game-categories", role: admin, body: `{"name":"Loto","code":"hunter2"}`, status: 422, code: "VALIDATION_FAILED", lacks: []string{"hunter2"}},
		{name: "change", path: at, method: put, role: admin, body: `{"name":"Lotto"}`, status: 200, has: []string{`"name":"Lotto","code":"LOTO"`}},
		{name: "in use", path: "/game-categories" + "/" + category, method: put, role: admin, body: `{"code":"OTHER"}`, status: 409, code: "CATEGORY_IN_USE"},
		{name: "delete", path: at, method: del, role: admin, status: 200},
		{name: "gone", path: at, role: admin, status: 404, code: "CATEGORY_NOT_FOUND"},
		{name: "seller", path: "/game-categories", role: models.RoleTaquilla, body: `{"name":"Loto","code":"LOTO"}`, status: 403, code: "FORBIDDEN"},
	})
}
