package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
	"banca/models"
)

// typedAtOnce is the number of results that are typed in one go.
const typedAtOnce = 20

// resultFor is what is typed for a field: an animal by its code, a number, and a number with its sign.
const resultFor = `(field => field.dataset.grid ? "5" : field.placeholder === "042 LEO" ? "123 leo" : "123".slice(0, parseInt(field.placeholder)))(document.activeElement)`

// addVerifier adds a second administrator of the operator, with the password of the first.
func (s *testbed) addVerifier(t *testing.T) {
	t.Helper()
	s.Exec(t, `INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object('id', $1::text, 'email', $2::text, 'phone', null, 'identifier', null))).* FROM users u WHERE u.email = 'admin@banca.test'`,
		seed.ID("user", seed.Verifier().Email), seed.Verifier().Email)
}

// enterAs signs in as a user at an address.
func enterAs(t *testing.T, address, identifier string) *chromium.Tab {
	t.Helper()
	tab := chromium.Open(t)
	tab.Visit(address + loginPath + "?lang=es&next=" + resultsPath)
	tab.Fill("#identifier", identifier)
	tab.Fill("#password", password)
	tab.Follow("main form button")
	return tab
}

// typeResults types results into the next fields and leads to the button of the form, by keyboard only.
func typeResults(t *testing.T, tab *chromium.Tab, count int) {
	t.Helper()
	for range count {
		require.True(t, chromium.Value[bool](tab, `document.activeElement.matches("input[name^='r-']")`))
		tab.Press(chromium.Value[string](tab, resultFor) + kb.Enter)
	}
	for !chromium.Value[bool](tab, `document.activeElement.matches("button[type=submit]")`) {
		tab.Press(kb.Enter)
	}
}

// Twenty results are typed by keyboard on the board and sent at once, and a second person verifies them there. What is wrong is said at its field,
// keeps its text, and holds up none of the others.
func TestResultsAreTypedAndVerifiedOnTheBoard(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	s := setupTestbed(t, 2)
	s.addVerifier(t)
	tab, server := enterInBrowser(t, s.engine)
	tab.Visit(server + resultsPath)
	waiting := chromium.Value[int](tab, `document.querySelectorAll("form[action*='/enter'] input[name^='r-']").length`)
	require.Greater(t, waiting, typedAtOnce)
	assert.Regexp(t, `^\d{4}-\d\d-\d\d$`, chromium.Value[string](tab, `new URL(document.querySelector("form[action*='/enter']").action).searchParams.get("date")`), "the form is of the day that is shown")

	chromium.Value[bool](tab, `(document.querySelector("details.fold").open = true)`)
	field := func(n string) string { return `form[action*="/enter"] li:nth-child(` + n + `) input` }
	first := chromium.Value[string](tab, `document.querySelector('`+field("1")+`').id`)
	chromium.Value[bool](tab, `document.querySelector('`+field("1")+`').focus() ?? true`)
	tab.Press("xyz" + kb.Enter)
	typeResults(t, tab, typedAtOnce)
	tab.Expect("422 POST")
	tab.PressTo(kb.Enter)
	assert.Contains(t, tab.Text("#summary"), "Se guardaron 20 resultados. No se guardó:")
	assert.Equal(t, "xyz", chromium.Value[string](tab, `document.getElementById("`+first+`").value`), "the text is kept")
	assert.Contains(t, tab.Text("#p-"+strings.TrimPrefix(first, "r-")), "«xyz» no es un")
	assert.Equal(t, int64(typedAtOnce), s.Number(t, `SELECT count(*) FROM results WHERE status = 'proposed' AND origin = 'typed' AND entered_by = $1`, seed.ID("user", "admin@banca.test")))
	assert.Equal(t, waiting-typedAtOnce, chromium.Value[int](tab, `document.querySelectorAll("form[action*='/enter'] input[name^='r-']").length`))
	assert.GreaterOrEqual(t, chromium.Value[int](tab, `Array.from(document.querySelectorAll("section[aria-labelledby=given] tbody tr")).filter(row => row.textContent.includes("Por verificar")).length`), typedAtOnce)

	second := enterAs(t, server, "verificador@banca.test")
	own := `document.querySelectorAll("form[action*='/verify'] input[name^='r-']").length`
	assert.GreaterOrEqual(t, chromium.Value[int](second, own), typedAtOnce)
	assert.NotContains(t, second.Text("section[aria-labelledby=verifying]"), "León", "the second person reads the source")
	list := chromium.Value[int](second, own)
	wrong := chromium.Value[string](second, `document.querySelector("form[action*='/verify'] input[data-grid]").id`)
	chromium.Value[bool](second, `document.querySelector("form[action*='/verify'] input").focus() ?? true`)
	typeResults(t, second, list)
	chromium.Value[bool](second, `(field => { field.value = "18"; return true })(document.getElementById("`+wrong+`"))`)
	second.Expect("422 POST")
	second.PressTo(kb.Enter)
	assert.Contains(t, second.Text("#p-"+strings.TrimPrefix(wrong, "r-")), "difiere del cargado")
	assert.GreaterOrEqual(t, s.Number(t, `SELECT count(*) FROM results WHERE status = 'verified' AND verified_by = $1`, seed.ID("user", seed.Verifier().Email)), int64(typedAtOnce-2))

	tab.NoScripts()
	tab.Visit(server + resultsPath)
	tab.Fill("#"+first, "5")
	tab.Follow(`form[action*="/enter"] button[type=submit]`)
	assert.Contains(t, tab.Text("main"), "Los resultados están guardados", "one form without scripts")
}

