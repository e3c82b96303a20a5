package test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"maps"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leakEntry is how callers without access call an operation, or why all callers have access.
type leakEntry struct {
	public  string            // open to everybody, because
	self    string            // about the caller alone and for every user, because
	probes  []probe           // otherwise
	partner string            // a partner of the branch may write it, because
	unnamed map[string]string // ids that name nothing of a branch, and why
}

// probe is one call. Paths, queries and bodies name things of our branch unless they say otherwise.
type probe struct {
	path  map[string]string
	query string
	body  map[string]any

	raw, contentType string // a body that is no JSON

	scoped    bool   // names nothing: an answer with the caller's own things is right, and they must be in it
	bare      bool   // with scoped: there may be nothing in it
	house     string // names nothing of a branch: why it belongs to all branches
	also      []int  // further right answers to a stranger
	partner   []int  // further right answers to a partner
	operator  []int  // further right answers to the operator's administrator
	pointless string // why the operator is not asked
}

// names reports whether the probe gives a parameter or field.
func (p *probe) names(name string) bool {
	_, inBody := p.body[name]
	return inBody || strings.Contains(p.query, name+"=")
}

// missing is the probe with ids that nothing has in place of the branch's.
func (p *probe) missing(b *branch) probe {
	other := strings.NewReplacer(b.idMark, strings.Replace(b.idMark, "-8000-", "-9000-", 1))
	q := *p
	q.path, q.query = maps.Clone(p.path), other.Replace(p.query)
	for name, value := range q.path {
		q.path[name] = other.Replace(value)
	}
	raw, err := json.Marshal(p.body)
	if err == nil {
		q.body = nil
		err = json.Unmarshal([]byte(other.Replace(string(raw))), &q.body)
	}
	if err != nil {
		panic(err) // a row of the table is wrong
	}
	return q
}

// all returns the probes, or a bare call without any.
func (e *leakEntry) all() []probe {
	if len(e.probes) == 0 {
		return []probe{{}}
	}
	return e.probes
}

// broken reports a missing row, which checkTables describes.
func (e *leakEntry) broken() bool { return e.public == "" && e.self == "" && len(e.probes) == 0 }

// Data of all branches, and why each branch may read it.
const (
	ofCatalogue = "games, draws and currencies are the same for all who sell"
	ofBanks     = "banks and network codes are public lists"
)

// id names one thing in the path.
func id(value string) map[string]string { return map[string]string{"id": value} }

// one is a row for an operation on one thing of ours.
func one(thing string) leakEntry { return leakEntry{probes: []probe{{path: id(thing)}}} }

// write is a row for a write on one thing of ours.
func write(thing string, body map[string]any) leakEntry {
	return leakEntry{probes: []probe{{path: id(thing), body: body}}}
}

// own is a row for a list that shows the caller's own things; each query asks it for ours.
func own(queries ...string) leakEntry {
	e := leakEntry{probes: []probe{{scoped: true}}}
	for _, q := range queries {
		e.probes = append(e.probes, probe{query: q})
	}
	return e
}

// house is a row for data of all branches.
func house(why string) leakEntry { return leakEntry{probes: []probe{{house: why}}} }

// operatorOnly is a row for a list that only the operator sees; unnamed are its parameters that name nothing of a branch.
func operatorOnly(unnamed ...string) leakEntry {
	e := leakEntry{probes: []probe{{}}, unnamed: map[string]string{}}
	for _, name := range unnamed {
		e.unnamed[name] = "a place within the operator's own list"
	}
	return e
}

