package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api"
	"banca/internal/auth"
	"banca/web/kit"
)

// pageOperations are the operations of the API that do what a page or a form of the panel does, where operationsByID.at
// does not find them.
func pageOperations() map[string][]string {
	return map[string][]string{
		"GET /admin/health":                                       {"health-dashboard"},
		"GET /admin/tickets/:id/picture":                          {"get-receipt"},
		"GET /admin/games/categories":                             {"list-game-categories", "get-game-category"},
		"POST /admin/games/categories/save":                       {"create-game-category", "update-game-category"},
		"POST /admin/games/categories/delete":                     {"delete-game-category"},
		"GET /admin/games/:id":                                    {"get-game", "list-game-elements"},
		"POST /admin/games/:id/facts":                             {"update-game"},
		"POST /admin/games/:id/payouts":                           {"update-game"},
		"POST /admin/games/:id/schedule":                          {"update-game"},
		"POST /admin/games/:id/mechanics":                         {"update-game"},
		"POST /admin/games/:id/sources":                           {"update-game"},
		"POST /admin/games/:id/logo":                              {"update-game"},
		"POST /admin/games/:id/status":                            {"set-game-status"},
		"GET /admin/games/:id/elements/:code":                     {"list-game-elements"},
		"GET /admin/games/:id/draws":                              {"list-draws", "get-draw"},
		"POST /admin/games/:id/draws/plan":                        {"sync-draws"},
		"GET /admin/draws":                                        {"list-results"},
		"GET /admin/draws/:id":                                    {"get-result"},
		"GET /admin/draws/alerts":                                 {"list-draw-alerts"},
		"POST /admin/draws/alerts/:id/acknowledge":                {"acknowledge-draw-alert"},
		"POST /admin/draws/results/enter":                         {"enter-result"},
		"POST /admin/draws/results/verify":                        {"verify-result"},
		"POST /admin/draws/:id/enter":                             {"enter-result"},
		"POST /admin/draws/:id/correct":                           {"correct-result"},
		"POST /admin/draws/:id/verify":                            {"verify-result"},
		"POST /admin/draws/:id/reject":                            {"reject-result"},
		"GET /admin/messages/texts":                               {"list-templates"},
		"GET /admin/messages/texts/:purpose/:language":            {"get-template"},
		"POST /admin/messages/texts/:purpose/:language/save":      {"put-template"},
		"POST /admin/messages/texts/:purpose/:language/inherit":   {"inherit-template"},
		"POST /admin/messages/texts/:purpose/:language/preview":   {"preview-template"},
		"GET /admin/weekly":                                       {"list-weekly-settlements"},
		"POST /admin/weekly/confirm":                              {"confirm-week"},
		"POST /admin/weekly/draft":                                {"draft-week"},
		"GET /admin/weekly/:id":                                   {"get-weekly-settlement"},
		"POST /admin/weekly/:id/confirm":                          {"confirm-weekly-settlement"},
		"POST /admin/weekly/:id/pay":                              {"pay-weekly-settlement"},
		"POST /admin/weekly/:id/link":                             {"pay-weekly-settlement"},
		"POST /admin/weekly/:id/unlink":                           {"unlink-weekly-payment"},
		"GET /admin/weekly/:id/receipt":                           {"get-weekly-settlement-receipt"},
		"GET /admin/reports/participation":                        {"report-participation"},
		"GET /admin/closes":                                       {"list-daily-closes"},
		"POST /admin/closes":                                      {"open-day"},
		"GET /admin/closes/missing":                               {"list-missing-closes"},
		"GET /admin/closes/balance":                               {"get-daily-balance"},
		"GET /admin/closes/:id":                                   {"get-daily-close"},
		"POST /admin/closes/:id/close":                            {"close-day"},
		"GET /admin/closes/:id/receipt":                           {"get-daily-close-receipt"},
		"GET /admin/reports/sales":                                {"sales-summary", "report-sales"},
		"GET /admin/reports/levels":                               {"report-levels"},
		"GET /admin/reports/waterfall":                            {"report-waterfall"},
		"GET /admin/reports/balances":                             {"report-balances"},
		"GET /admin/reports/expired-prizes":                       {"report-expired-prizes"},
		"GET /admin/reports/files":                                {"list-exports"},
		"GET /admin/reports/silent":                               {"report-sales"},
		"POST /admin/reports/files":                               {"create-export"},
		"GET /admin/reports/files/:id/progress":                   {"get-export"},
		"GET /admin/reports/files/:id/download":                   {"get-export"},
		"GET /admin/prizes":                                       {"list-prizes", "sum-prizes"},
		"GET /admin/prize-differences":                            {"list-prize-differences"},
		"POST /admin/prize-differences/:id/settle":                {"settle-prize-difference"},
		"POST /admin/prize-differences/:id/write-off":             {"write-off-prize-difference"},
		"POST /admin/limits/:id/change":                           {"change-limit"},
		"GET /admin/exposure/:id":                                 {"get-exposure", "list-blocks"},
		"POST /admin/exposure/:id/block":                          {"block-element"},
		"POST /admin/exposure/:id/unblock":                        {"unblock-element"},
		"GET /admin/wallets/:id":                                  {"get-wallet", "list-wallet-transactions"},
		"POST /admin/wallets/:id/deposit":                         {"deposit"},
		"POST /admin/wallets/:id/withdrawal":                      {"withdraw"},
		"POST /admin/wallets/:id/transfer":                        {"transfer"},
		"POST /admin/wallets/:id/reverse":                         {"reverse-movement"},
		"GET /admin/wallets/:id/credit":                           {"list-credit-limits"},
		"POST /admin/wallets/:id/credit":                          {"set-credit-limit"},
		"GET /admin/currencies/:id":                               {"list-rates"},
		"POST /admin/currencies/:id/rate":                         {"set-rate"},
		"POST /admin/currencies/:id/unrate":                       {"delete-rate"},
		"GET /admin/organisation":                                 {"entity-tree", "list-entities"},
		"POST /admin/organisation/new":                            {"create-entity"},
		"POST /admin/organisation/agency":                         {"create-entity"},
		"POST /admin/organisation/bulk":                           {"set-entity-status"},
		"POST /admin/organisation/bulk-rates":                     {"update-entity"},
		"GET /admin/organisation/:id":                             {"get-entity", "entity-effective-config"},
		"POST /admin/organisation/:id/facts":                      {"update-entity"},
		"POST /admin/organisation/:id/settings/:group":            {"update-entity"},
		"POST /admin/organisation/:id/finance":                    {"update-entity"},
		"POST /admin/organisation/:id/status":                     {"set-entity-status"},
		"POST /admin/organisation/:id/move":                       {"move-entity"},
		"POST /admin/organisation/:id/delete":                     {"delete-entity"},
		"POST /admin/organisation/:id/documents":                  {"attach-document"},
		"GET /admin/organisation/:id/documents/:document":         {"list-documents"},
		"POST /admin/organisation/:id/documents/:document/remove": {"remove-document"},
		"GET /admin/users/:id":                                    {"get-user", "get-user-permissions"},
		"POST /admin/users/:id/password":                          {"reset-password"},
		"POST /admin/organisation/import":                         {"import-entities"},
		"POST /admin/users/:id/totp":                              {"reset-totp"},
		"POST /admin/users/:id/permissions":                       {"set-user-permissions"},
		"GET /admin/account":                                      {"me", "list-sessions"},
		"POST /admin/account/password":                            {"change-password"},
		"POST /admin/account/totp/start":                          {"start-totp"},
		"POST /admin/account/totp/enable":                         {"enable-totp"},
		"POST /admin/account/totp/disable":                        {"disable-totp"},
		"GET /admin/activity":                                     {"list-logs"},
		"GET /admin/activity/:id":                                 {"get-log"},
		"POST /admin/activity":                                    {"create-log"},
		"POST /admin/activity/:id/correct":                        {"update-log"},
		"POST /admin/activity/:id/remove":                         {"delete-log"},
		"GET /admin/devices/:id":                                  {"get-device", "list-device-sessions"},
		"POST /admin/devices/:id/name":                            {"update-device"},
		"POST /admin/devices/:id/status":                          {"set-device-status"},
		"POST /admin/devices/:id/sessions/:session/status":        {"set-device-session-status"},
		"GET /admin/messages":                                     {"list-messages"},
		"GET /admin/messages/news":                                {"list-messages"},
		"GET /admin/messages/:id":                                 {"get-message"},
		"GET /admin/messages/:id/state":                           {"get-message"},
		"GET /admin/messages/:id/picture":                         {"get-receipt"},
		"POST /admin/messages/:id/resend":                         {"resend-message"},
		"GET /admin/messages/undelivered":                         {"estimate-resend"},
		"GET /admin/messages/resends":                             {"estimate-resend"},
		"POST /admin/messages/resends":                            {"create-resend"},
		"GET /admin/messages/resends/:id":                         {"get-resend"},
		"GET /admin/messages/resends/:id/progress":                {"get-resend"},
		"GET /admin/messages/connections":                         {"list-connections"},
		"POST /admin/messages/connections/new":                    {"create-connection"},
		"GET /admin/messages/connections/:id":                     {"get-connection"},
		"GET /admin/messages/connections/:id/link":                {"get-connection"},
		"GET /admin/messages/connections/:id/qr":                  {"get-connection-qr"},
		"POST /admin/messages/connections/:id/connect":            {"connect-connection"},
		"POST /admin/messages/connections/:id/refresh":            {"refresh-connection"},
		"POST /admin/messages/connections/:id/logout":             {"log-out-connection"},
		"POST /admin/messages/connections/:id/delete":             {"delete-connection"},
		"POST /admin/messages/connections/:id/settings":           {"update-connection"},
		"POST /admin/messages/connections/:id/test":               {"test-connection"},
		"GET /admin/bank":                                         {"bank-identity"},
		"GET /admin/bank/events/news":                             {"list-bank-events"},
		"GET /admin/bank/requests":                                {"list-payment-requests"},
		"GET /admin/bank/requests/:id":                            {"get-payment-request"},
		"POST /admin/bank/requests":                               {"create-payment-request"},
		"POST /admin/bank/requests/:id/cancel":                    {"cancel-payment-request"},
		"GET /admin/bank/statements/:id":                          {"get-bank-statement", "list-bank-statement-differences"},
		"GET /admin/bank/directory":                               {"list-banks", "list-network-codes"},
		"POST /admin/bank/directory/banks":                        {"create-bank", "update-bank", "delete-bank"},
		"POST /admin/bank/directory/codes":                        {"create-network-code", "update-network-code", "delete-network-code"},
		"GET /admin/assistant":                                    {"list-conversations"},
		"POST /admin/assistant":                                   {"ask-assistant"},
		"GET /admin/assistant/:id":                                {"get-conversation"},
		"POST /admin/assistant/:id/ask":                           {"ask-assistant"},
		"POST /admin/assistant/:id/rename":                        {"rename-conversation"},
		"POST /admin/assistant/:id/delete":                        {"delete-conversation"},
		"GET /admin/assistant/sheet":                              {"get-conversation"},
		"GET /admin/assistant/messages/:id":                       {"get-answer"},
		"POST /admin/assistant/messages/:id/stop":                 {"stop-answer"},
		"GET /admin/assistant/messages/:id/stream":                {"stream-answer"},
		"GET /admin/assistant/usage":                              {"list-assistant-usage"},
		"POST /admin/login/code":                                  {"request-code"},
		"GET /vender":                                             {"sell-ticket"},
	}
}

