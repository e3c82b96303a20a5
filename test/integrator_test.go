package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// What an integrator meets, over HTTP alone.
func TestIntegrator(t *testing.T) { //nolint:tparallel // its parts follow one another on one platform
	t.Parallel()
	p := newPlatform(t)
	p.start()
	t.Run("limits of zero", func(t *testing.T) { p.in(t).limitsOfZero() })
	t.Run("keys are compared by meaning", func(t *testing.T) { p.in(t).keysCompareMeanings() })
	t.Run("a replay shows no other user's code", func(t *testing.T) { p.in(t).replayHidesTheCode() })
	t.Run("refusals in the caller's language", func(t *testing.T) { p.in(t).refusalsInBothLanguages() })
	t.Run("HEAD is served wherever GET is", func(t *testing.T) { p.in(t).headWhereverGet() })
	t.Run("the public page of a ticket", func(t *testing.T) { p.in(t).publicTicketPage() })
	require.NoError(t, p.interrupt())
}

func (p *platform) limitsOfZero() {
	admin := p.login("admin@banca.test")
	made := p.post("/risk/limits", admin, map[string]any{"currency": "VES", "metric": "stake", "element": "35", "base": 0}, "")
	require.Equal(p.t, http.StatusCreated, made.status, string(made.raw))
	at := made.header.Get("Location")
	require.Equal(p.t, "0.00", p.get(at, admin).data()["base"])
	changed := p.do(http.MethodPut, at, admin, map[string]any{"base": "0.00", "pct": "2.50"}, "")
	require.Equal(p.t, http.StatusOK, changed.status, string(changed.raw))
	read := p.get(at, admin).data()
	require.Equal(p.t, []any{"0.00", "2.50"}, []any{read["base"], read["pct"]})
	gone := p.do(http.MethodDelete, at, admin, nil, "")
	require.Equal(p.t, map[string]any{"id": made.data()["id"], "deleted": true}, gone.data(), string(gone.raw))
}

// sellRaw sells with a body as it is written.
func (p *platform) sellRaw(token, key, language, body string) answer {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, "http://"+p.addr+"/sales/tickets", strings.NewReader(body))
	require.NoError(p.t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Authorization": "Bearer " + token, "Idempotency-Key": key, "Accept-Language": language,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return p.send(req)
}

func (p *platform) keysCompareMeanings() {
	token := p.login("taquilla@banca.test")
	draw := p.openDraw(token)
	first := p.sellRaw(token, "meaning", "", `{"currency":"VES","items":[{"draw_id":"`+draw+`","bet_type":"straight","selection":"5","amount":"10.00"}]}`)
	require.Equal(p.t, http.StatusCreated, first.status, string(first.raw))
	currency, _ := first.data()["currency_id"].(string)
	for _, body := range []string{
		`{ "items": [ {"amount": 10, "selection": ["5"], "bet_type": "straight", "draw_id": "` + strings.ToUpper(draw) + `"} ], "currency": "VES" }`,
		`{"currency_id":"` + currency + `","items":[{"draw_id":"` + draw + `","bet_type":"straight","selection":"5","amount":"10.0"}]}`,
	} {
		again := p.sellRaw(token, "meaning", "", body)
		require.Equal(p.t, "true", again.header.Get("Idempotent-Replayed"), string(again.raw))
		require.Equal(p.t, first.data(), again.data())
	}
	other := p.sellRaw(token, "meaning", "", `{"currency":"VES","items":[{"draw_id":"`+draw+`","bet_type":"straight","selection":"5","amount":"10.01"}]}`)
	require.Equal(p.t, []any{http.StatusConflict, "IDEMPOTENCY_KEY_REUSED"}, []any{other.status, other.body["code"]})
}

// replayHidesTheCode repeats a sale as a second seller of the same point, with and without prizes:pay.
func (p *platform) replayHidesTheCode() {
	admin, first := p.login("admin@banca.test"), p.login("taquilla@banca.test")
	body := `{"currency":"VES","items":[{"draw_id":"` + p.openDraw(first) + `","bet_type":"straight","selection":"5","amount":"10.00"}]}`
	sold := p.sellRaw(first, "replay", "", body)
	require.Equal(p.t, http.StatusCreated, sold.status, string(sold.raw))
	require.NotEmpty(p.t, sold.data()["validation_code"])
	made := p.post("/users", admin, map[string]any{
		"entity_id": p.get("/auth/me", first).data()["entity_id"], "name": "Second", "email": "second@banca.test", "role": "TAQUILLA", "auth_method": "password", "password": "a second till",
	}, "")
	require.Equal(p.t, http.StatusCreated, made.status, string(made.raw))
	second, _ := made.data()["id"].(string)
	replay := func() map[string]any {
		again := p.sellRaw(p.loginWith("second@banca.test", "a second till"), "replay", "", body)
		require.Equal(p.t, "true", again.header.Get("Idempotent-Replayed"), string(again.raw))
		require.Equal(p.t, sold.data()["id"], again.data()["id"])
		return again.data()
	}
	require.Equal(p.t, sold.data()["validation_code"], replay()["validation_code"], "with prizes:pay")
	denied := p.do(http.MethodPut, "/users/"+second+"/permissions", admin, map[string]any{"granted": []string{}, "denied": []string{"prizes:pay"}}, "")
	require.Equal(p.t, http.StatusOK, denied.status, string(denied.raw))
	require.Empty(p.t, replay()["validation_code"])
	require.Empty(p.t, replay()["image_url"])
	require.Equal(p.t, sold.data()["validation_code"], p.sellRaw(first, "replay", "", body).data()["validation_code"], "the seller")
}

