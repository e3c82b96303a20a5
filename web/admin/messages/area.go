// Package messages has the pages of messages to customers: the log, resends, and connections to providers.
package messages

import (
	"cmp"
	"embed"
	"html/template"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path            = links.Messages
	undeliveredPath = path + "/undelivered"
	resendsPath     = path + "/resends"
	connectionsPath = path + "/connections"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	log         kit.List[messageRow, logPage]
	message     kit.Page[messagePage]
	undelivered kit.Page[undelivered]
	resends     kit.Page[resends]
	resend      kit.Page[resendPage]
	uses        kit.List[useRow, usesPage]
	connect     kit.Page[connectPage]
	connection  kit.Page[connectionPage]
}

// noMatch is the text of an empty log with a filter, by the parameters of the filter.
func noMatch(parameters ...string) map[string]string {
	texts := map[string]string{}
	for _, name := range parameters {
		texts[name] = "messages.nomatch"
	}
	return texts
}

// Area returns the pages of messages.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.log = kit.List[messageRow, logPage]{
		Template: "log", File: "messages", Columns: logColumns(), Link: func(m *messageRow) string { return addressOf(m.ID) }, Empty: "messages.none",
		EmptyIf: noMatch("status", "kind", "recipient", "entity", "ticket", "code", "channel", "from", "to"), Rows: p.logRows, Filter: p.logFilter, Page: p.logPage, FileRows: kit.ExportRows,
	}
	p.message = kit.Page[messagePage]{Template: "message", Load: p.loadMessage}
	p.undelivered = kit.Page[undelivered]{Template: "undelivered", Load: p.loadUndelivered}
	p.resends = kit.Page[resends]{Template: "resends", Load: p.loadResends}
	p.resend = kit.Page[resendPage]{Template: "resend", Load: p.loadResend}
	p.uses = kit.List[useRow, usesPage]{
		Template: "connections", File: "connections", Columns: useColumns(), Link: func(u *useRow) string { return u.link }, Empty: "connections.none",
		EmptyIf: map[string]string{"q": "connections.nomatch", "state": "connections.nomatch"}, Rows: p.useRows, Filter: useFilter, Page: p.usesPage,
	}
	p.connect = kit.Page[connectPage]{Template: "connection-new", Load: p.loadConnect}
	p.connection = kit.Page[connectionPage]{Template: "connection", Load: p.loadConnection}
	return kit.Area{Templates: templates, Guide: "messaging#log-and-resends", Funcs: template.FuncMap{"resendJob": jobOf, "driverText": driverText, "driverNote": driverNote, "reasonText": reasonText}, Routes: append(p.logRoutes(), p.connectionRoutes()...)}
}

func (p *pages) logRoutes() []kit.Route {
	read, resend := kit.Can(auth.MessagingRead), kit.Can(auth.MessagingResend)
	return []kit.Route{
		kit.Get(path, read, p.log.Show).Menu("nav.messages", "messages.title"),
		kit.Get(path+"/news", read, p.news),
		kit.Get(undeliveredPath, resend, p.undelivered.Show).Menu("nav.messages", "undelivered.title"),
		kit.Get(resendsPath, resend, p.resends.Show).Menu("nav.messages", "resends.title"),
		kit.Post(resendsPath, resend, p.resendMany),
		kit.Get(resendsPath+"/:id", resend, p.resend.Show),
		kit.Get(resendsPath+"/:id/progress", resend, p.progress),
		kit.Get(path+"/:id", read, p.message.Show),
		kit.Get(path+"/:id/state", read, p.state),
		kit.Get(path+"/:id/picture", kit.Can(auth.SalesRead), p.picture),
		kit.Action(path+"/:id", "/resend", resend, p.resendOne),
	}
}

func (p *pages) connectionRoutes() []kit.Route {
	read, link := kit.Can(auth.MessagingRead), kit.Can(auth.MessagingConnect)
	const one = connectionsPath + "/:id"
	return []kit.Route{
		kit.Get(connectionsPath, read, p.uses.Show).Menu("nav.messages", "connections.title").ExplainedIn("messaging#connections"),
		kit.Get(connectionsPath+"/new", link, p.connect.Show).ExplainedIn("messaging#connections"),
		kit.Post(connectionsPath+"/new", link.Sensitive(), p.create),
		kit.Get(one, read, p.connection.Show).ExplainedIn("messaging#connections"),
		kit.Get(one+"/link", read, p.link),
		kit.Get(one+"/qr", link, p.qr),
		kit.Action(one, "/connect", link.Sensitive(), p.connectAgain),
		kit.Action(one, "/refresh", link, p.refresh),
		kit.Action(one, "/logout", link.Sensitive(), p.logOut),
		kit.Action(one, "/delete", link.Sensitive(), p.delete),
		kit.Action(one, "/settings", link.Sensitive(), p.saveSettings),
		kit.Action(one, "/test", link.Sensitive(), p.test),
	}
}

func addressOf(id uuid.UUID) string { return path + "/" + id.String() }

// Statuses of messages, as the log filters them.
func statuses() []string {
	return []string{
		models.MessageQueued, models.MessageSending, models.MessageSent, models.MessageDelivered, models.MessageRead, models.MessageFailed, models.MessageUnknown,
	}
}

// kinds are the purposes of messages.
func kinds() []string {
	return []string{
		models.MessageReceipt, models.MessageCancellation, models.MessagePrize, models.MessagePrizeCorrected, models.MessagePrizeWithdrawn, models.MessageResults, models.MessageResultsCorrected,
		models.MessagePayment, models.MessageCode, models.MessageClose, models.MessageSettlement, models.MessageOptOut, models.MessageOptIn, messaging.KindTest,
	}
}

func states() []string {
	return []string{
		string(channel.Open), string(channel.ShowsQR), string(channel.Connecting), string(channel.Disconnected), string(channel.PasskeyRequired),
		string(channel.Banned), string(channel.LicenseRequired),
	}
}

// codes are the codes of errors of messages in the order of the filter.
func codes() []string {
	return []string{
		"RECIPIENT", "CONTENT", "NEEDS_TEMPLATE", "RETRYABLE", "RATE_LIMITED", "CHANNEL_DOWN", "AUTH", "UNKNOWN_OUTCOME", "LEASE_EXPIRED", "TICKET_CANCELLED", "TICKET_NOT_WON", "REPLACED", "OPTED_OUT", "TOO_OLD",
	}
}

func codeOptions(r *kit.Request) []kit.Option { return r.Options("message.code.", codes()...) }

// codeText is what an error code means.
func codeText(v *kit.View, code string) string {
	return cmp.Or(v.FirstText("message.code."+code), v.T("message.code.other", code))
}

// advice is what a person can do about an error code.
func advice(v *kit.View, code string) string {
	return v.FirstText("message.do."+code, "message.do.other")
}

// resendable reports whether messages of a status can be sent again.
func resendable(status string) bool {
	return status == models.MessageFailed || status == models.MessageUnknown
}
