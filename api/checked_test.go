package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/clock"
)

// ticketReader is an operation that takes what a sale takes and says what it read.
func ticketReader(a *API) {
	handle(a, huma.Operation{OperationID: "read", Method: http.MethodPost, Path: "/test/read", SkipValidateBody: true}, Public(),
		func(_ context.Context, in *sellInput) (*Created[[]string], error) {
			if err := in.Body.Refusal(); err != nil {
				return nil, err
			}
			req := in.request(uuid.Nil, uuid.Nil, "/")
			read := []string{req.Currency}
			for _, item := range req.Items {
				read = append(read, item.BetType+" "+strings.Join(item.Selection, "+")+" "+item.Amount)
			}
			return created(read, ""), nil
		})
}

// A sale's body is read once; what is wrong with it is told as precisely as of any other body.
func TestTheBodyOfASale(t *testing.T) {
	t.Parallel()
	b := setup(t, ticketReader)
	const good = `{"draw_id":"d","bet_type":"straight","selection":"5","amount":"1.00"}`
	value := []string{"hunter2"}
	var list []scenario
	for _, s := range []scenario{
		{name: "as usual", body: `{"currency":"VES","items":[` + good + `,{"amount":2.5,"selection":["5","12"],"bet_type":"dupleta","draw_id":"d"}]}`, status: 201,
			has: []string{`["VES","straight 5 1.00","dupleta 5+12 2.5"]`}},
		{name: "with a buyer", body: `{"customer":{"name":"Ana","phone":"04141234567"},"items":[` + good + `]}`, status: 201},
		{name: "buyer without phone", body: `{"customer":{"name":"hunter2"},"items":[` + good + `]}`, has: []string{`"location":"customer`, "phone"}, lacks: value},
		{name: "long name", body: `{"customer":{"name":"` + strings.Repeat("x", 201) + `","phone":"1"},"items":[` + good + `]}`, has: []string{"customer.name"}},
		{name: "no lines named", body: `{"currency":"VES"}`, has: []string{"items"}},
		{name: "empty object", body: `{}`, has: []string{"items"}},
		{name: "null", body: `null`},
		{name: "array", body: `[]`},
		{name: "unknown field", body: `{"hunter":"hunter2","items":[` + good + `]}`, has: []string{`"location":"hunter"`, "unexpected"}, lacks: value},
		{name: "field in other letters", body: `{"Items":[` + good + `]}`, has: []string{"items"}},
		{name: "internal field", body: `{"refusal":null,"Checked":{},"items":[` + good + `]}`, has: []string{"Checked"}},
		{name: "line without amount", body: `{"items":[` + good + `,{"draw_id":"d","bet_type":"straight","selection":"5"}]}`, has: []string{"items[1]", "amount"}},
		{name: "amount true", body: `{"items":[` + strings.Replace(good, `"1.00"`, "true", 1) + `]}`, has: []string{"items[0].amount"}},
		{name: "amount null", body: `{"items":[` + strings.Replace(good, `"1.00"`, "null", 1) + `]}`, has: []string{"items[0].amount"}},
		{name: "long amount", body: `{"items":[` + strings.Replace(good, `"1.00"`, strings.Repeat("9", 25), 1) + `]}`, has: []string{`"location":"items[0].amount"`, "expected length <= 24"}},
		{name: "long amount in a later line", body: `{"items":[` + good + `,` + strings.Replace(good, `"1.00"`, strings.Repeat("9", 25), 1) + `]}`, has: []string{`"location":"items[1].amount"`}},
		{name: "long amount beside a buyer", body: `{"customer":{"name":"Ana","phone":"1"},"items":[` + strings.Replace(good, `"1.00"`, "0."+strings.Repeat("7", 30), 1) + `]}`,
			has: []string{`"location":"items[0].amount"`}, lacks: []string{"777"}},
		{name: "selection of numbers", body: `{"items":[` + strings.Replace(good, `"5"`, `[5]`, 1) + `]}`, has: []string{"items[0].selection"}},
		{name: "long selection", body: `{"items":[` + strings.Replace(good, `"5"`, `["1","2","3","4","5","6","7","8","9"]`, 1) + `]}`, has: []string{"items[0].selection"}},
		{name: "entity that is no id", body: `{"entityId":"hunter2","items":[` + good + `]}`, has: []string{`"location":"entityId"`}, lacks: value},
		{name: "flag as text", body: `{"accept_partial":"hunter2","items":[` + good + `]}`, has: []string{"accept_partial"}, lacks: value},
		{name: "not JSON", body: `{"items":[hunter2]}`, status: 400, lacks: value},
		{name: "trailing data", body: `{"items":[` + good + `]} {}`, status: 400},
		{name: "same key twice", body: `{"items":[],"items":[` + good + `]}`, status: 400, has: []string{"same key twice"}},
		{name: "same key twice in a line", body: `{"items":[` + strings.Replace(good, `"amount"`, `"amount":"9","amount"`, 1) + `]}`, status: 400, has: []string{"same key twice"}},
	} {
		s.path = "/test/read"
		switch s.status {
		case 0:
			s.status, s.code = 422, "VALIDATION_FAILED"
		case 400:
			s.code = "MALFORMED_BODY"
		}
		list = append(list, s)
	}
	b.run(t, list)
}

// A receipt's QR code names the ticket at the root, wherever the API lies.
func TestTheQRCodeBelowABasePath(t *testing.T) {
	t.Parallel()
	a, err := assemble(Deps{Log: slog.New(slog.DiscardHandler), Clock: clock.System{}, BasePath: "/api"})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	a.Engine().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/T/K7QX9M2P4D6A", http.NoBody))
	require.Equal(t, http.StatusFound, w.Code)
	require.Equal(t, "/api/T/K7QX9M2P4D6A", w.Header().Get("Location"))
}
