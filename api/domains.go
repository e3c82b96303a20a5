package api

import (
	"banca/api/activity"
	"banca/api/assistant"
	"banca/api/bank"
	"banca/api/catalog"
	"banca/api/closes"
	"banca/api/customers"
	"banca/api/devices"
	"banca/api/draws"
	"banca/api/exports"
	"banca/api/ledger"
	"banca/api/messaging"
	"banca/api/org"
	"banca/api/prizes"
	"banca/api/realtime"
	"banca/api/reports"
	"banca/api/risk"
	"banca/api/sales"
	"banca/api/system"
	"banca/api/users"
	"banca/api/weekly"
)

// registerDomains adds the operations of every domain.
func (a *API) registerDomains() {
	r, s := a.kit, &a.deps.Services
	users.Register(r, s.Auth)
	activity.Register(r, s.Activity, s.Org)
	org.Register(r, s.Org, s.Imports)
	devices.Register(r, s.Devices)
	realtime.Register(r, a.deps.Realtime)
	catalog.Register(r, s.Catalog)
	ledger.Register(r, s.Ledger)
	sales.Register(r, s.Sales, s.Customers, s.Reports, a.ticketPage)
	customers.Register(r, s.Customers)
	closes.Register(r, s.Closes)
	draws.Register(r, s.Draws, s.Catalog, s.Org, s.Ledger, s.Sales.HouseLogo)
	risk.Register(r, s.Limits, s.Sales, s.Exposure)
	prizes.Register(r, s.Prizes)
	weekly.Register(r, s.Weekly)
	reports.Register(r, s.Reports)
	exports.Register(r, s.Exports)
	assistant.Register(r, s.Assistant)
	messaging.Register(r, messaging.Services{Messages: s.Messages, Connections: s.Connections, Templates: s.Templates, Notices: s.Notices})
	a.refuseBankMethod = bank.Register(r, s.Alerts, s.Bank, s.Customers)
	system.Register(r, a.deps.System)
}
