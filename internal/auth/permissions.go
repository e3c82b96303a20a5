package auth

import (
	"slices"

	"banca/internal/platform/caller"
	"banca/models"
)

// Permission is one of the permissions below.
type Permission = caller.Permission

// The permissions, in the order of their values, after which they are named. Reading is limited to the caller's part of
// the organisation, like everything else.
const (
	AssistantRead        Permission = "assistant:read" // its tools read as the user
	BankAssign           Permission = "bank:assign"    // book payments that fit no request
	BankRead             Permission = "bank:read"
	BankWrite            Permission = "bank:write"
	BanksRead            Permission = "banks:read" // banks and network codes
	BanksWrite           Permission = "banks:write"
	CatalogForce         Permission = "catalog:force" // rules that pay out more than they take in
	CatalogRead          Permission = "catalog:read"
	CatalogWrite         Permission = "catalog:write"
	ClosesRead           Permission = "closes:read"
	ClosesWrite          Permission = "closes:write"
	CurrenciesWrite      Permission = "currencies:write" // and exchange rates
	CustomersRead        Permission = "customers:read"
	CustomersWrite       Permission = "customers:write"
	DevicesRead          Permission = "devices:read"
	DevicesRegister      Permission = "devices:register"
	DevicesWrite         Permission = "devices:write"
	DocumentsRead        Permission = "documents:read"
	DocumentsWrite       Permission = "documents:write"
	DrawsSuspend         Permission = "draws:suspend"
	EntitiesDelete       Permission = "entities:delete"
	EntitiesRead         Permission = "entities:read"
	EntitiesWrite        Permission = "entities:write"
	LogsRead             Permission = "logs:read"
	LogsWrite            Permission = "logs:write"
	MessagingConnect     Permission = "messaging:connect" // make and end connections to providers
	MessagingRead        Permission = "messaging:read"
	MessagingResend      Permission = "messaging:resend"
	PaymentRequestsRead  Permission = "payment_requests:read"
	PaymentRequestsWrite Permission = "payment_requests:write"
	PrizesAdjust         Permission = "prizes:adjust" // settle differences and write them off
	PrizesCancel         Permission = "prizes:cancel" // take a payment back
	PrizesPay            Permission = "prizes:pay"
	PrizesRead           Permission = "prizes:read"
	QueuesRead           Permission = "queues:read"
	QueuesWrite          Permission = "queues:write" // pause queues; run, archive and delete tasks
	ReportsRead          Permission = "reports:read" // sales, prizes and commissions over a period
	ResultsRead          Permission = "results:read"
	ResultsVerify        Permission = "results:verify" // of another person's entries
	ResultsWrite         Permission = "results:write"
	RiskRead             Permission = "risk:read"
	RiskWrite            Permission = "risk:write" // limits, and blocks of elements
	SalesCancel          Permission = "sales:cancel"
	SalesCancelAny       Permission = "sales:cancel_any" // after the window and beyond the daily count
	SalesRead            Permission = "sales:read"
	SalesSell            Permission = "sales:sell"
	SessionsRead         Permission = "sessions:read"
	SessionsWrite        Permission = "sessions:write"
	SettlementsRead      Permission = "settlements:read"  // weekly settlements
	SettlementsWrite     Permission = "settlements:write" // draft and confirm them, register and make their payments
	SystemRead           Permission = "system:read"       // the request log
	UsersGrant           Permission = "users:grant"       // roles and permissions of others
	UsersRead            Permission = "users:read"
	UsersWrite           Permission = "users:write"
	WalletsCredit        Permission = "wallets:credit" // credit limits
	WalletsRead          Permission = "wallets:read"
	WalletsWrite         Permission = "wallets:write" // deposits, withdrawals, transfers, reversals
)

// access is what a role has of a permission.
type access int

// The accesses.
const (
	accessNever     access = iota
	accessGrantable        // to a user of the role
	accessGranted          // by the role
)

// permission declares who has a permission. Administrators have all.
type permission struct {
	name            Permission
	seller, partner access
}