// table is how every operation is called.
func (s *leakSuite) table() map[string]leakEntry {
	us, them := s.ours, s.theirs
	noDevices := map[string]string{"default_device_id": "there are no devices yet"}
	table := map[string]leakEntry{
		"banco-consulta": {public: "the bank's own call, with a token of its own"},
		"banco-notifica": {public: "the bank's own call, with a token of its own"},
		"login":          {public: "it makes the token"},
		"refresh":        {public: "it has a token of its own"},
		"healthz":        {public: "says that the process runs"},
		"list-requests":  operatorOnly("cursor"),
		"changelog":      {public: "what changed in each release"},

		"health-dashboard": {public: "the state of the platform, with nothing of a person or an entity"},
		"readyz":           {public: "says that the stores answer"},
		"ticket-status":    {public: "for who holds the ticket: its state, and nothing else"},
		"public-results":   {public: "verified results of the house, which it announces itself"},
		"results-widget":   {public: "a script, without data"},

		"me":      {self: "the caller's own user"},
		"logout":  {self: "ends the caller's own session"},
		"confirm": {self: "the caller's own password"},

		"list-currencies":    house(ofCatalogue),
		"list-games":         house(ofCatalogue),
		"list-game-elements": {probes: []probe{{path: id(s.game), house: ofCatalogue}}},
		"list-draws":         {probes: []probe{{query: "?game_id=" + s.game, house: ofCatalogue}}},
		"list-banks":         house(ofBanks),
		"list-network-codes": house(ofBanks),

		"list-entities": own("?parent_id="+us.agency, "?q="+us.mark),
		"entity-tree":   {probes: []probe{{scoped: true}}},
		"get-entity":    one(us.point), "entity-effective-config": one(us.point), "delete-entity": one(us.point),
		"create-entity": {probes: []probe{{body: map[string]any{"entity_type": "TICKET_POINT", "name": "New", "code": "NEW-1", "parent_id": us.agency}}}, unnamed: noDevices},
		"update-entity": {probes: []probe{
			{path: id(us.point), body: map[string]any{"name": "Taken"}},
			{path: id(us.point), query: "?dry_run=true", body: map[string]any{"finance_info": map[string]any{"commissions": []map[string]any{{"percent": "1"}}}}, operator: []int{422}},
		}, unnamed: noDevices},
		"move-entity": {probes: []probe{
			{path: id(us.point), body: map[string]any{"parent_id": them.agency}},
			{path: id(us.point), query: "?dry_run=true", body: map[string]any{"parent_id": them.agency}},
			{path: id(them.point), body: map[string]any{"parent_id": us.agency}},
		}},
		"set-entity-status": write(us.point, map[string]any{"status": "active"}),
	}
	s.addSales(table)
	s.addDraws(table)
	s.addBank(table)
	s.addAccess(table)
	s.addCatalogue(table)
	s.addPrizes(table)
	s.addMessages(table)
	return table
}

