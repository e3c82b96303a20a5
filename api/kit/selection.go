package kit

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Selection is the selection of a line: one code, "5", or several, ["5","12","33"].
type Selection []string //nolint:recvcheck // read through a pointer, written without

// SelectionOf reads a canonical selection, codes joined by commas.
func SelectionOf(key string) Selection { return strings.Split(key, ",") }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *Selection) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() == '[' {
		return json.UnmarshalDecode(in, (*[]string)(s))
	}
	var one string
	if err := json.UnmarshalDecode(in, &one); err != nil {
		return err
	}
	*s = Selection{one}
	return nil
}

// MarshalJSONTo writes a single code as a string, as it is asked for.
func (s Selection) MarshalJSONTo(out *jsontext.Encoder) error {
	if len(s) == 1 {
		return out.WriteToken(jsontext.String(s[0]))
	}
	return json.MarshalEncode(out, []string(s))
}

// Schema implements huma.SchemaProvider.
func (Selection) Schema(huma.Registry) *huma.Schema {
	most := MaxElements
	return &huma.Schema{
		Description: "One element code, or several; a number and a sign are two.",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Examples: []any{"5"}},
			{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, MaxItems: &most, Examples: []any{[]string{"5", "12", "33"}}},
		},
	}
}

// MaxElements bounds the codes of one selection; no bet type takes more than three.
const MaxElements = 8