// pagesAlone are the pages without an operation of the API, with the reason.
func pagesAlone() map[string]string {
	return map[string]string{
		"GET /admin":                              "shows parts of other pages, each to users who may open them",
		"GET /admin/login":                        "a form",
		"GET /admin/login/pin":                    "a form",
		"POST /admin/weekly/send":                 "queues the notices that confirmations queue",
		"POST /admin/login/pin":                   "logs in with the browser where the PIN was set",
		"GET /admin/login/pin/new":                "a form",
		"POST /admin/login/pin/new":               "as above",
		"GET /admin/search":                       "finds what other pages show, for users who may open those",
		"GET /admin/search/suggest":               "as above, while it is typed",
		"GET /admin/games/new":                    "a form",
		"POST /admin/closes/:id/sum":              "sums the form for browsers without scripts",
		"GET /admin/customers/new":                "a form",
		"GET /admin/draws/results":                "the draws that wait for a result, with the forms of operators",
		"GET /admin/limits/elements":              "suggestions of a field",
		"GET /admin/limits/new":                   "a form",
		"GET /admin/draws/board":                  "shows draws with parts of other pages, each to users who may open them",
		"GET /admin/customers/:id/merge":          "a form with both customers",
		"GET /admin/users/new":                    "a form",
		"GET /admin/organisation/new":             "a form",
		"GET /admin/organisation/agency":          "a form",
		"GET /setup":                              "a form of an empty database, which has no caller",
		"POST /setup":                             "as above; banca init does the same",
		"GET /admin/organisation/import":          "a form",
		"GET /admin/organisation/import/template": "a file without data, to be filled in",
		"GET /admin/organisation/bulk":            "a form",
		"GET /admin/organisation/bulk-rates":      "a form",
		"GET /admin/games/:id/payouts":            "a form",
		"GET /admin/games/:id/schedule":           "a form",
		"GET /admin/games/:id/mechanics":          "a form",
		"GET /admin/games/:id/sources":            "a form",
		"GET /admin/organisation/:id/move":        "a form with the effect of the move, which only who may move sees",
		"GET /admin/games/pictures/:name":         "a picture of a page; the API names public addresses",
		"GET /admin/sessions":                     "sessions of all users; list-sessions has those of the caller, and all with sessions:read",
		"GET /admin/bank/simulator":               "sends calls as the bank does; the API receives them",
		"POST /admin/bank/simulator":              "as above",
		"GET /admin/tasks":                        "the task queues of all processes, which no operation has",
		"* /admin/queues":                         "the view of the task queues",
		"POST /admin/unlock-queues":               "as above",
		"POST /admin/health/verify":               "starts a task of the scheduler, which no operation does",
		"GET /admin/wallets/:id/deposit":          "a form",
		"GET /admin/wallets/:id/withdrawal":       "a form",
		"GET /admin/wallets/:id/transfer":         "a form",
		"GET /admin/organisation/suggest":         "suggestions of a field",
		"GET /admin/messages/connections/new":     "a form",
		"GET /docs/guide":                         "a document",
		"GET /docs/guide/:chapter":                "a document",
		"GET /vender/form":                        "sells without scripts; sell-ticket and get-sales-catalogue have more",
		"POST /vender/form":                       "as above",
		"GET /vender/help":                        "a text to print",
		"GET /vender/test-page":                   "a document for the printer of a till",
		"GET /vender/news":                        "names of events, without data",
		"GET /vender/session":                     "an access token for the script of the page",
		"GET /vender/worker.js":                   "a script, without data",
		"GET /vender/manifest.webmanifest":        "describes the page to a browser that installs it",
	}
}

