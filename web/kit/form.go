package kit

import (
	"cmp"
	"maps"
	"net/url"
	"strings"

	"banca/internal/apperr"
)

// Form is a form with its fields, what they hold and which of them were refused.
type Form struct {
	Inputs []Input
	Prefix string // of the elements' ids, on a page with several forms

	values  url.Values
	refused map[string]bool
}

// NewForm returns an empty form.
func NewForm(inputs ...Input) *Form {
	return &Form{Inputs: inputs, values: url.Values{}, refused: map[string]bool{}}
}

// As sets the prefix of the elements' ids.
func (f *Form) As(prefix string) *Form {
	f.Prefix = prefix
	return f
}

// Put fills a field in; several values are those of a field of checks.
func (f *Form) Put(name string, values ...string) *Form {
	f.values[name] = values
	return f
}

// Typed fills the fields in as they were sent, if the request is a form.
func (f *Form) Typed(r *Request) *Form {
	maps.Copy(f.values, r.Typed())
	return f
}

// Get returns what a field holds, trimmed.
func (f *Form) Get(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// Check refuses the fields whose text is not as the field is typed, and the empty fields that are needed. It reports
// whether no field is refused.
func (f *Form) Check() bool {
	for i := range f.Inputs {
		input := &f.Inputs[i]
		switch typed := f.Get(input.Name); {
		case typed == "":
			if input.needed {
				f.Refuse(input.Name)
			}
		case input.valid != nil && !input.valid(typed):
			f.Refuse(input.Name)
		}
	}
	return len(f.refused) == 0
}

// Refuse marks a field.
func (f *Form) Refuse(name string) { f.refused[name] = true }

// RefuseBy marks the fields that an error of a domain names below a prefix, and the field that its code is about.
func (f *Form) RefuseBy(err error, prefix string, fieldOf map[string]string) {
	for name := range RefusedFields(err, prefix) {
		if field, ok := fieldOf[name]; ok {
			name = field
		}
		f.Refuse(name)
	}
	if name, ok := fieldOf[apperr.CodeOf(err)]; ok {
		f.Refuse(name)
	}
}

// Field returns a field for its template part; nil for a name that the form lacks.
func (f *Form) Field(v *View, name string) *Field {
	for i := range f.Inputs {
		if f.Inputs[i].Name == name {
			return f.field(v, &f.Inputs[i])
		}
	}
	return nil
}

// Fields returns all fields for their template part.
func (f *Form) Fields(v *View) []*Field {
	fields := make([]*Field, len(f.Inputs))
	for i := range f.Inputs {
		fields[i] = f.field(v, &f.Inputs[i])
	}
	return fields
}

func (f *Form) field(v *View, input *Input) *Field {
	field := v.Field(input.Name, input.Label, f.values.Get(input.Name), input.elementAttributes())
	field.ID, field.HintID = f.Prefix+input.Name, cmp.Or(input.hintID, "h-"+f.Prefix+input.Name)
	field.Kind, field.Example, field.Options, field.List, field.Values = input.kind, input.example, input.options, input.list, f.values[input.Name]
	if input.find != nil {
		field.Picker = &Picker{Source: input.source, None: v.T("picker.none")}
	}
	wrong := f.refused[input.Name]
	switch {
	case input.Rule == "":
		field.Wrong = wrong
	case input.shown:
		field.Rule(v.T(input.Rule), wrong)
	default:
		field.Refused(v.T(input.Rule), wrong)
	}
	return field
}

// FormView is a form as its template part writes it.
type FormView struct{ Fields, Refused []*Field }

// On returns the form for its template part.
func (f *Form) On(v *View) *FormView { return &FormView{Fields: f.Fields(v), Refused: f.Summary(v)} }

// Summary returns the refused fields, for links from the top of the form to each of them.
func (f *Form) Summary(v *View) []*Field {
	var wrong []*Field
	for _, field := range f.Fields(v) {
		if field.Wrong {
			wrong = append(wrong, field)
		}
	}
	return wrong
}
