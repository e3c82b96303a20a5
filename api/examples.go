package api

import (
	"fmt"

	"banca/api/kit"

	"github.com/danielgtaylor/huma/v2"
)

// Ids of the development seed (internal/setup/seed) that examples name. A test sends the examples to a server with that seed.
const (
	exampleTicketPoint = "63913019-8deb-5a71-8f94-5b3560f4297e"
	exampleOpenDraw    = "01900000-0000-7000-8000-0000000000d1"
	exampleClosedDraw  = "01900000-0000-7000-8000-0000000000d2"
	exampleTicket      = "01900000-0000-7000-8000-0000000000e1"
)

// example is a request that succeeds unedited on a fresh `banca-dev dev`.
type example struct {
	operation  string
	parameters map[string]any
	body       map[string]any
	note       string // appended to the description of the operation
}

// examples lists the requests in an order in which all of them work.
func examples() []example {
	return []example{
		{operation: "login", body: map[string]any{"identifier": "admin@banca.test", "password": "banca-dev"}}, //nolint:gosec // of the development seed
		{
			operation: "create-payment-request", parameters: map[string]any{kit.IdempotencyHeader: "example-payment-request-1"},
			body: map[string]any{"entityId": exampleTicketPoint, "amount": "120.00", "client_id": "V21333444", "client_phone": "04149998877"},
		},
		{
			operation: "banco-consulta", note: "The example asks for the payment request of the example of POST /bank/payment-requests. " + exampleToken,
			body: map[string]any{"IdCliente": "V21333444", "Monto": "120.00", "TelefonoComercio": "04141112233"},
		},
		{
			operation: "banco-notifica", note: "The example pays the payment request of the example of POST /BancoConsulta. " + exampleToken,
			body: map[string]any{"Referencia": "000087654321", "BancoEmisor": "0134", "Monto": "120.00", "CodigoRed": "00"},
		},
		{
			operation: "sell-ticket", parameters: map[string]any{kit.IdempotencyHeader: "example-sale-1"},
			body: map[string]any{
				"entityId": exampleTicketPoint, "currency": "VES",
				"customer": map[string]any{"name": "María Ñáñez", "phone": "04141234567"},
				"items": []any{
					map[string]any{"draw_id": exampleOpenDraw, "bet_type": "straight", "selection": "5", "amount": "10.00"},
					map[string]any{"draw_id": exampleOpenDraw, "bet_type": "straight", "selection": "00", "amount": "25.50"},
				},
			},
		},
		{
			operation: "create-customer",
			body:      map[string]any{"entityId": exampleTicketPoint, "name": "José Núñez", "phone": "0424-7654321", "id_document": "V12345678", "email": "jose@example.com"},
		},
		{
			operation: "pay-prize", parameters: map[string]any{"ticket_id": exampleTicket, kit.IdempotencyHeader: "example-prize-1"},
			body: map[string]any{"validation_code": "482913"},
		},
		{operation: "enter-result", body: map[string]any{"draw_id": exampleClosedDraw, "value": "5"}},
	}
}

const exampleToken = "In development `banca-dev dev` prints the token."

// addExamples writes the examples into the operations.
func (a *API) addExamples() {
	operations := map[string]*huma.Operation{}
	for _, op := range a.kit.Operations() {
		operations[op.OperationID] = op
	}
	for _, e := range examples() {
		op := operations[e.operation]
		if op == nil || op.RequestBody == nil || op.RequestBody.Content[kit.JSONType] == nil {
			a.kit.Fail(fmt.Errorf("api: example of %s: no such operation with a JSON body", e.operation))
			continue
		}
		op.RequestBody.Content[kit.JSONType].Example = e.body
		found := 0
		for _, p := range op.Parameters {
			if value, ok := e.parameters[p.Name]; ok {
				p.Example = value
				found++
			}
		}
		if found != len(e.parameters) {
			a.kit.Fail(fmt.Errorf("api: example of %s: a parameter does not exist", e.operation))
		}
		if e.note != "" {
			op.Description += "\n\n" + e.note
		}
	}
}
