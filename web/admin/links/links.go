// Package links has the addresses of the pages of the panel, for the areas that link to each other.
package links

// Addresses of pages. The page of an object is below the one of its list.
const (
	Home         = "/admin"
	Activity     = Home + "/activity"
	Bank         = Home + "/bank"
	BankAlerts   = Bank + "/alerts"
	BankEvents   = Bank + "/events"
	BankPayments = Bank + "/payments"
	Closes       = Home + "/closes"
	Currencies   = Home + "/currencies"
	Customers    = Home + "/customers"
	Devices      = Home + "/devices"
	Differences  = Home + "/prize-differences"
	DrawAlerts   = Draws + "/alerts"
	Draws        = Home + "/draws"
	Exposure     = Home + "/exposure"
	Guide        = "/docs/guide" // without a login
	Games        = Home + "/games"
	Health       = Home + "/health"
	Limits       = Home + "/limits"
	Messages     = Home + "/messages"
	Organisation = Home + "/organisation"
	Prizes       = Home + "/prizes"
	Reports      = Home + "/reports"
	Tasks        = Home + "/tasks"
	Tickets      = Home + "/tickets"
	Users        = Home + "/users"
	Wallets      = Home + "/wallets"
	Weekly       = Home + "/weekly"
)