// operationsAlone are the operations without a page, with the reason.
func operationsAlone() map[string]string {
	const cashier = "of a point of sale"
	return map[string]string{
		"banco-consulta": "called by the bank", "banco-notifica": "called by the bank", "healthz": "of monitors", "readyz": "of monitors", "ticket-status": "a public page", "public-results": "a public page", "results-widget": "a script of other sites",
		"connect": "the WebSocket of clients", "confirm": "asked for by every sensitive form", "refresh": "of access tokens, which browsers have none of",
		"get-session": "a row of the list", "extend-session": "of access tokens", "list-permissions": "a part of a user's page",
		"register-device": cashier, "validate-device": cashier, "list-available": cashier, "get-sales-catalogue": cashier, "get-sales-quota": cashier, "parse-draft": cashier, "get-results-slip": cashier, "list-result-frequencies": cashier, "hand-over": cashier, "take-over": cashier, "list-handovers": "on the page of the close",
		"list-message-drivers": "a part of the form of a new connection", "challenge-messaging": "called by providers", "report-messaging": "called by providers",

		"get-movement":      "a row of the statement",
		"get-currency":      "a row of the list",
		"list-rate-fetches": "on the page of the currency",
		"check-game-code":   "the form of a new game reports a taken code", "game-schema": "the API's description of a form", "sync-game": "of programs that load a whole game",
		"preview-result": "a part of a draw's page, for who verifies results",
	}
}

