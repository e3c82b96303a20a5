package api

import (
	"fmt"
	"reflect"
	"strings"

	"banca/api/kit"

	"github.com/danielgtaylor/huma/v2"
)

// completeSchemas corrects the schemas that huma derives from Go types where the encoding differs: a pointer without
// omitempty is written as null, whatever it points to. It refuses embedded structs that huma does not visit, because
// their fields would be sent without being described.
func (a *API) completeSchemas() {
	registry := a.kit.Huma.OpenAPI().Components.Schemas
	for name, schema := range registry.Map() {
		if t := registry.TypeFromRef(kit.SchemaPrefix + name); t.Kind() == reflect.Struct {
			a.completeSchema(t, schema)
		}
	}
}

func (a *API) completeSchema(t reflect.Type, schema *huma.Schema) {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := schema.Properties[name]
		switch {
		case f.Anonymous || !f.IsExported() || name == "" || name == "-":
		case property == nil:
			a.kit.Fail(fmt.Errorf("api: %s: %q is sent but not described; embed exported structs only", t, name))
		case f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omit"):
			kit.MakeNullable(property)
		}
	}
}