// addAccess has users, sessions, the trail, devices and documents.
func (s *leakSuite) addAccess(table map[string]leakEntry) {
	us, them := s.ours, s.theirs
	table["request-code"] = leakEntry{public: "it sends what the login needs"}
	for operation, why := range map[string]string{
		"change-password": "the caller's own password", "start-totp": "the caller's own second factor", "enable-totp": "the caller's own second factor",
		"disable-totp": "the caller's own second factor",
	} {
		table[operation] = leakEntry{self: why}
	}
	table["list-permissions"] = house("what there is to grant is the same for all")
	table["list-users"] = own("?entityId="+us.point, "?q="+us.mark)
	table["create-user"] = leakEntry{probes: []probe{{
		body: map[string]any{"entity_id": us.point, "name": "New", "email": "new@x.test", "role": "TAQUILLA", "password": "long enough 1"}, also: []int{422},
	}}}
	table["get-user"], table["get-user-permissions"] = one(us.user), one(us.user)
	table["update-user"] = leakEntry{probes: []probe{
		{path: id(us.user), body: map[string]any{"name": "Taken"}},
		{path: id(us.user), body: map[string]any{"entity_id": them.point}},
		{path: id(them.user), body: map[string]any{"entity_id": us.point}, also: []int{422}},
	}}
	table["delete-user"], table["reset-totp"] = one(us.user), one(us.user)
	table["reset-password"] = write(us.user, map[string]any{"password": "long enough 2"})
	table["set-user-permissions"] = write(us.user, map[string]any{"granted": []string{}, "denied": []string{}})

	table["list-sessions"] = own("?userId=" + us.user)
	table["get-session"] = one(us.session)
	table["extend-session"] = write(us.session, map[string]any{"expires_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
	table["terminate-session"] = leakEntry{probes: []probe{{path: id(us.session), partner: []int{404}}}} // a user may end its own sessions

	table["list-logs"] = own("?userId="+us.cashier, "?target="+us.ticket)
	table["create-log"] = leakEntry{probes: []probe{{body: map[string]any{"entityId": us.point, "module": "sales", "action": "note", "note": "x"}}}}
	table["get-log"], table["delete-log"] = one(us.entry), one(us.entry)
	table["update-log"] = write(us.entry, map[string]any{"note": "changed"})
	s.addDevices(table)
}

// addMessages has messages, resends and connections.
func (s *leakSuite) addMessages(table map[string]leakEntry) {
	us, them := s.ours, s.theirs
	logID := func(id string) map[string]string { return map[string]string{"log_id": id} }
	unreadable := []int{409} // no key of this server opens the credentials of the branch's connection
	messages := own("?ticket_id="+us.ticket, "?entity_id="+us.point, "?recipient=%2B58414"+us.number[:7], "?channel_id="+us.connection)
	messages.unnamed = map[string]string{"cursor": "a place between messages of the caller's own"}
	table["list-messages"] = messages
	table["get-message"] = leakEntry{probes: []probe{{path: logID(us.message)}}}
	table["resend-message"] = leakEntry{probes: []probe{{path: logID(us.message), operator: []int{409}}}}
	table["estimate-resend"] = leakEntry{probes: []probe{
		{query: "?status=failed", scoped: true, bare: true}, {query: "?status=failed&entity_id=" + us.point}, {query: "?status=failed&ticket_id=" + us.ticket, also: []int{200}},
		{query: "?status=failed&channel_id=" + us.connection, also: []int{200}},
	}}
	table["create-resend"] = leakEntry{probes: []probe{
		{body: map[string]any{"status": "failed", "entity_id": us.point}, operator: []int{409}}, // there is none
		{body: map[string]any{"status": "failed", "ticket_id": us.ticket}, also: []int{409}, operator: []int{409}},
		{body: map[string]any{"status": "failed", "channel_id": us.connection}, also: []int{409}, operator: []int{409}},
	}}
	table["get-resend"] = leakEntry{probes: []probe{{path: id(us.resend), operator: []int{404}}}, unnamed: map[string]string{"id": "a resend belongs to the entity of its user alone"}}
	table["list-message-drivers"] = house("what drivers take is the same for all")
	table["list-connections"] = own()
	table["get-connection"], table["get-connection-qr"] = one(us.connection), one(us.connection)
	for _, operation := range []string{"connect-connection", "refresh-connection", "log-out-connection", "delete-connection"} {
		table[operation] = leakEntry{probes: []probe{{path: id(us.connection), operator: unreadable}}}
	}
	table["update-connection"] = leakEntry{probes: []probe{{path: id(us.connection), body: map[string]any{"name": "Taken"}, operator: unreadable}}}
	table["test-connection"] = leakEntry{probes: []probe{{path: id(us.connection), body: map[string]any{"recipient": "+584141234567"}}}}
	table["create-connection"] = leakEntry{probes: []probe{
		{body: map[string]any{"entity_id": us.point, "driver": "log", "parameters": map[string]string{}}, operator: []int{409}},
		{body: map[string]any{"entity_id": them.point, "driver": "log", "parameters": map[string]string{}}, also: []int{409}, operator: []int{409}},
	}}
	text := map[string]string{"purpose": "receipt", "language": "es"}
	ofPoint := "?entity_id=" + us.point
	body := map[string]any{"body": "{serial}"}
	ofText := map[string]string{"version": "the version of the text, which is compared after the entity was found"}
	table["list-templates"] = leakEntry{probes: []probe{{scoped: true, bare: true}, {query: ofPoint}}}
	table["get-template"] = leakEntry{probes: []probe{{path: text, scoped: true, bare: true}, {path: text, query: ofPoint}}}
	table["preview-template"] = leakEntry{probes: []probe{{path: text, body: body, scoped: true, bare: true}, {path: text, query: ofPoint, body: body}}, unnamed: ofText}
	table["put-template"] = leakEntry{probes: []probe{{path: text, query: ofPoint, body: body, operator: []int{409}}}, unnamed: ofText}
	table["inherit-template"] = leakEntry{probes: []probe{{path: text, query: ofPoint + "&version=" + us.agency, operator: []int{409}}}}
	table["challenge-messaging"] = leakEntry{public: "the provider's own call, verified by the connection's secret"}
	table["report-messaging"] = leakEntry{public: "the provider's own call, verified by its signature"}
}

func (s *leakSuite) addDevices(table map[string]leakEntry) {
	us := s.ours
	table["connect"] = leakEntry{
		probes:  []probe{{query: "?deviceId=" + us.device + "&sessionId=" + us.deviceSession, also: []int{400, 426}, operator: []int{400, 403, 404, 426}}},
		unnamed: map[string]string{},
	}
	table["register-device"] = leakEntry{probes: []probe{{body: map[string]any{"entityId": us.point, "name": "New", "fingerprint": "0123456789"}}}}
	table["list-devices"] = own("?entityId="+us.point, "?q="+us.mark)
	table["get-device"] = one(us.device)
	table["update-device"] = write(us.device, map[string]any{"name": "Taken"})
	table["set-device-status"] = write(us.device, map[string]any{"status": "active"})
	table["validate-device"] = leakEntry{probes: []probe{{body: map[string]any{"deviceId": us.device, "fingerprint": "0123456789"}, operator: []int{403}}}}
	table["list-device-sessions"] = own("?entityId="+us.point, "?deviceId="+us.device, "?userId="+us.cashier)
	table["set-device-session-status"] = write(us.deviceSession, map[string]any{"status": "active"})

	table["list-documents"] = one(us.point)
	table["import-entities"] = leakEntry{probes: []probe{
		{raw: "code,name,type,parent\nLEAK,Leak,ticket point," + strings.ToUpper(us.mark) + "-AGENCY\n", contentType: "text/csv", also: []int{422}},
	}}
	table["attach-document"] = leakEntry{probes: []probe{{path: id(us.point), raw: documentForm(s.t), contentType: "multipart/form-data; boundary=zzz", pointless: "the suite has no store of objects"}}}
	table["remove-document"] = leakEntry{probes: []probe{{path: map[string]string{"id": us.point, "document_id": us.document}}}}
}

// documentForm is a form with a picture.
func documentForm(t *testing.T) string {
	t.Helper()
	var body, picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))))
	form := multipart.NewWriter(&body)
	require.NoError(t, form.SetBoundary("zzz"))
	require.NoError(t, form.WriteField("kind", "tax_id"))
	file, err := form.CreateFormFile("file", "a.png")
	require.NoError(t, err)
	_, err = file.Write(picture.Bytes())
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return body.String()
}