// operation is what the OpenAPI document says of who may call an operation.
type operation struct {
	ID         string          `json:"operationId"`
	Route      string          `json:"-"` // method and path, each parameter as ":"
	Permission auth.Permission `json:"x-permission"`
	Sensitive  bool            `json:"x-sensitive"`
	Operator   bool            `json:"x-operator"`
}

// operationsByID are the operations of the API.
type operationsByID map[string]operation

// parameter is a parameter of a path.
var parameter = regexp.MustCompile(`:\w+|\{\w+\}`)

// module is the first part of a path of the API, such as /sales.
var module = regexp.MustCompile(` /\w+/`)

// at returns the operation with the method and path of a page, without /admin and perhaps without its module; "" if there
// is none. The forms new, edit, save and delete of a page stand for POST, PUT and DELETE of its path.
func (ops operationsByID) at(page string) string {
	route := parameter.ReplaceAllString(strings.Replace(page, " /admin/", " /", 1), ":")
	for form, method := range map[string]string{"/new": "POST", "/edit": "PUT", "/save": "PUT", "/delete": "DELETE"} {
		if address, ok := strings.CutSuffix(route, form); ok && strings.HasPrefix(route, "POST ") {
			route = strings.Replace(address, "POST", method, 1)
		}
	}
	var found []string
	for id, op := range ops {
		if op.Route == route {
			return id
		}
		if module.ReplaceAllString(op.Route, " /") == route {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// partOf reports whether an operation reads a part of an object, as GET /tickets/{id}/notes does, whose page exists and needs
// the same permission.
func (ops operationsByID) partOf(id string, pages map[string]kit.Route) bool {
	whole, part := path.Split(ops[id].Route)
	if !strings.HasPrefix(whole, "GET ") || !strings.HasSuffix(whole, "/:/") || part == ":" {
		return false
	}
	for name, page := range pages {
		route := parameter.ReplaceAllString(strings.Replace(name, " /admin/", " /", 1), ":")
		if route+"/" == whole && page.Access.Permission() == ops[id].Permission {
			return true
		}
	}
	return false
}

func operations(t *testing.T) operationsByID {
	t.Helper()
	server, err := api.New(api.Deps{})
	require.NoError(t, err)
	raw, err := server.OpenAPIJSON()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(raw, &document))
	all := operationsByID{}
	for address, item := range document.Paths {
		for method, raw := range item {
			op := operation{Route: strings.ToUpper(method) + " " + parameter.ReplaceAllString(address, ":")}
			if json.Unmarshal(raw, &op) == nil && op.ID != "" { // the others are parameters of the path
				all[op.ID] = op
			}
		}
	}
	return all
}

// routes are the pages and forms of a panel with everything that is optional, by name.
func routes(t *testing.T, p *bankPanel) map[string]kit.Route {
	t.Helper()
	all := map[string]kit.Route{}
	for _, r := range p.web.site.Routes() {
		if r.Handle != nil {
			all[r.Name()] = r
		}
	}
	require.Greater(t, len(all), 90)
	return all
}

// A page needs the permission of the operation that does the same, and is as strict about the password and the operator.
func TestPagesNeedThePermissionsOfTheirOperations(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	table, ops, called := routes(t, p), operations(t), map[string]bool{}
	for name, route := range table {
		counterparts, mapped := pageOperations()[name]
		_, alone := pagesAlone()[name]
		same := ops.at(name)
		assert.False(t, mapped && slices.Equal(counterparts, []string{same}), "%s: found without its row", name)
		if same != "" && !mapped && !alone {
			counterparts, mapped = []string{same}, true
		}
		assert.NotEqual(t, mapped, alone, "%s: either an operation or a reason", name)
		for _, id := range counterparts {
			op, known := ops[id]
			if !assert.True(t, known, "%s: no operation %s", name, id) {
				continue
			}
			called[id] = true
			assert.Equal(t, op.Permission, route.Access.Permission(), "%s and %s", name, id)
			assert.False(t, op.Sensitive && !route.Access.IsSensitive(), "%s asks for no password, %s does", name, id)
			assert.False(t, op.Operator && !route.Access.IsOperator(), "%s is open below the root, %s is not", name, id)
		}
	}
	for _, declared := range slices.Concat(slices.Collect(maps.Keys(pageOperations())), slices.Collect(maps.Keys(pagesAlone()))) {
		assert.Contains(t, table, declared, "not in the table")
	}
	for id := range ops {
		_, alone := operationsAlone()[id]
		shown := called[id] || !alone && ops.partOf(id, table)
		assert.NotEqual(t, shown, alone, "%s: either a page or a reason", id)
	}
	for id := range operationsAlone() {
		assert.Contains(t, ops, id)
	}
}

// deny takes a permission from the administrator of the operator, or gives it back.
func (p *bankPanel) deny(t *testing.T, permission auth.Permission) {
	t.Helper()
	for _, sql := range []string{
		`DELETE FROM user_permissions`,
		`INSERT INTO user_permissions (user_id, permission, granted) SELECT id, $1, false FROM users WHERE email = 'admin@banca.test'`,
	} {
		args := []any{string(permission)}
		if !strings.Contains(sql, "$1") {
			args = nil
		}
		_, err := p.env.PG.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	p.auth.Forget()
}

// address is an address of a route, with ids that no object has.
func address(route *kit.Route) string {
	parts := strings.Split(route.Path, "/")
	for i := range parts {
		if strings.HasPrefix(parts[i], ":") {
			parts[i] = uuid.NewString()
		}
	}
	return strings.Join(parts, "/")
}

// try sends a request to a route with the token of the browser's forms.
func (p *bankPanel) try(t *testing.T, route *kit.Route, token string) int {
	t.Helper()
	method, form := route.Method, url.Values{tokenField: {token}}
	if method == "*" {
		method = http.MethodGet
	}
	if method == http.MethodGet {
		form = nil
	}
	return p.do(method, address(route), form).Code
}

// A user without the permission of a page is refused on the page and on its forms, and has no link to it in the menu.
func TestPagesAreRefusedWithoutTheirPermission(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.auth.Forget()
	token, full := p.token(t, home), p.get(home).Body.String()
	byPermission := map[auth.Permission][]kit.Route{}
	for _, route := range routes(t, p) {
		if permission := route.Access.Permission(); permission != "" {
			byPermission[permission] = append(byPermission[permission], route)
		}
	}
	require.Greater(t, len(byPermission), 25)
	for permission, list := range byPermission {
		p.deny(t, permission)
		menu := p.get(home).Body.String()
		for _, route := range list {
			assert.Equal(t, http.StatusForbidden, p.try(t, &route, token), "%s without %s", route.Name(), permission)
			if link := `<li><a href="` + route.Path + `"`; route.MenuTitle != "" {
				assert.Equal(t, !route.Sometimes(), strings.Contains(full, link), link)
				assert.NotContains(t, menu, link, "%s without %s", route.Name(), permission)
			}
		}
	}
}

// A form is refused to a user who may not open its page, and the operator's pages to administrators of other entities.
func TestPagesOfTheOperatorAreRefusedBelowTheRoot(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	_, err := p.env.PG.Pool.Exec(t.Context(), `UPDATE users SET entity_id = (SELECT id FROM entities WHERE parent_id = $1 LIMIT 1) WHERE email = 'admin@banca.test'`, rootID)
	require.NoError(t, err)
	p.enter(t, "admin@banca.test")
	token, menu := p.token(t, home), p.get(home).Body.String()
	operators := 0
	for name, route := range routes(t, p) {
		if !route.Access.IsOperator() {
			continue
		}
		operators++
		assert.Equal(t, http.StatusForbidden, p.try(t, &route, token), name)
		assert.NotContains(t, menu, `<li><a href="`+route.Path+`"`, name)
	}
	require.Greater(t, operators, 30)

	p.deny(t, auth.UsersRead)
	w := p.do(http.MethodPost, "/admin/users/new", url.Values{tokenField: {token}})
	assert.NotEqual(t, http.StatusForbidden, w.Code, "the form needs users:write alone")
	w = p.do(http.MethodPost, "/admin/users/"+uuid.NewString()+"/delete", url.Values{tokenField: {token}})
	assert.Equal(t, http.StatusForbidden, w.Code, "a refused form shows the user's page")
}
