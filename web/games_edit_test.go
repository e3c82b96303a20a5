package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
	"banca/models"
)

// typedForm returns the values that a browser would send of the form of a page whose address is action, without its buttons.
func typedForm(t *testing.T, body, action string) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	require.NoError(t, err)
	values := url.Values{}
	for form := range root.Descendants() {
		if form.Data == "form" && attribute(form, "action") == action {
			for node := range form.Descendants() {
				collect(values, node)
			}
			return values
		}
	}
	require.Fail(t, "no such form", action)
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func marked(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// collect adds the value of a field.
func collect(values url.Values, n *html.Node) {
	name := attribute(n, "name")
	switch {
	case name == "":
	case n.Data == "input":
		if kind := attribute(n, "type"); kind != "radio" && kind != "checkbox" || marked(n, "checked") {
			values.Add(name, attribute(n, "value"))
		}
	case n.Data == "textarea" && n.FirstChild != nil:
		values.Add(name, n.FirstChild.Data)
	case n.Data == "textarea":
		values.Add(name, "")
	case n.Data == "select":
		chosen := ""
		for option := range n.Descendants() {
			if option.Data == "option" && (marked(option, "selected") || chosen == "" && !values.Has(name)) {
				chosen = attribute(option, "value")
				values.Set(name, chosen)
			}
		}
	}
}

// storedField returns a JSON field of a game and the version of its rules.
func (p *bankPanel) storedField(t *testing.T, game, field string) (document string, version int) {
	t.Helper()
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT to_jsonb(g)->>$2, rule_version FROM games g WHERE id = $1`, seed.ID("game", game), field).Scan(&document, &version))
	return document, version
}

// with returns the values of a form with others.
func with(form url.Values, changed url.Values) url.Values {
	all := url.Values{}
	for _, values := range []url.Values{form, changed} {
		for name := range values {
			all[name] = values[name]
		}
	}
	return all
}

// A form that is sent as it was shown changes nothing, whatever the game has: the forms show all that a game can have, or leave it alone.
func TestUnchangedFormsOfAllGamesChangeNothing(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	var codes []string
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT array_agg(short_code ORDER BY short_code) FROM games`).Scan(&codes))
	require.Greater(t, len(codes), 10)
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE games SET
		betting_rules = jsonb_set(jsonb_set(betting_rules, '{bet_types,0,min_stake}', '"0.5"'), '{bet_types,0,max_stake}', '{"VES": "1000.0", "COP": "5000", "*": "20"}'),
		schedule_config = '{"times": ["08:00", {"time": "09:30", "number": "A1"}, "21:00"], "weekdays": [6, 1], "holidays": ["2026-12-25"], "time_zone": "America/Caracas"}',
		sale_stop_seconds = 90 WHERE short_code = 'lotto-activo'`)
	require.NoError(t, err)
	changes := p.catalogueChanges(t)
	for _, code := range codes {
		for _, form := range []string{"payouts", "schedule", "mechanics", "sources"} {
			at := gamePath(code) + "/" + form
			for _, language := range []string{spanish, english} {
				p.header["Accept-Language"] = language
				body := p.get(at).Body.String()
				w := p.do(http.MethodPost, at, with(typedForm(t, body, at), url.Values{"action": {"review"}}))
				require.Equal(t, http.StatusOK, w.Code, at)
				nothing := map[string]string{spanish: "No hay cambios que guardar.", english: "There are no changes to save."}[language]
				require.Contains(t, w.Body.String(), nothing, at)
			}
		}
	}
	assert.Equal(t, changes, p.catalogueChanges(t))
}

// A payout is changed after a look at what it means; what the form does not show stays.
func TestAPayoutIsChangedAfterItsReview(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	game := "triple-zulia"
	at := gamePath(game) + "/payouts"
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE games SET betting_rules = jsonb_set(betting_rules, '{bet_types,0,element_payouts}', '{"777": "700"}') WHERE id = $1`, seed.ID("game", game))
	require.NoError(t, err)
	was, version := p.storedField(t, game, "betting_rules")
	form := typedForm(t, p.get(at).Body.String(), at)
	typed := with(form, url.Values{"payout.triple": {"550"}, "max.triple.VES": {"1.234,56"}, "action": {"calculate"}})
	w := p.do(http.MethodPost, at, typed)
	require.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), "45.00 %", "the margin of 550 in 1,000")
	assert.Contains(t, w.Body.String(), `value="1.234,56"`, "what was typed stays as it was typed")

	w = p.do(http.MethodPost, at, with(typed, url.Values{"action": {"review"}}))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	review := w.Body.String()
	for _, has := range []string{"Effect in money for every 1,000.00 Bs", "45.00 %", ">1,234.56<"} {
		assert.Contains(t, review, has)
	}
	document, _ := p.storedField(t, game, "betting_rules")
	assert.Equal(t, was, document, "a review saves nothing")

	saved := with(typedForm(t, review, at), url.Values{"action": {"do"}})
	w = p.do(http.MethodPost, at, saved)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
	document, now := p.storedField(t, game, "betting_rules")
	assert.Equal(t, version+1, now)
	var rules struct {
		BetTypes []map[string]any `json:"bet_types"`
	}
	require.NoError(t, json.Unmarshal([]byte(document), &rules))
	assert.Equal(t, "550", rules.BetTypes[0]["payout"])
	assert.Equal(t, "1234.56", as[map[string]any](t, rules.BetTypes[0]["max_stake"])["VES"])
	assert.Equal(t, "1000.00", as[map[string]any](t, rules.BetTypes[0]["max_stake"])["USD"], "the bounds of other currencies stay")
	assert.Equal(t, map[string]any{"777": "700"}, rules.BetTypes[0]["element_payouts"])

	changes := p.catalogueChanges(t)
	w = p.do(http.MethodPost, at, saved)
	require.Equal(t, http.StatusSeeOther, w.Code, "a second click finds its work done")
	_, again := p.storedField(t, game, "betting_rules")
	assert.Equal(t, now, again)
	assert.Equal(t, changes, p.catalogueChanges(t))

	// Another tab still has the form as it was before.
	w = p.do(http.MethodPost, at, with(form, url.Values{"payout.triple": {"600"}, "action": {"review"}}))
	require.Equal(t, http.StatusConflict, w.Code)
	assert.Contains(t, w.Body.String(), "Somebody else changed this game meanwhile")
	assert.Contains(t, w.Body.String(), `value="600"`)
	w = p.do(http.MethodPost, at, with(form, url.Values{"payout.triple": {"600"}, "action": {"do"}}))
	require.Equal(t, http.StatusConflict, w.Code)
	_, again = p.storedField(t, game, "betting_rules")
	assert.Equal(t, now, again, "nothing is overwritten")
	w = p.do(http.MethodPost, at, with(typedForm(t, w.Body.String(), at), url.Values{"action": {"review"}}))
	require.Equal(t, http.StatusOK, w.Code, "after the user was told, the form is compared with what is there now")
	assert.Contains(t, w.Body.String(), ">550<")
}

