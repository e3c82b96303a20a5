// Package services lists the services of the domains for the API and the panel, which share one instance of each.
package services

import (
	"banca/internal/activity"
	"banca/internal/agencies"
	"banca/internal/alerts"
	"banca/internal/assistant"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/customers"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/exports"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/templates"
	"banca/internal/notices"
	"banca/internal/org"
	"banca/internal/platform/health"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/internal/sales"
	"banca/internal/setup"
	"banca/internal/setup/imports"
	"banca/internal/weekly"
)

// Services are the services of the domains.
type Services struct {
	Activity    *activity.Service
	Agencies    *agencies.Service
	Alerts      *alerts.Service
	Assistant   *assistant.Service
	Auth        *auth.Service
	Bank        *bank.Service
	Catalog     *catalog.Service
	Closes      *closes.Service
	Connections *connections.Service
	Customers   *customers.Service
	Devices     *devices.Service
	Draws       *draws.Service
	Exports     *exports.Service
	Exposure    *exposure.Service
	Health      *health.Monitor
	Imports     *imports.Service
	Ledger      *ledger.Service
	Limits      *risk.Keeper
	Messages    *messaging.Service
	Notices     *notices.Service
	Org         *org.Service
	Prizes      *prizes.Service
	Reports     *reports.Service
	Sales       *sales.Service
	Setup       *setup.Service
	Templates   *templates.Service
	Weekly      *weekly.Service
}
