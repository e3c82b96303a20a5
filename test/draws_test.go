package test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

const (
	walkSale  = 4 * time.Second        // for which the walk's draws are on sale
	walkLate  = 10 * time.Second       // after which a closing counts as late: the sweep for what was missed comes every 15 s
	walkStake = 12.5                   // a number in JSON, in VES
	walkZone  = "America/Caracas"      // of the seeded organisation
	second    = "segunda@banca.test"   // the second person
	secondKey = "a-password-of-second" // hers
)

// drawWalk is the platform with an operator's two users, a cashier whose device listens, and a game of four elements.
type drawWalk struct {
	*platform
	admin, other, cashier string
	game                  string
	ws                    *news
	sold                  int
}

// A draw's whole life for the operator and a point of sale: planned, sold, closed at its stop, its result typed and
// verified by another person, corrected, and another draw that is suspended.
func TestAllStatesOfADrawEndToEnd(t *testing.T) {
	t.Parallel()
	w := &drawWalk{platform: newPlatform(t)}
	w.start()
	w.admin, w.cashier = w.login(panelUser), w.login("taquilla@banca.test")
	w.other = w.secondAdmin()
	w.ws = w.listen()
	defer func() { _ = w.ws.CloseNow() }()
	w.game = w.newGame("walk-uno")

	draw, stop := w.plan("W1")
	winner, loser := w.ticket(draw, "1"), w.ticket(draw, "2")
	w.requireClosedAt(draw, stop)
	refused := w.sellOn(draw, "1")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status, string(refused.raw))
	require.Len(t, refused.problems(), 1, string(refused.raw))
	require.Equal(t, []any{"items[0]", "DRAW_CLOSED"}, []any{refused.problems()[0]["location"], refused.problems()[0]["code"]})
	require.Regexp(t, `^(la venta de|sales of) .+ \d{1,2}:\d\d [ap]m `, refused.problems()[0]["message"], "by its game and hour, not by its number")

	result := w.enter(draw, "1")
	own := w.post("/results/"+result+"/verify", w.admin, nil, "")
	require.Equal(t, []any{http.StatusForbidden, "SECOND_PERSON_REQUIRED"}, []any{own.status, own.body["code"]}, string(own.raw))
	require.Equal(t, "pending", w.state(winner))
	require.Empty(t, w.published("Paseo walk-uno"), "a result that is not verified is not public")
	verified := w.post("/results/"+result+"/verify", w.other, map[string]any{"value": "1"}, "")
	require.Equal(t, http.StatusOK, verified.status, string(verified.raw))
	await(t, w.ws, "result.published", "draw_id", draw)
	await(t, w.ws, "ticket.updated", "ticket_id", winner.id)
	require.Equal(t, []string{"won", "lost"}, []string{w.state(winner), w.state(loser)})
	require.Eventually(t, func() bool { return w.published("Paseo walk-uno") == "1 Uno" }, testkit.WaitTimeout, 100*time.Millisecond)
	w.publishedElsewhere()

	w.correct(draw, result, winner, loser)
	w.suspend()
	require.NoError(t, w.interrupt())
}

// published returns the last public result of a game of today; "" for none.
func (w *drawWalk) published(game string) string {
	w.t.Helper()
	games, _ := w.get("/resultados", "").data()["games"].([]any)
	for _, each := range games {
		one, _ := each.(map[string]any)
		results, _ := one["results"].([]any)
		if one["name"] == game && len(results) > 0 {
			last, _ := results[0].(map[string]any)
			text, _ := last["result"].(string)
			return text
		}
	}
	return ""
}

