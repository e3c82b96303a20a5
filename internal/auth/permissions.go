package auth

import (
	"slices"
	"strings"

	"banca/internal/platform/caller"
	"banca/models"
)

// Permission is one of the permissions below.
type Permission = caller.Permission

// The permissions. Reading is limited to the caller's part of the organisation, like everything else.
const (
	ActivityRead    Permission = "logs:read"
	ActivityWrite   Permission = "logs:write"
	AssistantUse    Permission = "assistant:read" // its tools read as the user
	BankAssign      Permission = "bank:assign"    // book payments that fit no request
	BankRead        Permission = "bank:read"
	BankWrite       Permission = "bank:write"
	BanksRead       Permission = "banks:read" // banks and network codes
	BanksWrite      Permission = "banks:write"
	CatalogForce    Permission = "catalog:force" // rules that pay out more than they take in
	CatalogRead     Permission = "catalog:read"
	CatalogWrite    Permission = "catalog:write"
	ClosesRead      Permission = "closes:read"
	ClosesWrite     Permission = "closes:write"
	CurrenciesWrite Permission = "currencies:write" // and exchange rates
	CustomersRead   Permission = "customers:read"
	CustomersWrite  Permission = "customers:write"
	DevicesEnrol    Permission = "devices:register"
	DevicesRead     Permission = "devices:read"
	DevicesWrite    Permission = "devices:write"
	DocumentsRead   Permission = "documents:read"
	DocumentsWrite  Permission = "documents:write"
	EntitiesDelete  Permission = "entities:delete"
	EntitiesRead    Permission = "entities:read"
	EntitiesWrite   Permission = "entities:write"
	MessagesLink    Permission = "messaging:connect" // make and end connections to providers
	MessagesRead    Permission = "messaging:read"
	MessagesResend  Permission = "messaging:resend"
	PrizesAdjust    Permission = "prizes:adjust" // settle differences and write them off
	PrizesCancel    Permission = "prizes:cancel" // take a payment back
	PrizesPay       Permission = "prizes:pay"
	PrizesRead      Permission = "prizes:read"
	QueuesRead      Permission = "queues:read"
	QueuesWrite     Permission = "queues:write" // pause queues; run, archive and delete tasks
	ReportsRead     Permission = "reports:read" // sales, prizes and commissions over a period
	RequestsRead    Permission = "payment_requests:read"
	RequestsWrite   Permission = "payment_requests:write"
	DrawsSuspend    Permission = "draws:suspend"
	ResultsRead     Permission = "results:read"
	ResultsVerify   Permission = "results:verify" // of another person's entries
	ResultsWrite    Permission = "results:write"
	RiskRead        Permission = "risk:read"
	RiskWrite       Permission = "risk:write" // limits, and blocks of elements
	SalesCancel     Permission = "sales:cancel"
	SalesCancelAny  Permission = "sales:cancel_any" // after the window and beyond the daily count
	SalesRead       Permission = "sales:read"
	SalesSell       Permission = "sales:sell"
	SessionsRead    Permission = "sessions:read"
	SessionsWrite   Permission = "sessions:write"
	SystemRead      Permission = "system:read" // the request log
	UsersGrant      Permission = "users:grant" // roles and permissions of others
	UsersRead       Permission = "users:read"
	UsersWrite      Permission = "users:write"
	WalletsCredit   Permission = "wallets:credit" // credit limits
	WalletsRead     Permission = "wallets:read"
	WalletsWrite    Permission = "wallets:write"     // deposits, withdrawals, transfers, reversals
	WeeklyRead      Permission = "settlements:read"  // weekly settlements
	WeeklyWrite     Permission = "settlements:write" // draft and confirm them, register and make their payments
)

// Permissions lists every permission, in alphabetical order.
func Permissions() []Permission {
	return []Permission{
		AssistantUse, BankAssign, BankRead, BankWrite, BanksRead, BanksWrite, CatalogForce, CatalogRead, CatalogWrite, ClosesRead, ClosesWrite, CurrenciesWrite, CustomersRead, CustomersWrite, DevicesRead, DevicesEnrol, DevicesWrite, DocumentsRead,
		DocumentsWrite, DrawsSuspend, EntitiesDelete, EntitiesRead, EntitiesWrite, ActivityRead, ActivityWrite, MessagesLink, MessagesRead, MessagesResend, RequestsRead, RequestsWrite,
		PrizesAdjust, PrizesCancel, PrizesPay, PrizesRead, QueuesRead, QueuesWrite, ReportsRead, ResultsRead, ResultsVerify, ResultsWrite, RiskRead, RiskWrite,
		SalesCancel, SalesCancelAny, SalesRead, SalesSell, SessionsRead, SessionsWrite, WeeklyRead, WeeklyWrite, SystemRead, UsersGrant, UsersRead, UsersWrite, WalletsCredit, WalletsRead, WalletsWrite,
	}
}

// readOnly reports whether a permission changes nothing.
func readOnly(p Permission) bool { return strings.HasSuffix(string(p), ":read") }

// defaults are the permissions of a role.
func defaults(role string) []Permission {
	switch role {
	case models.RoleAdmin:
		return Permissions()
	case models.RoleTaquilla:
		return []Permission{
			AssistantUse, BanksRead, CatalogRead, ClosesRead, ClosesWrite, CustomersRead, CustomersWrite, DevicesEnrol, DevicesRead, EntitiesRead, MessagesRead, MessagesResend, RequestsRead, RequestsWrite, PrizesPay, PrizesRead, ReportsRead, ResultsRead, RiskRead,
			SalesCancel, SalesRead, SalesSell, WalletsRead,
		}
	case models.RoleSocio:
		return []Permission{AssistantUse, BanksRead, CatalogRead, ClosesRead, CustomersRead, DevicesRead, EntitiesRead, RequestsRead, PrizesRead, ReportsRead, ResultsRead, RiskRead, SalesRead, WeeklyRead, UsersRead, WalletsRead}
	default:
		return nil
	}
}

// Grantable reports whether a user of a role can be granted a permission. A partner only reads; a seller gets neither
// what rules over other users nor what belongs to the operator.
func Grantable(role string, p Permission) bool {
	if !slices.Contains(Permissions(), p) {
		return false
	}
	switch role {
	case models.RoleAdmin:
		return true
	case models.RoleTaquilla:
		return readOnly(p) || slices.Contains([]Permission{ClosesWrite, CustomersWrite, MessagesResend, DevicesEnrol, DevicesWrite, DocumentsWrite, RequestsWrite, PrizesPay, SalesCancel, SalesCancelAny, SalesSell}, p)
	case models.RoleSocio:
		return readOnly(p)
	default:
		return false
	}
}

// RolePermissions are the permissions of a role without grants and denials.
func RolePermissions(role string) caller.PermissionSet { return allowed(role, nil, nil) }

// allowed returns the permissions of a user of a role: the role's defaults and the grants, without the denials.
// Permissions that the role cannot have stay out, whatever the database holds.
func allowed(role string, granted, denied []Permission) caller.PermissionSet {
	set := caller.PermissionSet{}
	for _, p := range slices.Concat(defaults(role), granted) {
		if Grantable(role, p) && !slices.Contains(denied, p) {
			set[p] = struct{}{}
		}
	}
	return set
}
