package api

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"banca/api/kit"

	"github.com/danielgtaylor/huma/v2"
)

const (
	documentTitle   = "banca"
	documentVersion = "1"
	licenseName     = "Proprietary" // an SPDX identifier LicenseRef-
)

// contact of the documents is the operator of the server.
func (a *API) contact() *huma.Contact {
	return &huma.Contact{Name: "The operator of this server", URL: a.deps.PublicURL}
}

// documentText explains what operations have in common.
const documentText = `Sales of lottery tickets, and payments by bank.

Success is ` + "`{\"data\": ...}`" + `, lists add ` + "`meta`" + `. Amounts are decimal strings, ids UUIDs, instants RFC 3339 in UTC, dates business days.
Answers may get further fields, statuses further codes: ignore what you do not know, and treat an unknown code by its status.
Errors are ` + "`application/problem+json`" + ` with a stable ` + "`code`" + `; ` + "`errors[].location`" + ` is a path in the body (` + "`items[0].amount`" + `), or ` + "`query.`, `path.` or `header.`" + `
and the name of a parameter. A path that does not exist is 404 NOT_FOUND, another method of a path 405 METHOD_NOT_ALLOWED.
A query parameter is given once, by its name in this document or by its ` + "`x-alias`" + `.

The examples of request bodies name records of the development seed: they work unedited on a fresh ` + "`banca-dev dev`" + ` (docs/pos.md).

The events of GET /ws are described by /asyncapi.json (AsyncAPI 3.1).

Extensions: ` + "`x-roles`" + ` are the roles that may call an operation by themselves (none: no token is needed), ` + "`x-permission`" + ` the permission it needs,
` + "`x-sensitive`" + ` that the password was confirmed within ten minutes (POST /auth/confirm) or a device key is sent, ` + "`x-operator`" + ` that only users of
the root entity may call it, ` + "`x-error-codes`" + ` the codes of a response, ` + "`x-alias`" + ` the other spelling of a query parameter.`

// tagTexts describes the tags in their order.
func tagTexts() []*huma.Tag {
	return []*huma.Tag{
		{Name: "Auth", Description: "Log in, renew a token, confirm the password."},
		{Name: "Sessions", Description: "Sessions of users."},
		{Name: "Users", Description: "Users, their roles and permissions."},
		{Name: "Devices", Description: "Devices of ticket points and their sessions."},
		{Name: "Realtime", Description: "Events over a WebSocket."},
		{Name: "Organisation", Description: "Entities, their settings and documents."},
		{Name: "Catalogue", Description: "Categories, games, elements and draws."},
		{Name: "Draws", Description: "Draws that are suspended, and alerts."},
		{Name: "Results", Description: "Results, their verification and correction."},
		{Name: "Sales", Description: "Sell, read and cancel tickets."},
		{Name: "Prizes", Description: "Pay prizes and settle differences."},
		{Name: "Risk", Description: "Limits, blocked elements and exposure."},
		{Name: "Customers", Description: "Customers of points of sale, with their tickets and payments."},
		{Name: "Closes", Description: "Daily closes of entities."},
		{Name: "Settlements", Description: "Weekly settlements of entities and their payments."},
		{Name: "Messages", Description: "Messages to customers, resends and connections to providers."},
		{Name: "Money", Description: "Currencies and wallets."},
		{Name: "Reports", Description: "Sales, prizes won and paid, and results of a period."},
		{Name: "Assistant", Description: "Questions to the assistant and their answers."},
		{Name: "Payment requests", Description: "Payments that are expected from the bank."},
		{Name: "Bank", Description: "Payments, events, alerts and statements of the bank."},
		{Name: "Bank's calls", Description: "The two calls that the bank makes."},
		{Name: "Activity", Description: "The activity log."},
		{Name: "Health", Description: "State of the process."},
	}
}

