package api

import (
	"encoding/json"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Selection is what a line bets on: one code, "5", or several, ["5","12","33"].
type Selection []string

// selectionOf reads a canonical selection, codes joined by commas.
func selectionOf(key string) Selection { return strings.Split(key, ",") }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Selection) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*s = Selection{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(s))
}

// MarshalJSON writes a single code as a string, as it is asked for.
func (s Selection) MarshalJSON() ([]byte, error) {
	if len(s) == 1 {
		return json.Marshal(s[0])
	}
	return json.Marshal([]string(s))
}

// Schema implements huma.SchemaProvider.
func (Selection) Schema(huma.Registry) *huma.Schema {
	most := maxElements
	return &huma.Schema{
		Description: "One element code, or several; a number and a sign are two.",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Examples: []any{"5"}},
			{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, MaxItems: &most, Examples: []any{[]string{"5", "12", "33"}}},
		},
	}
}

// maxElements bounds the codes of one selection; no bet type takes more than three.
const maxElements = 8