// A form that is sent twice, by a double click or in two tabs, saves its results once; another result for the same draw is refused at its line.
func TestAFormOfResultsIsSentTwice(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	s.addVerifier(t)
	draw := s.idOf(t, `SELECT d.id::text FROM draws d JOIN games g ON g.id = d.game_id WHERE g.short_code = 'trio-activo' AND d.status = 'closed' AND d.result_id IS NULL
		AND NOT EXISTS (SELECT 1 FROM results r WHERE r.draw_id = d.id) ORDER BY d.draw_time LIMIT 1`)
	send := func(action, value string) (int, string) {
		w := s.do(http.MethodPost, resultsPath+action, url.Values{tokenField: {s.token(t, home)}, "r-" + draw: {value}})
		return w.Code, w.Body.String()
	}
	for range 2 {
		status, body := send("/enter", " 123 ")
		require.Equal(t, http.StatusSeeOther, status, body)
	}
	require.Equal(t, int64(1), s.Number(t, `SELECT count(*) FROM results WHERE draw_id = $1`, draw))
	for value, says := range map[string]string{
		"124": "espera verificaci", "12a": "«12a» no es un número de 3 cifras", "1234": "«1234» no es un número", "123 LEO": "«LEO» no es un signo", "": "No escribió ningún resultado",
	} {
		status, body := send("/enter", value)
		assert.Equal(t, http.StatusUnprocessableEntity, status, value)
		assert.Contains(t, body, says, value)
	}
	status, body := send("/verify", "123")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, body, "otra persona", "the first person does not verify")

	s.enter(t, "verificador@banca.test")
	for range 2 {
		status, body := send("/verify", "123")
		require.Equal(t, http.StatusSeeOther, status, body)
	}
	status, _ = send("/verify", "124")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "123", s.Text(t, `SELECT value FROM results WHERE draw_id = $1 AND status = $2`, draw, models.ResultVerified))
	w := s.do(http.MethodPost, resultsPath+"/enter", url.Values{tokenField: {s.token(t, home)}, "r-" + uuid.NewString(): {"5"}, "r-x": {"5"}})
	require.Equal(t, http.StatusUnprocessableEntity, w.Code, "draws that do not exist")
}