func (s *leakSuite) addMovements(table map[string]leakEntry) {
	us := s.ours
	moved := func(reference string, more map[string]any) map[string]any {
		body := map[string]any{"amount": "1.00", "reference": reference}
		maps.Copy(body, more)
		return body
	}
	table["deposit"] = write(us.wallet, moved("leak 1", nil))
	table["transfer"] = write(us.wallet, moved("leak 2", map[string]any{"direction": "to_parent"}))
	table["withdraw"] = leakEntry{probes: []probe{{path: id(us.wallet), body: moved("leak 3", nil), operator: []int{422}}}}
	table["reverse-movement"] = leakEntry{probes: []probe{
		{path: id(us.wallet), body: map[string]any{"reference": "leak 9"}, operator: []int{404}},
		{path: id(us.wallet), body: map[string]any{"transaction_id": us.ticket}, operator: []int{404}},
	}}
	table["get-movement"] = leakEntry{probes: []probe{{path: map[string]string{"id": us.wallet, "transaction_id": us.wallet}, operator: []int{404}}}}
	table["set-credit-limit"] = write(us.wallet, map[string]any{"amount": "5.00", "reason": "a test"})
	table["list-credit-limits"] = one(us.wallet)
	s.addCurrencies(table)
}

// addCurrencies names a currency that does not exist where a write would change that of other tests.
func (s *leakSuite) addCurrencies(table map[string]leakEntry) {
	fields := map[string]any{"code": "EUR", "name": "Euro", "digits": 2}
	none := map[string]string{"id": "01900000-0000-7000-8000-00000000eeee"}
	dated := map[string]string{"id": none["id"], "date": "2026-01-02"}
	unnamed := map[string]string{"id": ofCatalogue}
	nobody := func(p probe) leakEntry {
		p.operator = []int{404}
		return leakEntry{probes: []probe{p}, unnamed: unnamed}
	}
	table["get-currency"] = leakEntry{probes: []probe{{path: id("VES"), house: ofCatalogue}}}
	table["create-currency"] = leakEntry{probes: []probe{{body: fields}}}
	table["update-currency"] = nobody(probe{path: none, body: fields})
	table["delete-currency"] = nobody(probe{path: none})
	table["list-rates"] = leakEntry{probes: []probe{{path: none, house: ofCatalogue, also: []int{404}, operator: []int{404}}}, unnamed: unnamed}
	table["set-rate"] = nobody(probe{path: dated, body: map[string]any{"currency": "VES", "rate": "2"}})
	table["list-rate-fetches"] = nobody(probe{path: none})
	table["fetch-rates"] = nobody(probe{path: none})
	table["delete-rate"] = nobody(probe{path: dated, query: "?currency=VES"})
}

