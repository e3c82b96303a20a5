package kit

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/problem"
)

// Content types of bodies.
const (
	JSONType = "application/json"
	HTMLType = "text/html"
	FormType = "multipart/form-data"
)

// SchemaPrefix begins the reference to a schema among the document's components.
const SchemaPrefix = "#/components/schemas/"

// ProblemResponse describes an answer that is a problem, for an operation's Responses.
func (r *Registry) ProblemResponse(description string) *huma.Response {
	schema := r.Huma.OpenAPI().Components.Schemas.Schema(problemType(), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{problem.ContentType: {Schema: schema}}}
}

// JSONResponse describes an answer with a body of the given type, for an operation's Responses.
func (r *Registry) JSONResponse(description string, body any) *huma.Response {
	schema := r.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(body), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{JSONType: {Schema: schema}}}
}

// ContentResponses describes an answer of status 200 whose content types the handler chooses.
func ContentResponses(description string, schemas map[string]*huma.Schema) map[string]*huma.Response {
	content := map[string]*huma.MediaType{}
	for media, schema := range schemas {
		content[media] = &huma.MediaType{Schema: schema}
	}
	return map[string]*huma.Response{"200": {Description: description, Content: content}}
}

// MakeNullable lets a property also be null.
func MakeNullable(property *huma.Schema) {
	null := &huma.Schema{Type: "null"}
	switch {
	case property.Ref != "":
		*property = huma.Schema{Description: property.Description, AnyOf: []*huma.Schema{{Ref: property.Ref}, null}}
	case property.Type == "":
		property.AnyOf = append(property.AnyOf, null)
	default:
		property.Nullable = true
		if len(property.Enum) > 0 && !slices.Contains(property.Enum, nil) {
			property.Enum = append(property.Enum, nil)
		}
	}
}
