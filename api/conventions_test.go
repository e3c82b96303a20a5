package api

import (
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every operation of the document keeps the conventions: a 201 has its Location, a list its meta, a DELETE one answer.
func TestEveryOperationKeepsTheConventions(t *testing.T) {
	t.Parallel()
	document := setup(t).kit.Huma.OpenAPI()
	resolved := func(s *huma.Schema) *huma.Schema {
		for s != nil && s.Ref != "" {
			s = document.Components.Schemas.SchemaFromRef(s.Ref)
		}
		return s
	}
	lists, deletions := 0, 0
	for path, item := range document.Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodDelete: item.Delete,
		} {
			if op == nil {
				continue
			}
			name := method + " " + path
			if made := op.Responses["201"]; made != nil {
				assert.Contains(t, made.Headers, "Location", name)
			}
			if method == http.MethodDelete {
				deletions++
				require.NotNil(t, op.Responses["200"], name)
				body := resolved(op.Responses["200"].Content["application/json"].Schema)
				if op.OperationID == "delete-log" { // the entry stays, marked as removed
					continue
				}
				assert.Equal(t, "#/components/schemas/Deleted", body.Properties["data"].Ref, name)
			}
			for _, status := range []string{"200", "201"} {
				answer := op.Responses[status]
				if answer == nil || answer.Content["application/json"] == nil {
					continue
				}
				body := resolved(answer.Content["application/json"].Schema)
				if body == nil || resolved(body.Properties["data"]) == nil || resolved(body.Properties["data"]).Type != huma.TypeArray {
					continue
				}
				lists++
				assert.Contains(t, body.Properties, "meta", name)
			}
		}
	}
	require.Greater(t, lists, 20)
	require.Greater(t, deletions, 10)
}