func (p *platform) refusalsInBothLanguages() {
	token := p.login("taquilla@banca.test")
	body := `{"currency":"VES","items":[{"draw_id":"` + p.openDraw(token) + `","bet_type":"straight","selection":"38","amount":"10.00"}]}`
	for language, want := range map[string][2]string{
		"":               {"es", "38 no está en la cuadrícula de Lotto Activo (0, 00, 1 a 36)"},
		"es-VE":          {"es", "38 no está en la cuadrícula de Lotto Activo (0, 00, 1 a 36)"},
		"en-GB,es;q=0.5": {"en", "38 is not in the grid of Lotto Activo (0, 00, 1 to 36)"},
	} {
		refused := p.sellRaw(token, "", language, body)
		require.Equal(p.t, []any{http.StatusUnprocessableEntity, "INVALID_TICKET"}, []any{refused.status, refused.body["code"]}, string(refused.raw))
		require.Equal(p.t, want[0], refused.header.Get("Content-Language"))
		require.Equal(p.t, []any{map[string]any{"location": refused.problems()[0]["location"], "code": "UNKNOWN_SELECTION", "message": want[1]}}, refused.body["errors"])
	}
}

// headWhereverGet walks over all operations of the document.
func (p *platform) headWhereverGet() {
	admin := p.login("admin@banca.test")
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(p.t, json.Unmarshal(p.get("/openapi.json", "").raw, &document))
	walked := 0
	for path, operations := range document.Paths {
		if operations["get"] == nil {
			continue
		}
		walked++
		parts := strings.Split(path, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, "{") {
				parts[i] = uuid.NewString()
			}
		}
		at := strings.Join(parts, "/")
		get, head := p.get(at, admin), p.do(http.MethodHead, at, admin, nil, "")
		assert.Equal(p.t, get.status, head.status, path)
		assert.Empty(p.t, head.raw, path)
		assert.Equal(p.t, get.header.Get("Content-Type"), head.header.Get("Content-Type"), path)
	}
	require.Greater(p.t, walked, 60)
}

// printScript returns the computed style of the printed page of a ticket.
const printScript = `(() => {
	const style = (selector, name) => getComputedStyle(document.querySelector(selector))[name]
	const shown = ["p.what", "p.serial", "h1", "p.hint"].filter(s => document.querySelector(s).checkVisibility())
	return {paper: style("body", "backgroundColor"), card: style("main", "backgroundColor"), state: style("h1", "color"), serial: style(".serial", "color"),
		hint: style(".hint", "color"), border: style("main", "borderTopWidth"), corner: style("main", "borderTopLeftRadius"), shown: shown.join(" ")}
})()`

// printedPage is black ink on white paper without the coloured bar; all texts are visible.
func printedPage() map[string]string {
	const white, black = "rgb(255, 255, 255)", "rgb(0, 0, 0)"
	return map[string]string{
		"paper": white, "card": white, "state": black, "serial": black, "hint": black, "border": "1px", "corner": "0px", "shown": "p.what p.serial h1 p.hint",
	}
}

// publicTicketPage opens the page of a ticket on a desk and on a phone, light and dark, in both languages.
func (p *platform) publicTicketPage() {
	token := p.login("taquilla@banca.test")
	sold := p.sell(token, p.openDraw(token), "public-page")
	require.Equal(p.t, http.StatusCreated, sold.status, string(sold.raw))
	serial, _ := sold.data()["serial_code"].(string)
	tab := browser.Open(p.t)
	address := "http://" + p.addr + "/t/" + serial
	const fits, styled = `document.documentElement.scrollWidth <= innerWidth`, `getComputedStyle(document.querySelector("main")).borderTopWidth`
	for _, scheme := range []string{"light", "dark"} {
		tab.Scheme(scheme)
		tab.Visit(address)
		require.Equal(p.t, "Valid", tab.Text("h1"), "the browser asks for English")
		require.Contains(p.t, tab.Text("main"), serial)
		require.Equal(p.t, "8px", browser.Value[string](tab, styled), "its style is let through")
		shown := tab.Text("main")
		require.Contains(p.t, shown, "Lotto Activo")
		require.Contains(p.t, shown, "Taquilla Doña Peña")
		require.NotContains(p.t, shown, "Bs", "no amount, whoever looks at the screen")
	}
	light := browser.Value[string](tab, `getComputedStyle(document.body).backgroundColor`)
	tab.Scheme("light")
	tab.Visit(address)
	require.NotEqual(p.t, light, browser.Value[string](tab, `getComputedStyle(document.body).backgroundColor`))
	tab.Narrow()
	tab.Visit(address)
	require.True(p.t, browser.Value[bool](tab, fits), "on a phone of 360 pixels")
	for _, scheme := range []string{"light", "dark"} {
		tab.Print(scheme)
		tab.Visit(address)
		require.Equal(p.t, printedPage(), browser.Value[map[string]string](tab, printScript), "printed, %s", scheme)
		require.Contains(p.t, tab.Text("main"), serial)
	}
	tab.Scheme("light")

	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(p.t, err)
	req.Header.Set("Accept", "text/html")
	page := p.send(req)
	require.Contains(p.t, string(page.raw), "<h1>Vigente</h1>")
	require.Equal(p.t, "es", page.header.Get("Content-Language"))
	require.NotContains(p.t, page.header.Get("Content-Security-Policy"), "unsafe")
	require.Eventually(p.t, func() bool {
		id, _ := sold.data()["id"].(string)
		return p.post("/sales/tickets/"+id+"/cancel", token, nil, "public-cancel").status == http.StatusOK
	}, testkit.WaitTimeout, 50*time.Millisecond)
	tab.Visit(address)
	require.Equal(p.t, "Cancelled", tab.Text("h1"))
}
