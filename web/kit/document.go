package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
)

// Object is a JSON object. Members that no field names stay as they are written.
type Object map[string]json.RawMessage

// ReadObject decodes an object. Any other value is an empty object.
func ReadObject(raw []byte) Object {
	o := Object{}
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return Object{}
	}
	return o
}

// Get returns the value at a path, such as "verify.policy"; nil if it is missing.
func (o Object) Get(path string) json.RawMessage {
	member, rest, inner := strings.Cut(path, ".")
	if inner {
		return ReadObject(o[member]).Get(rest)
	}
	return o[member]
}

// Set sets the value at a path. It removes the value if it is empty (nil, "" or without members), and with it an object
// that has no other member.
func (o Object) Set(path string, value any) {
	member, rest, inner := strings.Cut(path, ".")
	if inner {
		object := ReadObject(o[member])
		object.Set(rest, value)
		value = object
	}
	raw := encode(value)
	if slices.Contains([]string{"null", `""`, "{}", "[]"}, string(raw)) {
		delete(o, member)
		return
	}
	o[member] = raw
}

// Objects returns the objects of the list at a path.
func (o Object) Objects(path string) []Object {
	var list []json.RawMessage
	_ = json.Unmarshal(o.Get(path), &list) // any other value has no objects
	objects := make([]Object, len(list))
	for i := range list {
		objects[i] = ReadObject(list[i])
	}
	return objects
}

// Text returns the text or the number at a path, "" if it is missing.
func (o Object) Text(path string) string { return JSONText(o.Get(path)) }

// JSON returns the object as JSON.
func (o Object) JSON() []byte { return encode(o) }

// JSONText returns a text without its quotes, and any other value as it is written.
func JSONText(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return strings.Trim(string(raw), `"`)
}

// encode writes a value. The values of forms, which are texts, numbers and objects of them, can always be written.
func encode(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Errorf("web: value of a form: %w", err))
	}
	return raw
}

// Kind declares how a value of a document is typed in a field.
type Kind struct {
	// Show returns the values of the field. raw is nil if the value is missing.
	Show func(raw []byte) []string
	// Read returns the value in place of raw, which is removed if it is empty, or the reason why the field is invalid.
	Read func(raw []byte, typed []string) (value any, wrong string)
}

// TypedKind is the kind of a field with one value, without surrounding white space.
func TypedKind(show func(raw []byte) string, read func(typed string) (value any, wrong string)) Kind {
	return Kind{
		Show: func(raw []byte) []string { return []string{show(raw)} },
		Read: func(_ []byte, typed []string) (any, string) {
			return read(strings.TrimSpace(strings.Join(typed[:min(len(typed), 1)], "")))
		},
	}
}

// TextKind is the kind of a text. A missing one is shown as usual.
func TextKind(usual string) Kind {
	show := func(raw []byte) string {
		if raw == nil {
			return usual
		}
		return JSONText(raw)
	}
	return TypedKind(show, func(typed string) (any, string) { return typed, "" })
}

// ListKind is the kind of a list of texts, which are checks.
func ListKind() Kind {
	return Kind{
		Show: func(raw []byte) (texts []string) {
			_ = json.Unmarshal(raw, &texts) // any other value has no texts
			return texts
		},
		Read: func(_ []byte, typed []string) (any, string) { return typed, "" },
	}
}

// CheckKind is the kind of a single check: its value while it is checked, or none.
func CheckKind(checked any) Kind {
	return Kind{
		Show: func(raw []byte) []string {
			if bytes.Equal(raw, encode(checked)) {
				return []string{"1"}
			}
			return nil
		},
		Read: func(_ []byte, typed []string) (any, string) {
			if len(typed) == 0 {
				return nil, ""
			}
			return checked, ""
		},
	}
}

// Show sets fields to the values of a document.
func (f *Form) Show(o Object, inputs []Input) {
	for i := range inputs {
		if input := &inputs[i]; input.path != "" {
			f.Put(input.Name, input.as.Show(o.Get(input.path))...)
		}
	}
}

// Read writes the values of fields into a document. at is the place of the document in errors. A value with an
// unchanged meaning stays as it is written.
func (f *Form) Read(o Object, at string, inputs []Input) {
	for i := range inputs {
		input := &inputs[i]
		if input.path == "" {
			continue
		}
		f.place(at, input)
		raw, typed := o.Get(input.path), f.values[input.Name]
		if input.counts != nil && !input.counts(f) {
			o.Set(input.path, nil)
			continue
		}
		shown := input.as.Show(raw)
		if raw != nil && slices.Equal(typed, shown) {
			continue
		}
		value, wrong := input.as.Read(raw, typed)
		if wrong != "" {
			f.RefuseFor(input.Name, wrong)
			continue
		}
		if before, wrong := input.as.Read(raw, shown); wrong != "" || !bytes.Equal(encode(value), encode(before)) {
			o.Set(input.path, value)
		}
	}
}

// shown returns the values of a variable in the field that is bound to it by Input.Into.
func shown(variable any) []string {
	text := ""
	switch v := variable.(type) {
	case *string:
		text = *v
	case *[]string:
		return *v
	case *int:
		text = strconv.Itoa(*v)
	case *uuid.UUID:
		if *v != uuid.Nil {
			text = v.String()
		}
	case *businessday.Day:
		if !v.IsZero() {
			text = v.String()
		}
	case *bool:
		text = strconv.FormatBool(*v)
	case **string:
		return shownIfSet(*v)
	case **int:
		return shownIfSet(*v)
	case **uuid.UUID:
		return shownIfSet(*v)
	case **bool:
		return shownIfSet(*v)
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

func shownIfSet[T any](value *T) []string {
	if value == nil {
		return nil
	}
	return shown(value)
}

// set sets a variable to the typed values of its field, as Input.Into describes.
func (i Input) set(variable any, typed []string) {
	text := strings.Join(typed[:min(len(typed), 1)], "")
	if !i.Secret() {
		text = strings.TrimSpace(text)
	}
	if i.normal != nil {
		text = i.normal(text)
	}
	switch v := variable.(type) {
	case *string:
		*v = text
	case *[]string:
		*v = typed
	case *int:
		*v = -1
		if n, err := strconv.Atoi(text); err == nil {
			*v = n
		}
	case *uuid.UUID:
		*v = parseID(text)
	case *businessday.Day:
		*v, _ = businessday.Parse(text) // an error returns the zero Day
	case **string:
		*v = &text
	case **int:
		setIf(v, text, strconv.Atoi)
	case **uuid.UUID:
		setIf(v, text, uuid.Parse)
	case **bool:
		setIf(v, text, strconv.ParseBool)
	default:
		panic(fmt.Errorf("web: the field %s is bound to a %T", i.Name, variable))
	}
}

// setIf sets a variable unless the text is invalid.
func setIf[T any](variable **T, text string, parse func(string) (T, error)) {
	if value, err := parse(text); err == nil {
		*variable = &value
	}
}

// Take sets the fields to the values of the request, and their variables to the typed values.
func (f *Form) Take(r *Request) *Form {
	f.FillFrom(r)
	for i := range f.Inputs {
		if input := &f.Inputs[i]; input.variable != nil {
			input.set(input.variable, f.values[input.Name])
		}
	}
	return f
}
