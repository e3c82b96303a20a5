package sentence

// Module is a module of the activity log with its actions.
type Module struct {
	Name    string
	Actions []string
}

// Modules returns the modules and actions that the program records, in the order of the menu.
func Modules() []Module {
	return []Module{
		{"tickets", []string{"reprint", "view_code"}},
		{"prizes", []string{"pay", "cancel", "settled", "written_off"}},
		{"customers", []string{"create", "update", "merge", "delete", "opt_in", "opt_out"}},
		{"draws", []string{"sync", "suspend", "acknowledge", "propose_seal", "accept_seal"}},
		{"results", []string{"enter", "verify", "reject", "fetch", "derive"}},
		{"risk", []string{"create", "update", "delete", "block", "unblock"}},
		{"games", []string{"create", "update", "status", "delete", "sync", "elements_add", "element_update"}},
		{"categories", []string{"create", "update", "delete"}},
		{"wallets", []string{"deposit", "withdrawal", "transfer", "reversal", "credit_limit"}},
		{"closes", []string{"close", "hand_over", "take_over", "adopt_cluster"}},
		{"settlements", []string{"draft", "confirm", "pay", "unlink"}},
		{"currencies", []string{"create", "update", "delete", "rate", "delete_rate", "fetch_rate", "fetch_rates"}},
		{"entities", []string{"create", "update", "status", "move", "delete"}},
		{"documents", []string{"create", "delete"}},
		{"users", []string{"create", "update", "delete", "permissions", "password_change", "password_reset"}},
		{"devices", []string{"register", "rename", "status", "session_status", "fingerprint_mismatch"}},
		{"bank_payments", []string{"assign", "refund"}},
		{"bank_events", []string{"erase"}},
		{"bank_alerts", []string{"acknowledge"}},
		{"bank_statements", []string{"import"}},
		{"banks", []string{"create", "update", "delete"}},
		{"network_codes", []string{"create", "update", "delete"}},
		{"messaging", []string{"connect", "disconnect", "logout", "update", "test", "resend", "resend_many", "template", "template_inherit"}},
		{"exports", []string{"create"}},
		{"auth", []string{"login", "logout", "reuse", "totp_enable", "totp_disable"}},
		{"sessions", []string{"terminate", "extend"}},
		{"queues", []string{
			"run", "run_all", "batch_run", "archive", "archive_all", "batch_archive", "delete", "delete_all", "batch_delete", "cancel", "cancel_all",
			"batch_cancel", "pause", "resume", "post",
		}},
		{"logs", []string{"correct", "remove"}},
	}
}

// ActionsOf returns the actions of a module, or nil for a module that the program does not record.
func ActionsOf(module string) []string {
	for _, m := range Modules() {
		if m.Name == module {
			return m.Actions
		}
	}
	return nil
}
