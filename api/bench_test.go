package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/platform/caller"
	"banca/models"
)

// BenchmarkPost measures all that stands before a service: a POST by a cashier, with a body of a sale's size.
func BenchmarkPost(b *testing.B) {
	type benchLine struct {
		DrawID    string           `json:"draw_id" format:"uuid"`
		BetType   string           `json:"bet_type"`
		Selection string           `json:"selection"`
		Amount    kit.DecimalInput `json:"amount"`
	}
	type input struct {
		Body struct {
			Currency string      `json:"currency"`
			Items    []benchLine `json:"items" maxItems:"200"`
		}
	}
	bundle := setup(b, func(r *kit.Registry) {
		op := func(id string) huma.Operation {
			return huma.Operation{OperationID: id, Method: http.MethodPost, Path: "/test/" + id}
		}
		kit.Handle(r, op("empty"), kit.SignedIn(), func(context.Context, caller.Caller, *struct{}) (*struct{}, error) { return &struct{}{}, nil })
		kit.Handle(r, op("sale"), kit.SignedIn(), func(_ context.Context, _ caller.Caller, in *input) (*kit.Data[int], error) {
			return kit.DataOf(len(in.Body.Items)), nil
		})
	})
	item := `{"draw_id":"01900000-0000-7000-8000-0000000000a1","bet_type":"straight","selection":"05","amount":"10.00"}`
	sale := `{"currency":"VES","items":[` + strings.Repeat(item+",", 4) + item + `]}`
	for name, body := range map[string]string{"empty": "", "sale": sale} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/test/"+name, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+bundle.tokens[models.RoleTaquilla])
				w := httptest.NewRecorder()
				bundle.Engine().ServeHTTP(w, r)
				if w.Code >= http.StatusBadRequest {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
