package web

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
	"banca/models"
)

func gamePath(code string) string { return gamesPath + "/" + seed.ID("game", code).String() }

// catalogueChanges counts the entries of the activity log about the catalogue.
func (p *bankPanel) catalogueChanges(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module IN ('games', 'draws', 'categories')`).Scan(&n))
	return n
}

func TestANewGameCopiesAnother(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	fields := url.Values{"name": {"Copy"}, "short_code": {"copy"}, "copy": {seed.ID("game", "triple-zulia").String()}, "category": {seed.ID("category", models.CategoryAnimalitos).String()}}
	status, _ := p.submit(t, gamesPath, "/new", fields)
	require.Equal(t, http.StatusSeeOther, status)
	var same bool
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT c.category_id = g.category_id AND c.mechanics = g.mechanics AND c.betting_rules = g.betting_rules
		AND c.schedule_config = '{}' AND (SELECT count(*) FROM game_elements WHERE game_id = c.id) = (SELECT count(*) FROM game_elements WHERE game_id = g.id)
		FROM games c, games g WHERE c.short_code = 'copy' AND g.short_code = 'triple-zulia'`).Scan(&same))
	assert.True(t, same)
	assert.Equal(t, http.StatusConflict, func() int { status, _ := p.submit(t, gamesPath, "/new", fields); return status }())
}

func TestReadersOfTheCatalogueCannotChangeIt(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleSocio)
	at := gamePath("lotto-activo")
	for _, page := range []string{gamesPath, at, at + "/draws", at + "/elements/00", gamesPath + "/categories"} {
		w := p.get(page)
		require.Equal(t, http.StatusOK, w.Code, page)
		for _, absent := range []string{`type="file"`, `>Save<`, `name="lines"`, "/payouts"} {
			assert.NotContains(t, w.Body.String(), absent, page)
		}
	}
	for _, action := range []string{"/facts", "/status", "/delete", "/elements", "/draws/plan"} {
		status, _ := p.submit(t, at, action, url.Values{"name": {"x"}, "status": {"inactive"}, "text": {"{}"}})
		assert.Equal(t, http.StatusForbidden, status, action)
	}
	assert.Equal(t, http.StatusForbidden, p.get(gamesPath+"/new").Code)
	for _, form := range []string{"/payouts", "/schedule", "/mechanics", "/sources"} {
		assert.Equal(t, http.StatusForbidden, p.get(at+form).Code)
		assert.Equal(t, http.StatusForbidden, p.do(http.MethodPost, at+form, url.Values{tokenField: {p.token(t, home)}, "action": {"do"}}).Code)
	}
	assert.Zero(t, p.catalogueChanges(t))
}

func TestPagesOfTheCatalogue(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	at := gamePath("lotto-activo")
	list := p.get(gamesPath + "?category=ANIMALITOS&q=LOTTO").Body.String()
	assert.Contains(t, list, "Lotto Activo Rd")
	assert.NotContains(t, list, "Triple Zulia")
	assert.Contains(t, list, "8:30 am – 7:30 pm every hour")
	file := p.get(gamesPath + "?format=csv&category=TERMINALES")
	assert.Contains(t, file.Header().Get("Content-Type"), "text/csv")
	assert.Equal(t, 2, strings.Count(file.Body.String(), "\n"))
	page := p.get(at).Body.String()
	for _, has := range []string{"Ballena", `href="` + at + `/elements/00"`, `id="payouts"`, `href="` + at + `/sources"`, `<ul class="hours"><li>8:00 am</li><li>9:00 am</li>`} {
		assert.Contains(t, page, has)
	}
	calendar := p.get(at + "/draws?month=2027-02").Body.String()
	assert.Contains(t, calendar, "February 2027")
	assert.Contains(t, calendar, "2027-02-28")
	for _, missing := range []string{gamePath("none"), at + "/elements/005", gamesPath + "/x", gamesPath + "/pictures/x"} {
		assert.Equal(t, http.StatusNotFound, p.get(missing).Code, missing)
	}
}

