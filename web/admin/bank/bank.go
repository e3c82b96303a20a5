// Package bank has the pages of the bank's side: its calls, payments, requests, alerts, statements and directory.
package bank

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/bank/banksim"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path           = links.Bank
	eventsPath     = path + "/events"
	paymentsPath   = path + "/payments"
	requestsPath   = path + "/requests"
	alertsPath     = path + "/alerts"
	statementsPath = path + "/statements"
	directoryPath  = path + "/directory"
	simulatorPath  = path + "/simulator"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	calls *banksim.Simulator // of the bank's calls; without one, the table has no page of it

	front      kit.Page[frontPage]
	events     kit.List[bank.Event, eventsPage]
	event      kit.Page[eventPage]
	payments   kit.List[paymentRow, struct{}]
	payment    kit.Page[paymentPage]
	requests   kit.List[requestRow, requestsPage]
	request    kit.Page[requestPage]
	alerts     kit.List[alerts.Alert, struct{}]
	statements kit.List[bank.Statement, importPage]
	statement  kit.Page[statementPage]
	directory  kit.Page[directoryPage]
	simulator  kit.Page[simulatorPage]
}

// Area returns the pages of the bank. Its calls concern the operator alone.
func Area(s *services.Services, simulator *banksim.Simulator) kit.Area {
	p := &pages{Services: s, calls: simulator}
	p.front = kit.Page[frontPage]{Template: "front", Load: p.loadFront}
	p.events = kit.List[bank.Event, eventsPage]{
		Template: "events", File: "calls", Columns: eventColumns(), Link: eventAddress, Empty: "bank.events.empty", Rows: p.eventRows, Filter: p.eventFilterForm, Page: eventsPageOf,
	}
	p.event = kit.Page[eventPage]{Template: "event", Load: p.loadEvent}
	p.payments = kit.List[paymentRow, struct{}]{
		Template: "payments", File: "payments", Columns: append(paymentColumns(), kit.WrapColumn("label.entity", func(p *paymentRow) string { return p.Entity })), Link: rowAddress, Rows: p.paymentRows, Filter: p.paymentFilterForm,
		Empty: "bank.payments.empty", EmptyIf: map[string]string{"list": "bank.payments.none"},
	}
	p.payment = kit.Page[paymentPage]{Template: "payment", Load: p.loadPayment}
	p.requests = kit.List[requestRow, requestsPage]{
		Template: "requests", File: "payment-requests", Columns: requestColumns(), Link: requestAddress, Empty: "bank.requests.empty", Rows: p.requestRows, Filter: requestFilter, Page: p.requestsPageOf,
	}
	p.request = kit.Page[requestPage]{Template: "request", Load: p.loadRequest}
	p.alerts = kit.List[alerts.Alert, struct{}]{Template: "alerts", File: "security-alerts", Columns: alertColumns(), Empty: "bank.alerts.empty", Rows: p.alertRows, Filter: alertFilter}
	p.statements = kit.List[bank.Statement, importPage]{
		Template: "statements", File: "bank-statements", Columns: statementColumns(), Link: statementAddress, Empty: "bank.statements.empty", Rows: p.statementRows, Page: importPageOf,
	}
	p.statement = kit.Page[statementPage]{Template: "statement", Load: p.loadStatement}
	p.directory = kit.Page[directoryPage]{Template: "directory", Load: p.loadDirectory}
	p.simulator = kit.Page[simulatorPage]{Template: "simulator", Load: p.loadSimulator}
	return kit.Area{Templates: templates, Guide: "bank#the-panel-and-the-api", Routes: p.routes(), Tones: kit.Tones{
		kit.ToneOK: {"exchange.A.yes", "exchange.B.yes"}, kit.ToneWaiting: {"exchange.A.no", "exchange.B.no"}, kit.ToneTrouble: {"exchange.A.refused", "exchange.B.refused"},
	}}
}