func (s *leakSuite) addSales(table map[string]leakEntry) {
	us := s.ours
	table["list-wallets"] = own("?entityId="+us.point, "?search="+us.mark)
	table["get-wallet"] = one(us.wallet)
	table["list-wallet-transactions"] = one(us.wallet)
	s.addMovements(table)
	table["sales-summary"] = own("?entityId=" + us.point)
	for _, report := range []string{"report-sales", "report-levels", "report-waterfall", "report-balances", "report-expired-prizes"} {
		table[report] = leakEntry{probes: []probe{{query: "?currency=VES", scoped: true}, {query: "?currency=VES&entityId=" + us.point}}}
	}
	for _, report := range []string{"report-sales", "report-levels", "report-waterfall"} {
		entry := table[report]
		entry.unnamed = map[string]string{"game_id": ofCatalogue, "category_id": ofCatalogue}
		table[report] = entry
	}
	table["report-draw-tickets"] = leakEntry{
		probes: []probe{
			{query: "?currency=VES&draw_id=" + s.draw, scoped: true, bare: true}, {query: "?currency=VES&draw_id=" + s.draw + "&entityId=" + us.point},
		},
		unnamed: map[string]string{"draw_id": ofCatalogue},
	}
	table["create-export"] = leakEntry{
		probes: []probe{
			{body: map[string]any{"report": "sales", "format": "csv", "filter": map[string]any{"entityId": us.point, "currency": "VES"}}},
			{body: map[string]any{"report": "statement", "format": "csv", "filter": map[string]any{"wallet_id": us.wallet}}},
		},
		partner: "a file has what the partner reads in the report",
	}
	table["ask-assistant"] = leakEntry{self: "a conversation belongs to its user alone; the tools of the task read in the user's scope"}
	table["list-assistant-usage"] = operatorOnly()
	table["list-conversations"] = leakEntry{self: "a conversation belongs to its user alone"}
	for _, operation := range []string{"get-answer", "stream-answer", "stop-answer", "get-conversation", "rename-conversation", "delete-conversation"} {
		p := probe{path: id(us.wallet), operator: []int{404}, partner: []int{404}}
		if operation == "rename-conversation" {
			p.body = map[string]any{"title": "x"}
		}
		table[operation] = leakEntry{probes: []probe{p}, unnamed: map[string]string{"id": "a conversation belongs to its user alone"}}
	}
	table["list-exports"] = leakEntry{self: "an export belongs to its creator alone"}
	table["get-export"] = leakEntry{probes: []probe{{path: id(us.wallet), operator: []int{404}}}, unnamed: map[string]string{"id": "an export belongs to its creator alone"}}
	table["list-available"] = leakEntry{
		probes: []probe{
			{query: "?draw_id=" + s.draw + "&bet_type=straight&selection=5&currency=VES&entityId=" + us.point},
			{query: "?draw_id=" + s.draw + "," + s.draw + "&bet_type=straight&currency=VES&entityId=" + us.point},
			{query: "?draw_id=" + s.draw + "&bet_type=straight&selection=5&currency=VES", scoped: true, bare: true},
		},
		unnamed: map[string]string{"draw_id": ofCatalogue},
	}
	for _, operation := range []string{"get-sales-catalogue", "get-sales-quota"} {
		table[operation] = leakEntry{probes: []probe{{query: "?currency=VES&entityId=" + us.point}}}
	}
	table["parse-draft"] = leakEntry{
		probes:  []probe{{query: "?currency=VES&entityId=" + us.point, body: map[string]any{"text": "05 20", "draw_ids": []string{s.draw}}}},
		unnamed: map[string]string{"draw_ids": ofCatalogue},
	}
	table["list-tickets"] = own("?entityId="+us.point, "?serial_code="+us.serial)
	person := map[string]any{"name": "Ana", "phone": "04140000001"}
	table["list-customers"] = own("?entityId="+us.point, "?search="+us.mark, "?search="+us.number)
	table["create-customer"] = leakEntry{probes: []probe{{body: map[string]any{"name": "Ana", "phone": "04140000001", "entityId": us.point}}}}
	table["get-customer"], table["delete-customer"], table["update-customer"] = one(us.customer), one(us.customer), write(us.customer, person)
	table["merge-customer"] = leakEntry{probes: []probe{
		{path: id(us.customer), body: map[string]any{"customer_id": s.theirs.customer}, operator: []int{409}},
		{path: id(s.theirs.customer), body: map[string]any{"customer_id": us.customer}, operator: []int{409}},
	}}
	table["list-customer-tickets"], table["list-customer-payments"] = one(us.customer), one(us.customer)
	table["list-daily-closes"], table["list-missing-closes"] = own("?entityId="+us.point), own("?entityId="+us.point)
	table["get-daily-close"], table["get-daily-close-receipt"] = one(us.dailyClose), one(us.dailyClose)
	table["get-daily-balance"] = leakEntry{probes: []probe{{query: "?entityId=" + us.point}, {scoped: true, bare: true}}}
	table["open-day"] = leakEntry{probes: []probe{{body: map[string]any{"entityId": us.point, "currency": "VES"}, operator: []int{409}}}}
	table["close-day"] = write(us.dailyClose, map[string]any{"note": "x"})
	table["list-handovers"], table["hand-over"] = one(us.dailyClose), write(us.dailyClose, map[string]any{"note": "x"})
	table["take-over"] = leakEntry{probes: []probe{{path: map[string]string{"id": us.dailyClose, "handover_id": us.dailyClose}, pointless: "no drawer of the day was handed over"}}}
	s.addSettlements(table)
	table["get-ticket"] = one(us.ticket)
	table["get-receipt"] = leakEntry{probes: []probe{{path: id(us.ticket)}, {path: id(us.ticket), query: "?format=png"}}}
	table["cancel-ticket"] = leakEntry{probes: []probe{{path: id(us.ticket), pointless: "it was never booked, so nothing can be undone"}}}
	items := []map[string]any{{"draw_id": s.draw, "bet_type": "straight", "selection": "5", "amount": "1.00"}}
	table["sell-ticket"] = leakEntry{probes: []probe{
		{body: map[string]any{"currency": "VES", "entityId": us.point, "items": items}},
		{body: map[string]any{"currency": "VES", "entityId": s.theirs.point, "customer_id": us.customer, "items": items}, also: []int{422}, pointless: "a customer belongs to one ticket point"},
	}}
}