func TestPayoutsAboveTheStakesNeedAReason(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	at := gamePath("lotto-activo") + "/payouts"
	typed := with(typedForm(t, p.get(at).Body.String(), at), url.Values{"payout.straight": {"40"}})
	review := p.do(http.MethodPost, at, with(typed, url.Values{"action": {"review"}})).Body.String()
	assert.Contains(t, review, "some bets pay more than they take in")
	assert.Contains(t, review, `name="force_reason"`)
	changes := p.catalogueChanges(t)
	w := p.do(http.MethodPost, at, with(typedForm(t, review, at), url.Values{"action": {"do"}, "force_reason": {""}}))
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	require.Equal(t, changes, p.catalogueChanges(t))
	w = p.do(http.MethodPost, at, with(typedForm(t, w.Body.String(), at), url.Values{"action": {"do"}, "force_reason": {"a promotion"}}))
	require.Equal(t, http.StatusSeeOther, w.Code)
	document, _ := p.storedField(t, "lotto-activo", "betting_rules")
	assert.Contains(t, document, "a promotion")
}

// What cannot be read is marked at its field, in the language of the page, and keeps what was typed.
func TestWrongValuesInTheFormsOfAGame(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	p.header["Accept-Language"] = spanish
	for _, tt := range []struct {
		form, field, typed, says string
	}{
		{"payouts", "payout.straight", "treinta", "Un número mayor que cero con dos decimales como máximo"},
		{"payouts", "payout.straight", "0", "Un número mayor que cero con dos decimales como máximo"},
		{"payouts", "max.straight.VES", "12.34.5", "Un monto como 1.234,56"},
		{"payouts", "ticket.straight", "muchas", "Un número entero, desde 0."},
		{"payouts", "others.straight", "05 40", "No se entiende «05 40»"},
		{"payouts", "others.straight", "99 = 40", "No es una selección de la cuadrícula del juego."},
		{"schedule", "times", "8, 9 pm", "Horas separadas por comas"},
		{"schedule", "holidays", "31/02/2026", "«31/02/2026» no es un día"},
		{"schedule", "zone", "America/Macondo", "No es una zona horaria."},
		{"schedule", "sale_stop", "mañana", "Minutos antes del sorteo"},
		{"schedule", "numbers", "1:00 am = X", "no es una hora del horario"},
		{"mechanics", "flag.0.chance", "120", "De 0 a 100, como 5 o 0,5."},
		{"sources", "source.0.result.value", "", "Falta."},
		{"sources", "source.0.headers", "sin signo", "No se entiende «sin signo»"},
	} {
		at := gamePath("lotto-activo") + "/" + tt.form
		form := typedForm(t, p.get(at).Body.String(), at)
		if tt.form == "mechanics" {
			form.Set("flag.0.code", "MEGA")
			form.Set("flag.0.amount", "40")
		}
		w := p.do(http.MethodPost, at, with(form, url.Values{tt.field: {tt.typed}, "action": {"review"}}))
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, tt.field)
		body := w.Body.String()
		assert.Contains(t, body, `href="#`+tt.field+`"`, "%s: the summary leads to the field", tt.field)
		assert.Contains(t, html.UnescapeString(body), tt.says, tt.field)
		assert.Contains(t, html.UnescapeString(body), tt.typed, "%s keeps what was typed", tt.field)
		w = p.do(http.MethodPost, at, with(form, url.Values{tt.field: {tt.typed}, "action": {"do"}}))
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, "%s: a form that goes around its review", tt.field)
	}
}

