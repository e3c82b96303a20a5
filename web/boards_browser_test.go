package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/models"
)

const (
	boardPath   = drawsPath + "/board"
	resultsPath = drawsPath + "/results"
	limitsPath  = "/admin/limits"
)

// The board of the day has all draws of a day on one page at any width. Its stream changes a figure where it is: the focus stays on the draw.
func TestTheBoardOfTheDayInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	s := setupTestbed(t, 2)
	day := s.Clock.Now().In(s.deps.Zone).Format("2006-01-02")
	s.Exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		SELECT gen_random_uuid(), game_id, 'E' || row_number() OVER (), local_date, draw_time - interval '2 hours', sale_stop_at - interval '2 hours', 'closed' FROM draws d
		WHERE local_date = $1 AND draw_time < (SELECT min(draw_time) FROM draws WHERE local_date = $1) + interval '2 hours'`, day) // the hours before ten
	draws := s.Number(t, `SELECT count(*) FROM draws WHERE local_date = $1`, day)
	require.Greater(t, draws, int64(170))
	tab, server := enterInBrowser(t, s.engine)
	tab.Visit(server + boardPath + "?date=" + day + "&currency=VES")
	assert.Equal(t, exposurePath+"?currency=VES&date="+day, chromium.Value[string](tab, `document.querySelector("nav.tabs a[href*=exposure]").getAttribute("href")`), "the filter stays")
	const folded = `[...document.querySelectorAll(".day thead .over")].filter((e) => !e.checkVisibility()).length`
	assert.Positive(t, chromium.Value[int](tab, folded), "hours that are over")
	tab.Click(".past > summary")
	assert.Zero(t, chromium.Value[int](tab, folded))
	assert.Equal(t, int(draws), chromium.Value[int](tab, `document.querySelectorAll("a.slot").length`))
	for _, width := range []func(){tab.Narrow, tab.Wide} {
		width()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
		assert.Empty(t, chromium.Value[[]string](tab, `Array.from(document.querySelectorAll(".day td"), td => td.scrollWidth > td.clientWidth + 1 ? td.textContent : "").filter(Boolean)`), "nothing leaves its place")
	}
	assert.Equal(t, 1, chromium.Value[int](tab, `document.querySelectorAll(".segments a[href*='date=`+day+`'][href*='currency=USD']").length`), "another currency keeps the day")

	d := s.newDay(t)
	draw := d.onSale(t)[0]
	slot := "#d-" + draw.ID.String()
	before := chromium.Value[string](tab, `document.querySelector("`+slot+`").innerText`)
	place := `JSON.stringify(document.querySelector("` + slot + `").getBoundingClientRect())`
	chromium.Value[bool](tab, `document.querySelector("`+slot+`").focus() ?? true`)
	was := chromium.Value[string](tab, place)
	d.sell(t, draw)
	tab.Until(`document.querySelector("` + slot + `").innerText !== ` + "`" + before + "`")
	assert.Equal(t, was, chromium.Value[string](tab, place), "nothing moves")
	assert.Equal(t, slot, "#"+chromium.Value[string](tab, `document.activeElement.id`), "the focus stays")

	settled := s.idOf(t, `SELECT w.draw_id::text FROM winning_lines w JOIN draws d ON d.id = w.draw_id JOIN games g ON g.id = d.game_id WHERE w.annulled_at IS NULL ORDER BY g.position, w.created_at LIMIT 1`)
	assert.Regexp(t, `\d+ \p{L}+`, tab.Text("#d-"+settled+" .what"), "a result has its name")
	assert.Contains(t, tab.Text("#d-"+settled), "★")
	tab.Follow("#d-" + settled)
	assert.Contains(t, chromium.Value[string](tab, `location.pathname`), settled)
	assert.Regexp(t, `^\p{L}[\p{L} ]+ \d+:\d\d [ap]m · \d\d/\d\d$`, tab.Text("h1"))
	assert.Regexp(t, `(?s)Venta cerrada; los tickets ya no cambian.*tickets?\n.*Resultado escrito.*Verificado.*Liquidado`, tab.Text(".story"))
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("main .mono").checkVisibility()`), "its id is for technicians")

	tab.Visit(server + home)
	const rows = `new Set([...document.querySelectorAll("#figures > li")].map((e) => e.offsetTop)).size`
	tab.Wide()
	assert.Equal(t, 1, chromium.Value[int](tab, rows), "six figures in a row")
	tab.Screen()
	assert.Equal(t, 1, chromium.Value[int](tab, rows))
	assert.LessOrEqual(t, chromium.Value[int](tab, `document.querySelector("#attend .tasks").children.length`), 6)
	assert.LessOrEqual(t, chromium.Value[int](tab, `Math.ceil(document.querySelector("#branches").getBoundingClientRect().bottom)`), 860, "all in one screen, with the line of the platform below")
}

// The board's file has a row for each draw, and a partner sees the part that its own entity sold, without proposals or numbers of tickets.
func TestTheBoardOfTheDayForOthers(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	day := s.Clock.Now().In(s.deps.Zone).Format("2006-01-02")
	file := s.do(http.MethodGet, boardPath+"?format=csv&date="+day, nil)
	require.Equal(t, http.StatusOK, file.Code)
	assert.Len(t, strings.Split(strings.TrimSpace(file.Body.String()), "\n"), 1+int(s.Number(t, `SELECT count(*) FROM draws WHERE local_date = $1`, day)))
	wrong := s.do(http.MethodGet, boardPath+"?currency=XYZ&date=nunca", nil).Body.String()
	assert.Contains(t, wrong, "aria-invalid")
	assert.Contains(t, wrong, `class="problem"`)

	s.enter(t, "socio@banca.test")
	body := s.do(http.MethodGet, boardPath+"?date="+day, nil).Body.String()
	assert.NotContains(t, body, "slot proposed")
	assert.NotContains(t, body, `id="f-proposed"`)
	assert.Equal(t, int(s.Number(t, `SELECT count(*) FROM draws WHERE local_date = $1`, day)), strings.Count(body, `<a class="slot `))
	assert.Contains(t, body, "slot "+models.DrawSuspended)
}