func (s *leakSuite) addSettlements(table map[string]leakEntry) {
	us, week := s.ours, map[string]any{"week": "2026-01-05", "currency": "VES"}
	below := map[string]any{"week": "2026-01-05", "currency": "VES", "parent_id": us.agency}
	payment := map[string]any{"amount": "1.00", "reference": "leak week"}
	table["list-weekly-settlements"] = own("?entityId="+us.point, "?parent_id="+us.agency)
	table["get-weekly-settlement"], table["get-weekly-settlement-receipt"] = one(us.settlement), one(us.settlement)
	table["confirm-weekly-settlement"] = leakEntry{probes: []probe{{path: id(us.settlement), operator: []int{409}}}} // confirm-week may be first
	table["confirm-week"] = leakEntry{probes: []probe{{body: below}}}
	table["draft-week"] = leakEntry{probes: []probe{{body: week, operator: []int{409}}}}
	table["pay-weekly-settlement"] = leakEntry{probes: []probe{
		{path: id(us.settlement), body: payment, operator: []int{409}},
		{path: id(us.settlement), body: map[string]any{"movement_id": us.ticket}, operator: []int{409, 422}},
	}}
	table["unlink-weekly-payment"] = leakEntry{probes: []probe{{path: map[string]string{"id": us.settlement, "movementId": us.ticket}, operator: []int{404}}}}
	period := "?currency=VES&from=2026-01-05&to=2026-01-11"
	table["report-participation"] = leakEntry{probes: []probe{{query: period, scoped: true}, {query: period + "&entityId=" + us.point}}}
}

func (s *leakSuite) addDraws(table map[string]leakEntry) {
	table["list-results"] = leakEntry{probes: []probe{{house: ofCatalogue}, {query: "?draw_id=" + s.draw, house: ofCatalogue}, {query: "?game_id=" + s.game, house: ofCatalogue}}}
	table["get-results-slip"] = leakEntry{probes: []probe{{query: "?date=2026-01-05", house: ofCatalogue}}, unnamed: map[string]string{"game_id": ofCatalogue}}
	table["list-result-frequencies"] = leakEntry{probes: []probe{{query: "?game_id=" + s.game, house: ofCatalogue}}}
	table["get-result"] = leakEntry{probes: []probe{{path: id(s.result)}}} // it awaits its verification
	table["list-draw-alerts"] = operatorOnly()
	table["acknowledge-draw-alert"] = one(s.drawAlert)
	table["preview-result"] = one(s.result)
	table["enter-result"] = leakEntry{probes: []probe{{body: map[string]any{"draw_id": s.draw, "value": "5"}}}, unnamed: map[string]string{"draw_id": ofCatalogue}}
	table["reject-result"] = write(s.result, map[string]any{"reason": "x"})
	table["verify-result"] = write(s.result, map[string]any{"value": "5"})
	table["correct-result"] = write(s.result, map[string]any{"value": "6", "reason": "x"})
	table["suspend-draw"] = write(s.draw, map[string]any{"reason": "x"})
	table["accept-draw-seal"] = write(s.draw, map[string]any{"reason": "x"})
}

