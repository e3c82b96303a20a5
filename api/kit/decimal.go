package kit

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/platform/money"
)

// MaxDecimal bounds the text of an amount: 15 digits, a point and the currency's digits fit well.
const MaxDecimal = 24

// Decimal is an amount in an answer: a decimal string with the currency's digits, such as "12.50".
type Decimal string

// DecimalOf writes an amount with the digits of its currency.
func DecimalOf(a money.Amount, digits int) Decimal { return Decimal(a.Format(digits)) }

// Schema implements huma.SchemaProvider.
func (Decimal) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "decimal", Examples: []any{"12.50"}}
}

// DecimalInput is an amount in a request: a decimal string, or a JSON number. It keeps the text as it was sent and
// never becomes a float; money.Parse validates it.
type DecimalInput string //nolint:recvcheck // read through a pointer, described without

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (d *DecimalInput) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	switch kind := token.Kind(); {
	case kind != '"' && kind != '0':
		return errors.New("expected string or number")
	case kind == '0' && len(text) > MaxDecimal: // the schema sees a float
		return fmt.Errorf("expected length <= %d", MaxDecimal)
	}
	*d = DecimalInput(text)
	return nil
}

// Schema implements huma.SchemaProvider.
func (DecimalInput) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[decimalSchema](), true, "DecimalInput")
}

// decimalSchema carries the shared schema of DecimalInput, so that the description holds it once.
type decimalSchema struct{}

// Schema implements huma.SchemaProvider.
func (decimalSchema) Schema(huma.Registry) *huma.Schema {
	longest := MaxDecimal
	return &huma.Schema{
		Description: fmt.Sprintf("A positive decimal, as a string or a number of at most %d characters, with at most the currency's digits.", longest),
		AnyOf:       []*huma.Schema{{Type: huma.TypeString, MaxLength: &longest, Examples: []any{"12.50"}}, {Type: huma.TypeNumber}},
	}
}