func TestFormsOfTheCatalogue(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	at := gamePath("lotto-activo")
	day := time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	facts := func(name, code, position string) url.Values {
		return url.Values{"name": {name}, "short_code": {code}, "position": {position}, "category": {seed.ID("category", models.CategoryAnimalitos).String()}}
	}
	for _, tt := range []struct {
		name, page, action string
		fields             url.Values
		status             int
		has                string
	}{
		{"facts", at, "/facts", facts("Lotto", "lotto-activo", "3"), 303, ""},
		{"a taken code", at, "/facts", facts("Lotto", "Triple-Zulia", "0"), 409, `value="Triple-Zulia" maxlength="32" spellcheck="false" required aria-describedby="h-code h-code-rule" aria-invalid="true"><p class="hint wrong" id="h-code">`},
		{"elements", at, "/elements", url.Values{"lines": {"40; Avispa ; 40 Avispa\r\n\r\n41;Cebra"}}, 303, ""},
		{"an element twice", at, "/elements", url.Values{"lines": {"42;X\n00;Y"}}, 409, "<strong>Line 2 · Code</strong>"},
		{"an element's facts", at + "/elements/40", "/save", url.Values{"name": {"Avispón"}, "display": {"40"}, "position": {"40"}}, 303, ""},
		{"no place", at + "/elements/40", "/save", url.Values{"name": {"Avispón"}, "display": {"40"}, "position": {"x"}}, 422, `maxlength="4" aria-describedby="h-position h-position-rule" aria-invalid="true">`},
		{"retired", at + "/elements/40", "/save", url.Values{"action": {"retired"}}, 303, ""},
		{"a day", at + "/draws", "/plan", url.Values{"day": {day}, "lines": {"08:00 A1\r\n22:00 A2"}, "action": {"plan"}}, 303, ""},
		{"no time", at + "/draws", "/plan", url.Values{"day": {day}, "lines": {"08:00 A1\nsoon A2"}, "action": {"plan"}}, 422, "<strong>Line 2 · Time</strong>"},
		{"by schedule", at + "/draws", "/plan", url.Values{"day": {day}, "action": {"schedule"}}, 303, ""},
		{"no day", at + "/draws", "/plan", url.Values{"day": {"x"}}, 400, ""},
		{"status", at, "/status", url.Values{"status": {"suspended"}}, 303, ""},
		{"no status", at, "/status", url.Values{"status": {"x"}}, 409, ""},
		{"a category", gamesPath + "/categories", "/save", url.Values{"name": {"Loto"}, "code": {"LOTO"}}, 303, ""},
		{"no category", gamesPath + "/categories", "/save", url.Values{"name": {"Loto"}, "code": {"l o"}}, 422, `value="l o"`},
		{"a category in use", gamesPath + "/categories", "/delete", url.Values{"id": {seed.ID("category", models.CategoryTriples).String()}}, 409, ""},
		{"a new game", gamesPath, "/new", url.Values{"name": {"New"}, "short_code": {"new-one"}, "category": {seed.ID("category", models.CategoryTriples).String()}}, 303, ""},
		{"a taken new game", gamesPath + "/new", "", url.Values{"name": {"New"}, "short_code": {"new-one"}, "category": {seed.ID("category", models.CategoryTriples).String()}}, 409, `value="new-one"`},
		{"deleted", gamePath("cazaloton"), "/delete", nil, 303, ""},
	} {
		before := p.catalogueChanges(t)
		if tt.fields == nil {
			tt.fields = url.Values{}
		}
		status, body := p.submit(t, tt.page, tt.action, tt.fields)
		assert.Equal(t, tt.status, status, tt.name)
		assert.Contains(t, body, tt.has, tt.name)
		assert.Equal(t, status == http.StatusSeeOther, before < p.catalogueChanges(t), "%s: the trail tells what was done, and nothing else", tt.name)
	}
	_, refused := p.submit(t, at+"/draws", "/plan", url.Values{"day": {day}, "lines": {"soon A1"}, "action": {"plan"}})
	assert.Contains(t, refused, `name="day" value="`+day+`"`, "the refused day is shown")
	day = p.get(at + "/draws?day=" + day).Body.String()
	assert.NotContains(t, day, "planned by hand")
}