// publishedElsewhere opens a page of another site with the script of the results, whose styles do not meet.
func (w *drawWalk) publishedElsewhere() {
	w.t.Helper()
	browser.Need(w.t)
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(rw, `<!doctype html><html lang="es"><link rel="icon" href="data:,"><title>Agencia</title><style>li { color: red }</style>
			<script src="http://`+w.addr+`/resultados/widget.js" data-games="paseo walk-uno" data-into="#aqui" async></script><div id="aqui"></div>`)
	}))
	defer site.Close()
	tab := browser.Open(w.t)
	tab.Narrow()
	tab.Visit(site.URL)
	tab.Until(`Boolean(document.querySelector("#aqui > div")?.shadowRoot.querySelector("li"))`)
	const shown = `(() => { const li = document.querySelector("#aqui > div").shadowRoot.querySelector("li"); return li.textContent + getComputedStyle(li).color })()`
	require.Regexp(w.t, `[ap]m1 Unorgb\(27, 31, 36\)`, browser.Value[string](tab, shown))
	require.True(w.t, browser.Value[bool](tab, `document.documentElement.scrollWidth <= innerWidth && document.cookie === ""`))
	tab.Visit("http://" + w.addr + "/resultados")
	require.Contains(w.t, tab.Text("main"), "1 Uno")
	if shots := os.Getenv("BANCA_SHOTS"); shots != "" {
		tab.Save(filepath.Join(shots, "resultados.png"))
	}
}

// correct has the result corrected: tried, which changes nothing, filed, and verified by the other person.
func (w *drawWalk) correct(draw, result string, winner, loser walkTicket) {
	t := w.t
	change := map[string]any{"value": "2", "reason": "misread", "dry_run": true}
	tried := w.post("/results/"+result+"/correct", w.admin, change, "")
	require.Equal(t, http.StatusOK, tried.status, string(tried.raw))
	requireDifference(t, tried)
	require.Nil(t, tried.data()["result"])
	require.Equal(t, []string{"won", "lost"}, []string{w.state(winner), w.state(loser)}, "it was only tried")
	require.Len(t, w.get("/results?draw_id="+draw, w.admin).list(), 1)

	change["dry_run"] = false
	filed := w.post("/results/"+result+"/correct", w.admin, change, "")
	require.Equal(t, http.StatusOK, filed.status, string(filed.raw))
	correction, _ := filed.data()["result"].(map[string]any)
	id, _ := correction["id"].(string)
	require.Equal(t, "proposed", correction["status"])
	require.Equal(t, "won", w.state(winner), "it waits for the other person")
	requireDifference(t, w.get("/results/"+id+"/difference", w.other))
	done := w.post("/results/"+id+"/verify", w.other, map[string]any{"value": "2"}, "")
	require.Equal(t, http.StatusOK, done.status, string(done.raw))
	requireDifference(t, done)
	await(t, w.ws, "result.published", "value", "2")
	await(t, w.ws, "ticket.updated", "status", "won")
	require.Equal(t, []string{"lost", "won"}, []string{w.state(winner), w.state(loser)})
}

func requireDifference(t *testing.T, a answer) {
	t.Helper()
	difference, _ := a.data()["difference"].(map[string]any)
	currencies, _ := difference["currencies"].([]any)
	require.Len(t, currencies, 1, string(a.raw))
	c, _ := currencies[0].(map[string]any)
	require.Equal(t, []any{"VES", 1.0, 1.0, "37.50", "37.50"}, []any{c["currency"], c["lowered_tickets"], c["raised_tickets"], c["prizes_before"], c["prizes_after"]}, string(a.raw))
}

// suspend has another draw suspended: its ticket is given back, to the last cent.
func (w *drawWalk) suspend() {
	t := w.t
	w.game = w.newGame("walk-dos") // a plan is that of a game's whole day
	before := w.balances()
	draw, _ := w.plan("W2")
	ticket := w.ticket(draw, "3")
	require.NotEqual(t, before, w.balances())
	a := w.post("/draws/"+draw+"/suspend", w.admin, map[string]any{"reason": "no light"}, "")
	require.Equal(t, []any{http.StatusOK, "suspended"}, []any{a.status, a.data()["status"]}, string(a.raw))
	await(t, w.ws, "draw.closed", "draw_id", draw)
	require.NotEqual(t, http.StatusCreated, w.sellOn(draw, "1").status, "at once")
	await(t, w.ws, "ticket.updated", "ticket_id", ticket.id)
	require.Eventually(t, func() bool { return w.get(ticket.path, w.cashier).data()["status"] == "cancelled" }, testkit.WaitTimeout, 50*time.Millisecond)
	require.Equal(t, "cancelled", w.state(ticket))
	require.Equal(t, before, w.balances(), "restored exactly")
}