func (p *pages) routes() []kit.Route {
	can := func(permission auth.Permission) kit.Access { return kit.Can(permission).Operator() }
	read, write, assign := can(auth.BankRead), can(auth.BankWrite), can(auth.BankAssign).Sensitive()
	requests, announce := can(auth.PaymentRequestsRead), can(auth.PaymentRequestsWrite)
	directory, edit := can(auth.BanksRead), can(auth.BanksWrite).Sensitive()
	routes := []kit.Route{
		kit.Get(path, read, p.front.Show).Menu("nav.bank", "nav.overview"),
		kit.Get(paymentsPath, read, p.payments.Show).Menu("nav.bank", "bank.payments.title"),
		kit.Get(paymentsPath+"/:id", read, p.payment.Show),
		kit.Action(paymentsPath+"/:id", "/assign", assign, p.assign),
		kit.Action(paymentsPath+"/:id", "/refund", assign, p.refund),
		kit.Get(requestsPath, requests, p.requests.Show).Menu("nav.bank", "bank.requests.title"),
		kit.Post(requestsPath, announce, p.createRequest),
		kit.Get(requestsPath+"/:id", requests, p.request.Show),
		kit.Action(requestsPath+"/:id", "/cancel", announce, p.cancelRequest),
		kit.Get(eventsPath, read, p.events.Show).Menu("nav.bank", "bank.events.title"),
		kit.Get(eventsPath+"/news", read, p.news),
		kit.Get(eventsPath+"/:id", read, p.event.Show),
		kit.Action(eventsPath+"/:id", "/erase", write.Sensitive(), p.erase),
		kit.Get(alertsPath, read, p.alerts.Show).Menu("nav.bank", "bank.alerts.title"),
		kit.Action(alertsPath, "/:id/acknowledge", write, p.acknowledge),
		kit.Get(statementsPath, read, p.statements.Show).Menu("nav.bank", "bank.statements.title"),
		kit.Post(statementsPath, write, p.importStatement).Upload(),
		kit.Get(statementsPath+"/:id", read, p.statement.Show),
		kit.Get(directoryPath, directory, p.directory.Show).Menu("nav.bank", "bank.directory.title"),
		kit.Action(directoryPath, "/banks", edit, p.saveBank),
		kit.Action(directoryPath, "/codes", edit, p.saveCode),
	}
	if p.calls != nil {
		routes = append(routes, kit.Post(simulatorPath, read, p.simulate),
			kit.Get(simulatorPath, read, p.simulator.Show).Menu("nav.system", "bank.simulator.title"))
	}
	return routes
}

func (p *pages) alertRows(r *kit.Request, w kit.Window) ([]alerts.Alert, int64, error) {
	filter := alerts.Filter{Kind: r.Query("kind"), Without: r.Query("without"), Open: r.Query("open") != "", Limit: w.Limit, Offset: w.Offset}
	return p.Alerts.List(r.Context(), r.Caller, &filter)
}

func alertFilter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("kind", "label.kind", r.Options("alert.", alerts.Kinds()...)), kit.HiddenField("without"),
		kit.SelectField("open", "label.state", []kit.Option{{Value: "1", Text: r.T("state.alert.open")}}),
	}}, nil
}

func alertColumns() []kit.Column[alerts.Alert] {
	return append([]kit.Column[alerts.Alert]{
		kit.TimeColumn("label.last", func(a *alerts.Alert) time.Time { return a.LastSeenAt }),
		kit.WordColumn("label.kind", func(v *kit.View, a *alerts.Alert) string { return v.T("alert." + a.Kind) }).To(callsOf),
		kit.MonoColumn("label.address", func(a *alerts.Alert) string { return a.Source }),
		kit.CountColumn("label.count", func(a *alerts.Alert) int64 { return a.Count }),
		kit.TimeColumn("label.first", func(a *alerts.Alert) time.Time { return a.FirstSeenAt }),
	}, kit.Acknowledgement(alertsPath, func(a *alerts.Alert) (uuid.UUID, time.Time) { return a.ID, a.AcknowledgedAt })...)
}

// callsOf is the list of the calls with the outcome that an alert is about; "" for one about something else.
func callsOf(a *alerts.Alert) string {
	if outcome := bank.AlertedOutcome(a.Kind); outcome != "" {
		return eventsPath + "?outcome=" + outcome
	}
	return ""
}

func (p *pages) acknowledge(r *kit.Request) error {
	if err := p.Alerts.Acknowledge(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	return r.DoneBeside(alertsPath, "acknowledged", r.ID.String())
}
