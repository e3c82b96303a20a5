package api

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const schemaPrefix = "#/components/schemas/"

// completeSchemas corrects the schemas that huma derives from Go types where the encoding does something else: a
// pointer that is not omitted is written as null, whatever it points to. It refuses embedded structs that huma does
// not look into, because their fields would be sent without being described.
func (a *API) completeSchemas() {
	registry := a.huma.OpenAPI().Components.Schemas
	for name, schema := range registry.Map() {
		if t := registry.TypeFromRef(schemaPrefix + name); t.Kind() == reflect.Struct {
			a.completeSchema(t, schema)
		}
	}
}

// operations lists the operations of the document.
func (a *API) operations() []*huma.Operation {
	var all []*huma.Operation
	for _, item := range a.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	return all
}

func (a *API) completeSchema(t reflect.Type, schema *huma.Schema) {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := schema.Properties[name]
		switch {
		case f.Anonymous || !f.IsExported() || name == "" || name == "-":
		case property == nil:
			a.errs = append(a.errs, fmt.Errorf("api: %s: %q is sent but not described; embed exported structs only", t, name))
		case f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omit"):
			makeNullable(property)
		}
	}
}

// makeNullable lets a property be null besides.
func makeNullable(property *huma.Schema) {
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
