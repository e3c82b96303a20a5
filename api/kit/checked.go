package kit

import (
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/api/problem"
)

// Checked is embedded in the body of an operation with SkipValidateBody, which is read once. huma reads every
// body twice, first into maps that it compares with the schema, which took a tenth of a sale. Here the
// schema is consulted only when a strict reading fails or something seems to be missing, to say what. The
// operation returns Refusal first of all.
type Checked struct{ refusal *problem.Problem }

// Refusal returns the error of the body, or nil.
func (c *Checked) Refusal() error {
	if c.refusal == nil {
		return nil
	}
	return c.refusal
}

func (c *Checked) refuse(p *problem.Problem) { c.refusal = p }

var _ interface{ refuse(*problem.Problem) } = (*Checked)(nil) // of checkedBody

// checkedBody is a body that embeds Checked. Complete reports whether all required fields are present; it may return
// false for a complete body.
type checkedBody interface {
	Complete() bool
	refuse(*problem.Problem)
}

// read decodes a body strictly and, should that fail, has it explained by the schema.
func (r *Registry) read(data []byte, body checkedBody) {
	err := json.Unmarshal(data, body, json.RejectUnknownMembers(true))
	if err == nil && body.Complete() && RefuseNUL(data) == nil {
		return
	}
	var parsed any
	if malformed := unmarshal(data, &parsed); malformed != nil {
		body.refuse(problemOf(http.StatusBadRequest, []error{&huma.ErrorDetail{Message: malformed.Error()}}))
		return
	}
	registry := r.Huma.OpenAPI().Components.Schemas
	schema := huma.SchemaFromType(registry, reflect.TypeOf(body).Elem())
	path, result := huma.NewPathBuffer([]byte("body"), len("body")), &huma.ValidateResult{}
	huma.Validate(registry, schema, path, huma.ModeWriteToServer, parsed, result)
	if err != nil && len(result.Errors) == 0 {
		result.Errors = []error{unread(err)}
	}
	if len(result.Errors) > 0 {
		body.refuse(problemOf(http.StatusUnprocessableEntity, result.Errors))
	}
}

// unread describes why a value could not be read that the schema, which cannot say everything, allows.
func unread(err error) *huma.ErrorDetail {
	detail := &huma.ErrorDetail{}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		detail.Location = LocationOf(semantic.JSONPointer)
		if semantic.Err != nil {
			detail.Message = semantic.Err.Error()
		}
	}
	return detail
}

// LocationOf writes a pointer, /items/0/amount, as huma does: items[0].amount.
func LocationOf(pointer jsontext.Pointer) string {
	var b strings.Builder
	for token := range pointer.Tokens() {
		switch {
		case strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}
