package activity

// Action is an audited action. Only this file declares one, so that every action has its texts (web/admin/parts/sentence).
// The stored names are permanent.
type Action struct{ module, name string }

// Module is a module of the activity log with the names of its actions.
type Module struct {
	Name    string
	Actions []string
}

// The actions that the program records, by module, in the order of the panel's filter.
//
//nolint:gochecknoglobals // constants in all but the keyword
var (
	TicketsReprint  = newAction("tickets", "reprint")
	TicketsViewCode = newAction("tickets", "view_code")

	PrizesPay        = newAction("prizes", "pay")
	PrizesCancel     = newAction("prizes", "cancel")
	PrizesSettled    = newAction("prizes", "settled")
	PrizesWrittenOff = newAction("prizes", "written_off")

	CustomersCreate = newAction("customers", "create")
	CustomersUpdate = newAction("customers", "update")
	CustomersMerge  = newAction("customers", "merge")
	CustomersDelete = newAction("customers", "delete")
	CustomersOptIn  = newAction("customers", "opt_in")
	CustomersOptOut = newAction("customers", "opt_out")

	DrawsSync        = newAction("draws", "sync")
	DrawsSuspend     = newAction("draws", "suspend")
	DrawsAcknowledge = newAction("draws", "acknowledge")
	DrawsProposeSeal = newAction("draws", "propose_seal")
	DrawsAcceptSeal  = newAction("draws", "accept_seal")

	ResultsEnter  = newAction("results", "enter")
	ResultsVerify = newAction("results", "verify")
	ResultsReject = newAction("results", "reject")
	ResultsFetch  = newAction("results", "fetch")
	ResultsDerive = newAction("results", "derive")

	RiskCreate  = newAction("risk", "create")
	RiskUpdate  = newAction("risk", "update")
	RiskDelete  = newAction("risk", "delete")
	RiskBlock   = newAction("risk", "block")
	RiskUnblock = newAction("risk", "unblock")

	GamesCreate        = newAction("games", "create")
	GamesUpdate        = newAction("games", "update")
	GamesStatus        = newAction("games", "status")
	GamesDelete        = newAction("games", "delete")
	GamesSync          = newAction("games", "sync")
	GamesElementsAdd   = newAction("games", "elements_add")
	GamesElementUpdate = newAction("games", "element_update")

	CategoriesCreate = newAction("categories", "create")
	CategoriesUpdate = newAction("categories", "update")
	CategoriesDelete = newAction("categories", "delete")

	WalletsDeposit     = newAction("wallets", "deposit")
	WalletsWithdrawal  = newAction("wallets", "withdrawal")
	WalletsTransfer    = newAction("wallets", "transfer")
	WalletsReversal    = newAction("wallets", "reversal")
	WalletsCreditLimit = newAction("wallets", "credit_limit")

	ClosesClose        = newAction("closes", "close")
	ClosesHandOver     = newAction("closes", "hand_over")
	ClosesTakeOver     = newAction("closes", "take_over")
	ClosesAdoptCluster = newAction("closes", "adopt_cluster")

	SettlementsDraft   = newAction("settlements", "draft")
	SettlementsConfirm = newAction("settlements", "confirm")
	SettlementsPay     = newAction("settlements", "pay")
	SettlementsUnlink  = newAction("settlements", "unlink")

	CurrenciesCreate     = newAction("currencies", "create")
	CurrenciesUpdate     = newAction("currencies", "update")
	CurrenciesDelete     = newAction("currencies", "delete")
	CurrenciesRate       = newAction("currencies", "rate")
	CurrenciesDeleteRate = newAction("currencies", "delete_rate")
	CurrenciesFetchRate  = newAction("currencies", "fetch_rate")
	CurrenciesFetchRates = newAction("currencies", "fetch_rates")

	EntitiesCreate = newAction("entities", "create")
	EntitiesUpdate = newAction("entities", "update")
	EntitiesStatus = newAction("entities", "status")
	EntitiesMove   = newAction("entities", "move")
	EntitiesDelete = newAction("entities", "delete")

	DocumentsCreate = newAction("documents", "create")
	DocumentsDelete = newAction("documents", "delete")

	UsersCreate         = newAction("users", "create")
	UsersUpdate         = newAction("users", "update")
	UsersDelete         = newAction("users", "delete")
	UsersPermissions    = newAction("users", "permissions")
	UsersPasswordChange = newAction("users", "password_change")
	UsersPasswordReset  = newAction("users", "password_reset")

	DevicesRegister            = newAction("devices", "register")
	DevicesRename              = newAction("devices", "rename")
	DevicesStatus              = newAction("devices", "status")
	DevicesSessionStatus       = newAction("devices", "session_status")
	DevicesFingerprintMismatch = newAction("devices", "fingerprint_mismatch")

	BankPaymentsAssign = newAction("bank_payments", "assign")
	BankPaymentsRefund = newAction("bank_payments", "refund")

	BankEventsErase = newAction("bank_events", "erase")

	BankAlertsAcknowledge = newAction("bank_alerts", "acknowledge")

	BankStatementsImport = newAction("bank_statements", "import")

	BanksCreate = newAction("banks", "create")
	BanksUpdate = newAction("banks", "update")
	BanksDelete = newAction("banks", "delete")

	NetworkCodesCreate = newAction("network_codes", "create")
	NetworkCodesUpdate = newAction("network_codes", "update")
	NetworkCodesDelete = newAction("network_codes", "delete")

	MessagingConnect         = newAction("messaging", "connect")
	MessagingDisconnect      = newAction("messaging", "disconnect")
	MessagingLogout          = newAction("messaging", "logout")
	MessagingUpdate          = newAction("messaging", "update")
	MessagingTest            = newAction("messaging", "test")
	MessagingResend          = newAction("messaging", "resend")
	MessagingResendMany      = newAction("messaging", "resend_many")
	MessagingTemplate        = newAction("messaging", "template")
	MessagingTemplateInherit = newAction("messaging", "template_inherit")

	ExportsCreate = newAction("exports", "create")

	AuthLogin       = newAction("auth", "login")
	AuthLogout      = newAction("auth", "logout")
	AuthReuse       = newAction("auth", "reuse")
	AuthPIN         = newAction("auth", "pin")
	AuthTOTPEnable  = newAction("auth", "totp_enable")
	AuthTOTPDisable = newAction("auth", "totp_disable")

	SessionsTerminate = newAction("sessions", "terminate")
	SessionsExtend    = newAction("sessions", "extend")

	_ = []Action{ // parts of the addresses of asynqmon; see QueueAction
		newAction("queues", "run"), newAction("queues", "run_all"), newAction("queues", "batch_run"),
		newAction("queues", "archive"), newAction("queues", "archive_all"),
		newAction("queues", "batch_archive"), newAction("queues", "delete"), newAction("queues", "delete_all"),
		newAction("queues", "batch_delete"), newAction("queues", "cancel"), newAction("queues", "cancel_all"),
		newAction("queues", "batch_cancel"), newAction("queues", "pause"), newAction("queues", "resume"),
		newAction("queues", "post"),
	}

	logsCorrect = newAction("logs", "correct")
	logsRemove  = newAction("logs", "remove")
)

// registry lists the actions above.
var registry []Module //nolint:gochecknoglobals // filled while the variables above are initialised, and constant then

func newAction(module, name string) Action {
	if n := len(registry); n == 0 || registry[n-1].Name != module {
		registry = append(registry, Module{Name: module})
	}
	last := &registry[len(registry)-1]
	last.Actions = append(last.Actions, name)
	return Action{module, name}
}

// Name returns the stored name of the action within its module.
func (a Action) Name() string { return a.name }

// QueueAction is a change of a queue by its name in asynqmon's address. A name that Modules does not list has no text
// of its own.
func QueueAction(name string) Action { return Action{"queues", name} }

// Modules returns the modules and actions that the program records. Callers do not change it.
func Modules() []Module { return registry }

// ActionsOf returns the names of the actions of a module, or nil for a module that the program does not record.
func ActionsOf(module string) []string {
	for _, m := range registry {
		if m.Name == module {
			return m.Actions
		}
	}
	return nil
}