func TestOtherFormsOfAGameAreSaved(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	save := func(form string, typed url.Values) string {
		at := gamePath("lotto-activo") + "/" + form
		w := p.do(http.MethodPost, at, with(with(typedForm(t, p.get(at).Body.String(), at), typed), url.Values{"action": {"review"}}))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		review := w.Body.String()
		w = p.do(http.MethodPost, at, with(typedForm(t, review, at), url.Values{"action": {"do"}}))
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
		return review
	}
	review := save("schedule", url.Values{"times": {"8:00 am, 10:30 pm"}, "weekdays": {"1", "2"}, "holidays": {"25/12/2026"}, "sale_stop": {"2,5"}, "numbers": {"10:30 pm = N"}})
	assert.Contains(t, review, "The draws of a week go from")
	document, _ := p.storedField(t, "lotto-activo", "schedule_config")
	assert.JSONEq(t, `{"times": ["08:00", {"time": "22:30", "number": "N"}], "weekdays": [1, 2], "holidays": ["2026-12-25"]}`, document)
	stop, _ := p.storedField(t, "lotto-activo", "sale_stop_seconds")
	assert.Equal(t, "150", stop)

	save("mechanics", url.Values{"wildcard.0.code": {"C1"}, "wildcard.0.amount": {"1,1"}, "wildcard.0.chance": {"0,5"}})
	document, _ = p.storedField(t, "lotto-activo", "mechanics")
	assert.JSONEq(t, `{"kind": "element", "wildcards": [{"code": "C1", "multiply": "1.1", "chance": "0.005"}]}`, document)
	save("mechanics", url.Values{"wildcard.0.code": {""}})
	document, _ = p.storedField(t, "lotto-activo", "mechanics")
	assert.JSONEq(t, `{"kind": "element"}`, document)

	save("sources", url.Values{"policy": {"manual"}, "source.0.elements": {"Leon = 05\nToro = 02"}, "source.0.trusted": nil})
	document, _ = p.storedField(t, "lotto-activo", "api_config")
	var config map[string]any
	require.NoError(t, json.Unmarshal([]byte(document), &config))
	assert.Equal(t, map[string]any{"policy": "manual"}, config["verify"])
	assert.Equal(t, map[string]any{"Leon": "05", "Toro": "02"}, as[map[string]any](t, as[[]any](t, config["sources"])[0])["elements"])
}

