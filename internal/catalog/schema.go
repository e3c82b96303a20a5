package catalog

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"banca/internal/platform/apperr"
)

// The JSON fields of a game; each has a schema of its name.
const (
	FieldMechanics = "mechanics"
	FieldRules     = "betting_rules"
	FieldSchedule  = "schedule_config"
	FieldMetadata  = "metadata"
	FieldAPI       = "api_config"
)

// Fields lists the JSON fields of a game.
func Fields() []string {
	return []string{FieldMechanics, FieldRules, FieldSchedule, FieldMetadata, FieldAPI}
}

// Bounds of a JSON field.
const (
	maxField         = 64 << 10 // bytes
	maxMetadata      = 16 << 10
	maxMetadataDepth = 8
	maxProblems      = 50 // that one refusal names
)

//go:embed schemas/*.json
var schemaFiles embed.FS

// Schema returns the JSON schema of a field. Errors: ErrSchemaNotFound.
func Schema(field string) ([]byte, error) {
	if !slices.Contains(Fields(), field) {
		return nil, ErrSchemaNotFound
	}
	raw, err := schemaFiles.ReadFile("schemas/" + field + ".json")
	names := `"` + strings.Join(BetTypeNames(), `", "`) + `"`
	return bytes.ReplaceAll(raw, []byte(`"{bet types}"`), []byte(names)), err
}

// schemas are the compiled schemas by field.
type schemas map[string]*jsonschema.Schema

// compileSchemas compiles the embedded schemas; an invalid one is a bug.
func compileSchemas() (schemas, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	all := schemas{}
	for _, field := range Fields() {
		raw, err := Schema(field)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", field, err)
		}
		if err := compiler.AddResource(field, doc); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", field, err)
		}
		if all[field], err = compiler.Compile(field); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", field, err)
		}
	}
	return all, nil
}

// check compares a document with the schema of its field and names the place of everything that does not fit.
func (s schemas) check(field string, raw json.RawMessage) []apperr.Detail {
	most := maxField
	if field == FieldMetadata {
		most = maxMetadata
	}
	if len(raw) > most {
		return wrong(field, apperr.Messagef("is larger than %d KiB", most>>10))
	}
	if !jsontext.Value(raw).IsValid() { // no key twice, and text that is text
		return wrong(field, "is not valid JSON, or has a duplicate key")
	}
	if bytes.Contains(raw, []byte(`\u0000`)) {
		return wrong(field, "contains a character that cannot be stored")
	}
	if field == FieldMetadata && depthOf(raw) > maxMetadataDepth {
		return wrong(field, apperr.Messagef("is nested deeper than %d", maxMetadataDepth))
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return wrong(field, "is not valid JSON")
	}
	if at := endless(field, doc); at != "" {
		return wrong(at, "is a number with more than 40 digits")
	}
	err = s[field].Validate(doc)
	if err == nil {
		return nil
	}
	refusal, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return wrong(field, "does not match its schema")
	}
	return explain(field, doc, refusal, nil)
}

// maxDigits bounds a number as Postgres keeps it, with all of its zeros: a few bytes with an exponent would be many
// thousands, which every reader of the game would be sent.
const maxDigits = 40

// endless returns the location of a number that is too long to store, or "".
func endless(at string, doc any) string {
	switch v := doc.(type) {
	case json.Number:
		mantissa, exponent, _ := strings.Cut(strings.ToLower(v.String()), "e")
		power, err := strconv.Atoi(cmp.Or(exponent, "0"))
		if err != nil || max(power, -power) > maxDigits || len(mantissa) > maxDigits {
			return at
		}
	case []any:
		for i := range v {
			if found := endless(at+"["+strconv.Itoa(i)+"]", v[i]); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if found := endless(at+"."+key, v[key]); found != "" {
				return found
			}
		}
	}
	return ""
}

func wrong(location string, message apperr.Message) []apperr.Detail {
	return []apperr.Detail{{Location: location, Message: message}}
}

// depthOf returns the nesting depth of a valid document.
func depthOf(raw []byte) int {
	deepest := 0
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		if _, err := d.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, d.StackDepth())
	}
}

// explain collects the leaves of a validation error, without submitted values.
func explain(field string, doc any, e *jsonschema.ValidationError, into []apperr.Detail) []apperr.Detail {
	at := place(field, doc, e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			into = append(into, apperr.Detail{Location: at + "." + name, Message: "is missing"})
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			into = append(into, apperr.Detail{Location: at + "." + name, Message: "is unknown"})
		}
	default:
		if len(e.Causes) == 0 {
			into = append(into, apperr.Detail{Location: at, Message: messageOf(e.ErrorKind)})
		}
		for _, cause := range e.Causes {
			into = explain(field, doc, cause, into)
		}
	}
	return into[:min(len(into), maxProblems)]
}

// place writes a location as "betting_rules.bet_types[2].payout".
func place(field string, doc any, path []string) string {
	var b strings.Builder
	b.WriteString(field)
	for _, token := range path {
		switch parent := doc.(type) {
		case []any:
			b.WriteString("[" + token + "]")
			if i, err := strconv.Atoi(token); err == nil && i < len(parent) {
				doc = parent[i]
			}
		case map[string]any:
			b.WriteString("." + token)
			doc = parent[token]
		}
	}
	return b.String()
}

// messageOf returns the message of a kind of validation error.
func messageOf(k jsonschema.ErrorKind) apperr.Message {
	switch k := k.(type) {
	case *kind.Type:
		return apperr.Messagef("expected %s", strings.Join(k.Want, " or "))
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, v := range k.Want {
			want[i] = fmt.Sprint(v)
		}
		return apperr.Messagef("expected one of %s", strings.Join(want, ", "))
	case *kind.Pattern:
		return apperr.Messagef("does not match %s", k.Want)
	case *kind.Format:
		return apperr.Messagef("is not a valid %s", k.Want)
	case *kind.Minimum, *kind.ExclusiveMinimum:
		return "is too small"
	case *kind.Maximum, *kind.ExclusiveMaximum:
		return "is too large"
	case *kind.MinLength, *kind.MinItems, *kind.MinProperties:
		return "is too short"
	case *kind.MaxLength, *kind.MaxItems, *kind.MaxProperties:
		return "is too long"
	case *kind.UniqueItems:
		return "has a duplicate item"
	default:
		return "does not match the schema"
	}
}
