package sales

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/platform/caller"
)

// reader serves an operation that takes the body of a sale and answers with its content.
func reader() http.Handler {
	engine := gin.New()
	engine.Use(middleware.Begin(nil))
	config := huma.DefaultConfig("test", "1")
	config.CreateHooks = nil
	r := kit.NewRegistry(engine, config, kit.Options{Log: slog.New(slog.DiscardHandler)})
	kit.HandlePublic(r, huma.Operation{OperationID: "read", Method: http.MethodPost, Path: "/test/read", SkipValidateBody: true}, kit.Public(),
		func(_ context.Context, in *sellInput) (*kit.Created[[]string], error) {
			if err := in.Body.Refusal(); err != nil {
				return nil, err
			}
			req := in.request(caller.Caller{})
			read := []string{req.Currency}
			for _, item := range req.Items {
				read = append(read, item.BetType+" "+strings.Join(item.Selection, "+")+" "+item.Amount)
			}
			return kit.CreatedOf(read, ""), nil
		})
	return engine
}

// A sale's body is read once; a refusal is as precise as for any other body.
func TestTheBodyOfASale(t *testing.T) {
	t.Parallel()
	handler := reader()
	const good = `{"draw_id":"d","bet_type":"straight","selection":"5","amount":"1.00"}`
	value := []string{"hunter2"}
	for _, s := range []struct {
		name, body string
		status     int
		has, lacks []string
	}{
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
		code := ""
		switch s.status {
		case 0:
			s.status, code = 422, "VALIDATION_FAILED"
		case 400:
			code = "MALFORMED_BODY"
		}
		r := httptest.NewRequest(http.MethodPost, "/test/read", strings.NewReader(s.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept-Language", "en")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, s.status, w.Code, "%s: %s", s.name, w.Body)
		if code != "" {
			assert.Contains(t, w.Body.String(), `"code":"`+code+`"`, s.name)
			assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"), s.name)
		}
		for _, text := range s.has {
			assert.Contains(t, w.Body.String(), text, s.name)
		}
		for _, text := range s.lacks {
			assert.NotContains(t, w.Body.String(), text, s.name)
		}
	}
}