// upload sends a form with a file.
func (p *bankPanel) upload(t *testing.T, page, action string, file []byte, fields map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	require.NoError(t, form.WriteField(tokenField, p.token(t, page)))
	for name, value := range fields {
		require.NoError(t, form.WriteField(name, value))
	}
	part, err := form.CreateFormFile("file", "x.png")
	require.NoError(t, err)
	_, err = part.Write(file)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r := httptest.NewRequest(http.MethodPost, page+action, &out)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Accept-Language", "en")
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	p.engine.ServeHTTP(w, r)
	return w
}

func TestPicturesOfTheCatalogue(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	at := gamePath("lotto-activo")
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 300, 300))))
	heads := func() int { return strings.Count(p.get(gamesPath).Body.String(), "<th") }
	without := heads()
	require.Equal(t, http.StatusSeeOther, p.upload(t, at, "/logo", picture.Bytes(), nil).Code)
	assert.Equal(t, without+1, heads(), "a column for logos once there is one")
	page := p.get(at).Body.String()
	_, address, found := strings.Cut(page, `<img class="token" src="`)
	require.True(t, found)
	address, _, _ = strings.Cut(address, `"`)
	w := p.get(address)
	require.Equal(t, "image/png", w.Header().Get("Content-Type"))
	require.Equal(t, http.StatusUnprocessableEntity, p.upload(t, at, "/logo", []byte("%PDF-1.4"), nil).Code)
	require.Equal(t, http.StatusBadRequest, p.upload(t, at, "/logo", nil, nil).Code)
	require.Equal(t, http.StatusSeeOther, p.upload(t, at+"/elements/00", "/save", picture.Bytes(), map[string]string{"action": "picture"}).Code)
	require.Contains(t, p.get(at+"/elements/00").Body.String(), address)
	require.Equal(t, http.StatusSeeOther, p.upload(t, at+"/elements/00", "/save", nil, map[string]string{"action": "remove"}).Code)
	require.NotContains(t, p.get(at+"/elements/00").Body.String(), address)
}

// A day sent back as it was shown is left as it is, also one of many draws, and of instants within a minute.
func TestSubmittingAnUnchangedDayChangesNoDraw(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	at, day := gamePath("lotto-activo")+"/draws", time.Now().AddDate(0, 0, 60).Format(time.DateOnly)
	insert := `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, sale_stop_explicit, status, created_at, updated_at)
		SELECT gen_random_uuid(), $1, n::text, $2::date, i, i - interval '5 minutes', n % 3 = 0, 'open', now(), '2026-01-01' FROM generate_series(1, 250) n, LATERAL (SELECT $2::date + interval '12 hours' + n * interval '150 seconds' AS i) x`
	_, err := p.env.PG.Pool.Exec(t.Context(), insert, seed.ID("game", "lotto-activo"), day)
	require.NoError(t, err)
	state := func() (ids string) {
		const query = `SELECT md5(string_agg(id::text || draw_time::text || sale_stop_at || sale_stop_explicit || updated_at, ',' ORDER BY id)) FROM draws WHERE game_id = $1 AND local_date = $2::date`
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), query, seed.ID("game", "lotto-activo"), day).Scan(&ids))
		return ids
	}
	before := state()
	shown := p.get(at + "?day=" + day).Body.String()
	_, lines, _ := strings.Cut(shown, `name="lines"`)
	_, lines, _ = strings.Cut(lines, ">")
	lines, _, _ = strings.Cut(lines, "</textarea>")
	require.Equal(t, 250, strings.Count(strings.TrimSpace(lines), "\n")+1)
	status, _ := p.submit(t, at, "/plan", url.Values{"day": {day}, "lines": {lines}, "action": {"plan"}})
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, before, state())
}