// permissions declares every permission, in alphabetical order; a text perm.* of each is in both languages. A partner
// only reads; a seller gets neither what rules over other users nor what belongs to the operator.
//
//nolint:gochecknoglobals // constants in all but the keyword
var permissions = [...]permission{
	{AssistantRead, accessGranted, accessGranted},
	{BankAssign, accessNever, accessNever},
	{BankRead, accessGrantable, accessGrantable},
	{BankWrite, accessNever, accessNever},
	{BanksRead, accessGranted, accessGranted},
	{BanksWrite, accessNever, accessNever},
	{CatalogForce, accessNever, accessNever},
	{CatalogRead, accessGranted, accessGranted},
	{CatalogWrite, accessNever, accessNever},
	{ClosesRead, accessGranted, accessGranted},
	{ClosesWrite, accessGranted, accessNever},
	{CurrenciesWrite, accessNever, accessNever},
	{CustomersRead, accessGranted, accessGranted},
	{CustomersWrite, accessGranted, accessNever},
	{DevicesRead, accessGranted, accessGranted},
	{DevicesRegister, accessGranted, accessNever},
	{DevicesWrite, accessGrantable, accessNever},
	{DocumentsRead, accessGrantable, accessGrantable},
	{DocumentsWrite, accessGrantable, accessNever},
	{DrawsSuspend, accessNever, accessNever},
	{EntitiesDelete, accessNever, accessNever},
	{EntitiesRead, accessGranted, accessGranted},
	{EntitiesWrite, accessNever, accessNever},
	{LogsRead, accessGrantable, accessGrantable},
	{LogsWrite, accessNever, accessNever},
	{MessagingConnect, accessNever, accessNever},
	{MessagingRead, accessGranted, accessGrantable},
	{MessagingResend, accessGranted, accessNever},
	{PaymentRequestsRead, accessGranted, accessGranted},
	{PaymentRequestsWrite, accessGranted, accessNever},
	{PrizesAdjust, accessNever, accessNever},
	{PrizesCancel, accessNever, accessNever},
	{PrizesPay, accessGranted, accessNever},
	{PrizesRead, accessGranted, accessGranted},
	{QueuesRead, accessGrantable, accessGrantable},
	{QueuesWrite, accessNever, accessNever},
	{ReportsRead, accessGranted, accessGranted},
	{ResultsRead, accessGranted, accessGranted},
	{ResultsVerify, accessNever, accessNever},
	{ResultsWrite, accessNever, accessNever},
	{RiskRead, accessGranted, accessGranted},
	{RiskWrite, accessNever, accessNever},
	{SalesCancel, accessGranted, accessNever},
	{SalesCancelAny, accessGrantable, accessNever},
	{SalesRead, accessGranted, accessGranted},
	{SalesSell, accessGranted, accessNever},
	{SessionsRead, accessGrantable, accessGrantable},
	{SessionsWrite, accessNever, accessNever},
	{SettlementsRead, accessGrantable, accessGranted},
	{SettlementsWrite, accessNever, accessNever},
	{SystemRead, accessGrantable, accessGrantable},
	{UsersGrant, accessNever, accessNever},
	{UsersRead, accessGrantable, accessGranted},
	{UsersWrite, accessNever, accessNever},
	{WalletsCredit, accessNever, accessNever},
	{WalletsRead, accessGranted, accessGranted},
	{WalletsWrite, accessNever, accessNever},
}

// Permissions lists every permission, in alphabetical order.
func Permissions() []Permission {
	var names []Permission
	for _, p := range permissions {
		names = append(names, p.name)
	}
	return names
}

// of returns the access of a role.
func (p *permission) of(role string) access {
	switch role {
	case models.RoleAdmin:
		return accessGranted
	case models.RoleTaquilla:
		return p.seller
	case models.RoleSocio:
		return p.partner
	default:
		return accessNever
	}
}

// Grantable reports whether a user of a role can be granted a permission.
func Grantable(role string, name Permission) bool {
	for _, p := range permissions {
		if p.name == name {
			return p.of(role) != accessNever
		}
	}
	return false
}

// RolePermissions are the permissions of a role without grants and denials.
func RolePermissions(role string) caller.PermissionSet { return allowed(role, nil, nil) }

// allowed returns the permissions of a user of a role: the role's own and the grants, without the denials. Permissions
// that the role cannot have stay out, whatever the database holds.
func allowed(role string, grants, denied []Permission) caller.PermissionSet {
	set := caller.PermissionSet{}
	for _, p := range permissions {
		a := p.of(role)
		has := a == accessGranted || a == accessGrantable && slices.Contains(grants, p.name)
		if has && !slices.Contains(denied, p.name) {
			set[p.name] = struct{}{}
		}
	}
	return set
}