// addPrizes has prizes, limits and exposure. The paid ticket of each branch has a difference.
func (s *leakSuite) addPrizes(table map[string]leakEntry) {
	us := s.ours
	ticket := func(body map[string]any) probe {
		return probe{path: map[string]string{"ticket_id": us.paidTicket}, body: body}
	}
	catalogued := map[string]string{"draw_id": ofCatalogue, "game_id": ofCatalogue}
	filters := []string{"?entityId=" + us.point, "?serial_code=" + us.paidSerial}
	table["list-prizes"], table["sum-prizes"] = own(filters...), leakEntry{probes: []probe{{scoped: true, bare: true}, {query: filters[0]}, {query: filters[1]}}}
	for _, operation := range []string{"list-prizes", "sum-prizes"} {
		e := table[operation]
		e.unnamed = catalogued
		table[operation] = e
	}
	table["get-prize"], table["get-prize-slip"] = leakEntry{probes: []probe{ticket(nil)}}, leakEntry{probes: []probe{ticket(nil)}}
	pay := ticket(map[string]any{"validation_code": us.mark + "v"})
	pay.operator = []int{409} // it is paid
	table["pay-prize"] = leakEntry{probes: []probe{pay}}
	cancel := ticket(map[string]any{"reason": "x"})
	cancel.pointless = "it was never booked, so nothing can be taken back"
	table["cancel-prize"] = leakEntry{probes: []probe{cancel}}
	table["list-prize-differences"] = own("?entityId="+us.point, "?ticket_id="+us.paidTicket)
	table["settle-prize-difference"] = leakEntry{probes: []probe{{path: id(us.difference), pointless: "its payment was never booked, so nothing can be reversed"}}}
	table["write-off-prize-difference"] = write(us.difference, map[string]any{"note": "x"})

	table["get-exposure"] = leakEntry{
		probes:  []probe{{query: "?draw_id=" + s.draw + "&entityId=" + us.point}, {query: "?draw_id=" + s.draw, scoped: true, bare: true}},
		unnamed: map[string]string{"draw_id": ofCatalogue},
	}
	table["list-limits"] = leakEntry{probes: own("?entityId=" + us.point).probes, unnamed: catalogued}
	table["list-blocks"] = leakEntry{probes: own("?entityId=" + us.point).probes, unnamed: catalogued}
	table["create-limit"] = leakEntry{
		probes:  []probe{{body: map[string]any{"entityId": us.point, "currency": "VES", "metric": "liability", "base": "5.00"}}},
		unnamed: map[string]string{"draw_id": ofCatalogue, "game_id": ofCatalogue, "category_id": ofCatalogue},
	}
	table["change-limit"] = write(us.limit, map[string]any{"base": "9.00"})
	table["get-limit"] = one(us.limit)
	table["delete-limit"] = one(us.limit)
	table["block-element"] = leakEntry{probes: []probe{{body: map[string]any{"draw_id": s.draw, "element": "6", "entityId": us.point, "currency": "VES", "reason": "x"}}}}
	table["unblock-element"] = one(us.block)
}

func (s *leakSuite) addBank(table map[string]leakEntry) {
	us := s.ours
	table["list-payment-requests"] = leakEntry{
		probes:  []probe{{scoped: true}, {query: "?entityId=" + us.point}, {query: "?client_id=V" + us.number}},
		unnamed: map[string]string{},
	}
	table["get-payment-request"] = one(us.request)
	table["create-payment-request"] = leakEntry{probes: []probe{{body: map[string]any{"entityId": us.point, "amount": "5.00", "client_id": "V11222333"}}}}
	table["cancel-payment-request"] = one(us.request)

	for _, list := range []string{"list-security-alerts", "list-bank-events", "bank-identity", "list-bank-payments", "list-bank-statements"} {
		table[list] = operatorOnly()
	}
	table["list-bank-events"] = leakEntry{probes: []probe{{query: "?payment_id=" + us.payment}, {query: "?reference=" + us.number}}}
	table["get-bank-event"], table["get-bank-payment"], table["get-bank-statement"] = one(us.event), one(us.payment), one(us.statement)
	table["list-bank-statement-differences"] = one(us.statement)
	table["acknowledge-security-alert"] = one(us.alert)
	table["erase-bank-event"] = one(us.event)
	table["assign-bank-payment"] = leakEntry{probes: []probe{
		{path: id(us.payment), body: map[string]any{"entityId": us.point, "note": "x"}},
		{path: id(us.payment), body: map[string]any{"payment_request_id": us.request, "note": "x"}},
		{path: id(us.payment), body: map[string]any{"entityId": s.theirs.point, "note": "x"}},
	}}
	table["refund-bank-payment"] = write(us.payment, map[string]any{"note": "x"})
	table["import-bank-statement"] = leakEntry{probes: []probe{{raw: "date,reference,amount\n2026-01-01,1234,1\n", contentType: "text/csv"}}}

	table["create-bank"] = leakEntry{probes: []probe{{body: map[string]any{"code": "0999", "name": "Bank"}}}}
	table["update-bank"] = leakEntry{probes: []probe{{path: map[string]string{"code": "0134"}, body: map[string]any{"name": "Bank", "status": "active"}}}}
	table["delete-bank"] = leakEntry{probes: []probe{{path: map[string]string{"code": "0999"}}}}
	table["create-network-code"] = leakEntry{probes: []probe{{body: map[string]any{"code": "77", "meaning": "New"}}}}
	table["update-network-code"] = leakEntry{probes: []probe{{path: map[string]string{"code": "77"}, body: map[string]any{"meaning": "Other"}}}}
	table["delete-network-code"] = leakEntry{probes: []probe{{path: map[string]string{"code": "77"}}}}
}