// secondAdmin makes another administrator of the operator and returns her token.
func (w *drawWalk) secondAdmin() string {
	w.t.Helper()
	require.Equal(w.t, http.StatusOK, w.post("/auth/confirm", w.admin, map[string]any{"password": seed.Password}, "").status)
	root := w.get("/auth/me", w.admin).data()["entity_id"]
	made := w.post("/users", w.admin, map[string]any{
		"entity_id": root, "name": "Segunda", "email": second, "role": "ADMIN", "auth_method": "password", "password": secondKey,
	}, "")
	require.Equal(w.t, http.StatusCreated, made.status, string(made.raw))
	in := w.post("/auth/login", "", map[string]string{"email": second, "password": secondKey}, "")
	token, _ := in.data()["access_token"].(string)
	confirmed := w.post("/auth/confirm", token, map[string]any{"password": secondKey}, "")
	require.Equal(w.t, http.StatusOK, confirmed.status, string(confirmed.raw))
	return token
}

// listen registers the cashier's device and connects it.
func (w *drawWalk) listen() *news {
	w.t.Helper()
	made := w.post("/auth/devices", w.cashier, map[string]any{"name": "Caja", "fingerprint": "fingerprint-walk"}, "")
	require.Equal(w.t, http.StatusCreated, made.status, string(made.raw))
	device, _ := made.data()["id"].(string)
	valid := w.post("/auth/devices/validate", w.cashier, map[string]any{"deviceId": device, "fingerprint": "fingerprint-walk"}, "")
	require.Equal(w.t, http.StatusOK, valid.status, string(valid.raw))
	session, _ := valid.data()["id"].(string)
	address := "http://" + w.addr + "/ws?" + url.Values{"deviceId": {device}, "sessionId": {session}}.Encode()
	ws, _, err := websocket.Dial(w.t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + w.cashier}}}) //nolint:bodyclose // it has none: the connection is a WebSocket
	require.NoError(w.t, err)
	return listen(ws)
}

// newGame makes a game of four elements, each of which pays three times its stake, sold until its draws.
func (w *drawWalk) newGame(code string) string {
	w.t.Helper()
	return w.newGameOf(code, "Uno", "Dos", "Tres", "Cuatro")
}

// newGameOf makes a game like that of the named elements, whose codes are 1, 2, 3 ...
func (w *drawWalk) newGameOf(code string, names ...string) string {
	w.t.Helper()
	elements := make([]map[string]any, len(names))
	for i, name := range names {
		elements[i] = map[string]any{"code": strconv.Itoa(i + 1), "name": name}
	}
	seeded := w.get("/games/"+seed.ID("game", "lotto-activo").String(), w.admin).data()
	made := w.post("/games", w.admin, map[string]any{
		"name": "Paseo " + code, "short_code": code, "category_id": seeded["category_id"], "sale_stop_seconds": 0,
		"mechanics": map[string]any{"kind": "element"}, "betting_rules": map[string]any{"bet_types": []any{map[string]any{"type": "straight", "payout": "3"}}},
	}, "")
	require.Equal(w.t, http.StatusCreated, made.status, string(made.raw))
	id, _ := made.data()["id"].(string)
	grid := w.post("/games/"+id+"/bulk-data", w.admin, map[string]any{"elements": elements}, "")
	require.Equal(w.t, []any{http.StatusOK, float64(len(names))}, []any{grid.status, grid.data()["elements"]}, string(grid.raw))
	if status := made.data()["status"]; status != "active" {
		on := w.do(http.MethodPut, "/games/"+id+"/status", w.admin, map[string]any{"status": "active"}, "")
		require.Equal(w.t, http.StatusOK, on.status, string(on.raw))
	}
	return id
}

