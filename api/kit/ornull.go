package kit

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// OrNull is a value or null in a request, where a field that is left out means something else. The field's tags have
// its bounds and its description.
type OrNull[T any] struct {
	Value *T // nil for null
	Given bool
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *OrNull[T]) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	o.Given = true
	return json.UnmarshalDecode(in, &o.Value)
}

// Schema implements huma.SchemaProvider.
func (*OrNull[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *r.Schema(reflect.TypeFor[T](), false, "")
	MakeNullable(&schema)
	return &schema
}