// plainWrites are the writes that require no confirmation. Every operation that moves money, decides about people or
// deletes requires one.
func plainWrites() map[string]bool {
	return map[string]bool{
		"login": true, "refresh": true, "logout": true, "request-code": true, "confirm": true, // of one's own session
		"change-password": true, // asks for the current one
		"extend-session":  true, "terminate-session": true, "create-log": true,
		"pay-prize":   true,                        // as the sale: the ticket's own code is its proof
		"sell-ticket": true, "cancel-ticket": true, // the daily work, bounded by limits, windows and counts
		"create-payment-request": true, "cancel-payment-request": true, // ask for money, and move none
		"validate-device": true,                                                               // the daily work of a point of sale, and bounded
		"update-device":   true, "set-device-status": true, "set-device-session-status": true, // moves no money; activating requires one, see TestActivatingAndBanksNeedAConfirmation
		"acknowledge-security-alert": true, "import-bank-statement": true, // compare and note
		"create-entity": true, "update-entity": true, // of which rates and accounts require one, see TestEntities
		"acknowledge-draw-alert": true,                                                                                // notes
		"attach-document":        true,                                                                                // adds, and can be taken back
		"ask-assistant":          true, "stop-answer": true, "rename-conversation": true, "delete-conversation": true, // of the own conversations, whose tools only read
		"resend-message": true, "create-resend": true, "refresh-connection": true, // the daily work; nothing moves but messages
		"preview-template": true, "parse-draft": true, // change nothing
		"report-messaging": true,                          // a provider's, with a signature
		"create-export":    true,                          // writes a file of what the caller may read
		"fetch-rates":      true,                          // asks the source that is configured; rates show equivalents only
		"hand-over":        true,                          // moves nothing: the next cashier takes the drawer with another session
		"take-over":        true,                          // as hand-over
		"open-day":         true,                          // moves nothing; closing it is sensitive
		"create-customer":  true, "update-customer": true, // the daily work; a sale does the same
		"banco-consulta": true, "banco-notifica": true, // the bank's own guard
	}
}

// ownTerms has every operation that writes. The panel's pages have the access of these operations
// (web/routes_test.go) and call the same services.
func ownTerms() map[string]string {
	table := map[string]string{}
	for who, operations := range map[string]string{
		theOperator: `acknowledge-security-alert create-bank delete-bank update-bank erase-bank-event
			create-network-code delete-network-code update-network-code
			assign-bank-payment refund-bank-payment import-bank-statement create-currency delete-currency
				update-currency fetch-rates delete-rate set-rate
			acknowledge-draw-alert accept-draw-seal suspend-draw enter-result correct-result reject-result verify-result
			create-game-category delete-game-category update-game-category create-game delete-game update-game
				sync-game sync-draws create-game-elements
			update-game-element set-game-status write-off-prize-difference confirm-week draft-week
				confirm-weekly-settlement`,
		thoseAbove: `deposit withdraw transfer reverse-movement set-credit-limit update-entity delete-entity
			move-entity set-entity-status create-limit change-limit delete-limit
			unblock-element pay-weekly-settlement unlink-weekly-payment`,
		itself: `sell-ticket cancel-ticket pay-prize cancel-prize settle-prize-difference create-payment-request
			cancel-payment-request open-day close-day hand-over take-over
			block-element create-entity import-entities`,
		// Users cannot give more than they have, nor change their own permissions (internal/auth).
		noTerms: `banco-consulta banco-notifica parse-draft ask-assistant delete-conversation rename-conversation stop-answer
			request-code confirm set-device-session-status register-device
			validate-device update-device set-device-status login logout create-log delete-log update-log
				change-password refresh extend-session terminate-session disable-totp
			start-totp enable-totp attach-document remove-document create-connection delete-connection
				update-connection connect-connection log-out-connection refresh-connection
			test-connection resend-message create-resend inherit-template put-template preview-template
				report-messaging create-export create-customer delete-customer
			update-customer merge-customer create-user delete-user update-user reset-password set-user-permissions
				reset-totp`,
	} {
		for id := range strings.FieldsSeq(operations) {
			table[id] = who
		}
	}
	return table
}