// parameterTexts describes the parameters whose fields do not describe themselves, by their names.
func parameterTexts() map[string]string {
	return map[string]string{
		"id": "id of the thing that the path names", "ticket_id": "id of the ticket",
		"document_id": "id of the document", "code": "its code",
		"serial": "serial code of the ticket", "serial_code": "only the ticket with this serial code",
		"field":  "field of a game",
		"status": "with this status", "sort": "order; a leading minus is descending", "userId": "of this user",
		"entityId": "of this entity", "draw_id": "of this draw", "game_id": "of this game",
		"deviceId": "of this device", "payment_id": "of this payment", "client_id": "of this identity document",
		"reference": "with this reference of the bank", "phone": "with this telephone number",
		"bank":   "of the bank with this code",
		"module": "only this part of the system", "action": "only this action", "target": "only changes of this thing",
		"isActive": "only the live ones, or only the others",
		"kind":     "only this kind", "phase": "only this phase", "outcome": "only this outcome",
		"origin": "only those made this way", "state": "only this state",
		"from": "from this instant or day on", "to": "up to this instant or day", "side": "whose lines are listed",
		"entity_type": "only entities of this type",
		"short_code":  "short code to look for", "bet_type": "type of bet", "top": "how many",
		"format": "format of the receipt",
		"Accept": "text/html for a page", "role": "only users of this role", "currency": "code of the currency",
		"selection": "codes of the elements, joined by commas",
	}
}

// completeDocument adds the parts that are derived from all operations together.
func (a *API) completeDocument() {
	texts := parameterTexts()
	for _, op := range a.kit.Operations() {
		kit.DescribeAliases(op)
		for _, p := range op.Parameters {
			p.Description = cmp.Or(p.Description, texts[p.Name])
		}
		op.Description = strings.Join(slices.DeleteFunc([]string{cmp.Or(op.Description, op.Summary+"."), accessText(op)}, func(s string) bool { return s == "" }), "\n\n")
		if op.Security == nil {
			op.Security = []map[string][]string{}
		}
	}
	a.openAnswers()
}

// accessText describes the access extensions of an operation in words.
func accessText(op *huma.Operation) string {
	var parts []string
	if permission, ok := op.Extensions[kit.PermissionField].(string); ok {
		parts = append(parts, "Needs the permission `"+permission+"`.")
	}
	if op.Extensions[kit.OperatorField] == true {
		parts = append(parts, "For users of the root entity.")
	}
	if op.Extensions[kit.SensitiveField] == true {
		parts = append(parts, "Needs a confirmed password (POST /auth/confirm) or a device key.")
	}
	return strings.Join(parts, " ")
}

// openAnswers lets the objects of answers have fields that the document does not name yet. Those of requests stay
// closed, because a field that is not known is refused.
func (a *API) openAnswers() {
	taken, given := map[string]bool{}, map[string]bool{}
	for _, op := range a.kit.Operations() {
		if op.RequestBody != nil {
			for _, media := range op.RequestBody.Content {
				a.reach(media.Schema, taken)
			}
		}
		for _, response := range op.Responses {
			for _, media := range response.Content {
				a.reach(media.Schema, given)
			}
		}
	}
	for name, schema := range a.kit.Huma.OpenAPI().Components.Schemas.Map() {
		if !taken[name] && schema.AdditionalProperties == false {
			schema.AdditionalProperties = nil
		}
	}
}

// reach notes the named schemas that a schema refers to.
func (a *API) reach(s *huma.Schema, seen map[string]bool) {
	if s == nil {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, kit.SchemaPrefix); ok && !seen[name] {
		seen[name] = true
		a.reach(a.kit.Huma.OpenAPI().Components.Schemas.SchemaFromRef(s.Ref), seen)
	}
	for _, property := range s.Properties {
		a.reach(property, seen)
	}
	for _, inner := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf, []*huma.Schema{s.Items}) {
		a.reach(inner, seen)
	}
	if inner, ok := s.AdditionalProperties.(*huma.Schema); ok {
		a.reach(inner, seen)
	}
}

// schemaName names the schema of a type. Client is a name that generators use for the client itself.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if name == "Client" {
		return "SessionClient"
	}
	return name
}