// plan plans one draw some seconds ahead, which is all of its game on that day.
func (w *drawWalk) plan(number string) (draw string, stop time.Time) {
	w.t.Helper()
	stop = time.Now().Add(walkSale).UTC().Truncate(time.Millisecond)
	return w.planAt(number, stop), stop
}

// planAt plans one draw, which is all of its game on that day, or moves it there.
func (w *drawWalk) planAt(number string, stop time.Time) (draw string) {
	w.t.Helper()
	zone, err := time.LoadLocation(walkZone)
	require.NoError(w.t, err)
	day := stop.In(zone).Format(time.DateOnly)
	planned := w.post("/games/"+w.game+"/draws/bulk", w.admin, map[string]any{
		"from": day, "to": day, "draws": []map[string]any{{"draw_number": number, "draw_time": stop}},
	}, "")
	require.Equal(w.t, http.StatusOK, planned.status, string(planned.raw))
	created, _ := planned.data()["created"].(float64)
	updated, _ := planned.data()["updated"].(float64)
	require.InDelta(w.t, 1, created+updated, 0, string(planned.raw))
	draws := w.get("/draws?game_id="+w.game, w.cashier).list()
	require.Len(w.t, draws, 1, "it is seen at once")
	draw, _ = draws[0]["id"].(string)
	return draw
}

// walkTicket is where a ticket is found.
type walkTicket struct{ id, path, serial string }

func (w *drawWalk) sellOn(draw, selection string) answer {
	w.sold++
	return w.post("/sales/tickets", w.cashier, map[string]any{
		"currency": "VES", "items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": selection, "amount": walkStake}},
	}, "draw-walk-"+strconv.Itoa(w.sold)+uuid.NewString())
}

func (w *drawWalk) ticket(draw, selection string) walkTicket {
	w.t.Helper()
	sold := w.sellOn(draw, selection)
	require.Equal(w.t, http.StatusCreated, sold.status, string(sold.raw))
	id, _ := sold.data()["id"].(string)
	serial, _ := sold.data()["serial_code"].(string)
	return walkTicket{id: id, path: sold.header.Get("Location"), serial: serial}
}

// state returns a ticket's state, as its public page shows it, too.
func (w *drawWalk) state(of walkTicket) string {
	w.t.Helper()
	state, _ := w.get(of.path, w.cashier).data()["status"].(string)
	require.Equal(w.t, state, w.get("/t/"+of.serial, "").data()["status"])
	return state
}

// requireClosedAt waits for the news that a draw is closed and wants it neither before its stop nor late.
func (w *drawWalk) requireClosedAt(draw string, stop time.Time) {
	w.t.Helper()
	await(w.t, w.ws, "draw.closed", "draw_id", draw)
	late := time.Since(stop)
	w.t.Logf("draw.closed came %s after the stop", late)
	require.GreaterOrEqual(w.t, late, time.Duration(0), "it was sold to its very stop")
	require.Less(w.t, late, walkLate)
}

// enter types a result, and requires first that users below the operator cannot.
func (w *drawWalk) enter(draw, value string) string {
	w.t.Helper()
	body := map[string]any{"draw_id": draw, "value": value}
	require.Equal(w.t, http.StatusForbidden, w.post("/results", w.cashier, body, "").status)
	a := w.post("/results", w.admin, body, "")
	require.Equal(w.t, http.StatusCreated, a.status, string(a.raw))
	require.Equal(w.t, "proposed", a.data()["status"])
	id, _ := a.data()["id"].(string)
	return id
}

// balances returns the balances of all wallets as one text.
func (w *drawWalk) balances() string {
	w.t.Helper()
	all := map[string]any{}
	for _, wallet := range w.get("/wallets?page_size=200", w.admin).list() {
		id, _ := wallet["id"].(string)
		all[id] = wallet["balance"]
	}
	require.NotEmpty(w.t, all)
	raw, err := json.Marshal(all)
	require.NoError(w.t, err)
	return string(raw)
}

// problems are the places of a refusal.
func (a answer) problems() []map[string]any {
	list, _ := a.body["errors"].([]any)
	return answer{body: map[string]any{"data": list}}.list()
}