// The margin follows what is typed; the review asks for the password and saves.
func TestAPayoutIsChangedInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupOrg(t, models.RoleAdmin)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + gamePath("lotto-activo") + "/schedule")
	tab.Click(".chosen:has(#hours) + .fold > summary")
	tab.Fill("#times", "9:15 pm")
	tab.Until(`document.getElementById("hours").textContent === "9:15 pm"`)
	tab.Click(`#hours .drop`)
	tab.Until(`document.getElementById("hours").textContent === "" && document.activeElement.id === "add-times"`)
	tab.Choose("#add-times", "21:30")
	tab.Click(`.chosen:has(#hours) .row button`)
	tab.Until(`document.getElementById("hours").textContent === "9:30 pm" && document.getElementById("times").value === "9:30 pm"`)
	assert.Empty(t, chromium.Value[string](tab, `document.getElementById("add-times").value`))
	tab.Visit(server + gamePath("lotto-activo"))
	tab.Follow(`#payouts .actions a`)
	tab.Narrow()
	assert.True(t, chromium.Value[bool](tab, `document.querySelector("main .row button[value=review]").getBoundingClientRect().bottom <= innerHeight`), "the foot of the form is in sight on a phone")
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	tab.Wide()
	tab.Fill("#payout\\.straight", "33")
	tab.Until(`document.querySelector("#margin").textContent.includes("13,16 %")`)
	tab.Fill("#payout\\.straight", "treinta")
	tab.Until(`document.querySelector("#margin").textContent.includes("Corrija lo siguiente")`)
	tab.Expect("422 POST")
	tab.Follow(`main .row button[value=review]`)
	tab.Until(`document.activeElement.id === "summary"`)
	tab.Fill("#payout\\.straight", "33,5")
	tab.Follow(`main .row button[value=review]`)
	assert.Contains(t, tab.Text("main"), "Efecto en dinero por cada 1.000,00 Bs")
	tab.Follow(`main button[value=calculate]`)
	assert.Equal(t, "33,5", chromium.Value[string](tab, `document.getElementById("payout.straight").value`), "the review goes back to the form as it was typed")
	tab.Follow(`main .row button[value=review]`)
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	tab.Follow(`main button[value=do]`)
	assert.Contains(t, tab.Text("main"), "Los cambios se guardaron")
	document, _ := p.storedField(t, "lotto-activo", "betting_rules")
	assert.Contains(t, document, "33.5")
}

// as returns a decoded value of JSON as the type that it must have.
func as[T any](t *testing.T, value any) T {
	t.Helper()
	typed, ok := value.(T)
	require.True(t, ok, "%T", value)
	return typed
}

// The times of draws are filled in from an interval, and holidays are shown with their weekdays.
func TestTimesAreFilledIn(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	p.header["Accept-Language"] = spanish
	at := gamePath("lotto-activo") + "/schedule"
	fill := func(every, first, last string) string {
		form := url.Values{tokenField: {p.token(t, at)}, "action": {"fill"}, "every": {every}, "first": {first}, "last": {last}, "times": {"1:00 pm"}, "weekdays": {"1"}, "holidays": {"25/12/2026"}}
		w := p.do(http.MethodPost, at, form)
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	page := fill("1:30", "8 am", "12:15 pm")
	assert.Contains(t, page, ">8:00 am, 9:30 am, 11:00 am</textarea>")
	assert.Contains(t, page, "<p>3 sorteos por día: 8:00 am, 9:30 am, 11:00 am</p>")
	assert.Contains(t, page, "Sin sorteos: 25/12/2026 viernes")
	assert.Contains(t, fill("30", "11:00 pm", "11:59 pm"), ">11:00 pm, 11:30 pm</textarea>")
	for _, wrong := range [][3]string{{"0", "8 am", "9 am"}, {"x", "8 am", "9 am"}, {"60", "x", "9 am"}, {"60", "8 am, 9 am", "10 am"}, {"60", "8 am", "8 am"}, {"60", "", ""}} {
		page := fill(wrong[0], wrong[1], wrong[2])
		assert.Contains(t, page, ">1:00 pm</textarea>", wrong)
		assert.Contains(t, page, `aria-invalid="true"`, wrong)
	}
	take := func(action, hour, day string) string {
		w := p.do(http.MethodPost, at, url.Values{tokenField: {p.token(t, at)}, "action": {action}, "times": {"1:00 pm, 2 pm"}, "add.times": {hour}, "weekdays": {"1"}, "holidays": {"25/12/2026"}, "add.holidays": {day}})
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	assert.Contains(t, take("add", "09:30", "2026-12-24"), ">9:30 am, 1:00 pm, 2:00 pm</textarea>")
	assert.Contains(t, take("enter", "13:00", "2026-12-24"), ">24/12/2026, 25/12/2026</textarea>")
	assert.Contains(t, take("drop.times.14:00", "", ""), ">1:00 pm</textarea>")
	assert.Contains(t, take("drop.holidays.2026-12-25", "", ""), `name="holidays" rows="3" spellcheck="false"`)
	page = take("calculate", "09:30", "")
	assert.Contains(t, page, ">1:00 pm, 2 pm</textarea>", "a preview adds nothing")
	assert.Contains(t, page, `name="add.times" value="09:30"`)
}
