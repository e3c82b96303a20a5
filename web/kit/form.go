package kit

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"banca/internal/platform/apperr"
)

// Form is a form with its fields, their values and the invalid ones.
type Form struct {
	Inputs []Input
	Prefix string // of the ids of elements, on a page with several forms

	values  url.Values
	refused map[string]bool
	reasons map[string]reason // of refused fields
	places  map[string]string // fields by the places and codes of errors
}

// reason says why a field is refused: a text in the language of the page, a message of a domain, or the key of a text.
type reason struct{ text, message, key string }

// in returns the reason in the language of a page. quoted is the typed value, "" if it is not shown.
func (why reason) in(v *View, quoted string) string {
	switch {
	case why.text != "":
		return why.text
	case why.message != "":
		text := v.Message(why.message)
		first, size := utf8.DecodeRuneInString(text)
		return string(unicode.ToUpper(first)) + text[size:] + "."
	}
	if text, ok := v.words[why.key]; ok {
		return text
	}
	if quoted != "" {
		return v.T("input.invalid.typed", quoted)
	}
	return v.T("input.invalid")
}

// tells reports whether the message of a domain says more than the rule of the field: the rule has an example of an expected value.
func (why reason) tells() bool {
	return why.message != "" && !strings.HasPrefix(why.message, "expected ") && !strings.HasPrefix(why.message, "must be ")
}

// NewForm returns a form with the values of the variables of its fields.
func NewForm(inputs ...Input) *Form {
	f := &Form{
		Inputs: inputs, values: url.Values{}, refused: map[string]bool{}, reasons: map[string]reason{}, places: map[string]string{},
	}
	for i := range inputs {
		f.place("", &inputs[i], inputs[i].Name)
		if inputs[i].variable != nil && !inputs[i].Secret() {
			f.Put(inputs[i].Name, shown(inputs[i].variable)...)
		}
	}
	return f
}

// place declares where the value of a field is in errors. The first field of a place stays.
func (f *Form) place(at string, input *Input, further ...string) {
	for _, place := range append(append(further, input.path), input.places...) {
		place = strings.TrimSuffix(at+place, ".")
		if _, known := f.places[place]; !known && place != "" {
			f.places[place] = input.Name
		}
	}
}

// WithPrefix sets the prefix of the ids of elements.
func (f *Form) WithPrefix(prefix string) *Form {
	f.Prefix = prefix
	return f
}

// Put sets the value of a field. A field of checks can have several values.
func (f *Form) Put(name string, values ...string) *Form {
	f.values[name] = values
	return f
}

// FillFrom sets the fields to the values of the request, if it is a form.
func (f *Form) FillFrom(r *Request) *Form {
	maps.Copy(f.values, r.FormValues())
	return f
}

// Get returns the value of a field without surrounding white space.
func (f *Form) Get(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// Check marks the fields with invalid values and the empty fields that are required. It reports whether all fields are
// valid.
func (f *Form) Check() bool {
	for i := range f.Inputs {
		input := &f.Inputs[i]
		switch typed := f.Get(input.Name); {
		case typed == "":
			if input.required {
				f.refuse(input.Name, reason{key: "input.required"})
			}
		case input.valid != nil && !input.valid(typed):
			f.refuse(input.Name, input.wanted())
		}
	}
	return len(f.refused) == 0
}

// wanted says what the field asks for, unless its rule says so already.
func (i Input) wanted() reason {
	if i.wants == i.Rule {
		return reason{}
	}
	return reason{key: i.wants}
}

// Refuse marks a field as invalid.
func (f *Form) Refuse(name string) { f.refused[name] = true }

// RefuseFor marks a field as invalid, with a text that says why.
func (f *Form) RefuseFor(name, text string) {
	f.refused[name], f.reasons[name] = true, reason{text: text}
}

// refuse marks a field as invalid. An earlier reason stays.
func (f *Form) refuse(name string, why reason) {
	f.refused[name] = true
	if f.reasons[name] == (reason{}) {
		f.reasons[name] = why
	}
}

// Values returns all values of a field.
func (f *Form) Values(name string) []string { return f.values[name] }

// All returns the values of all fields, also of those that the form does not declare.
func (f *Form) All() url.Values { return f.values }

// Valid reports whether no field is marked as invalid.
func (f *Form) Valid() bool { return len(f.refused) == 0 }

// RefuseBy marks the fields that an error of a domain names, with the prefix cut off, and the field that declares the
// code of the error.
func (f *Form) RefuseBy(err error, prefix string) { f.refuseBy(err, prefix, "") }

// RefusePart marks the fields of an error about a part of the form, whose places begin with its name and a point. It
// reports whether there are any.
func (f *Form) RefusePart(err error, part string) bool { return f.refuseBy(err, "", part+".") }

func (f *Form) refuseBy(err error, prefix, at string) (found bool) {
	for _, d := range apperr.From(err).Details {
		place, ok := strings.CutPrefix(d.Location, prefix)
		if name := f.NameAt(at + place); ok && name != "" {
			f.refuse(name, reason{message: string(d.Message)})
			found = true
		}
	}
	code := apperr.CodeOf(err)
	name, ok := f.places[at+code]
	if ok {
		f.refuse(name, reason{key: "code." + code})
	}
	return found || ok
}

// NameAt returns the name of the field whose value is at a place or around it, "" for none.
func (f *Form) NameAt(place string) string {
	for place != "" {
		if name, ok := f.places[place]; ok {
			return name
		}
		place = place[:max(strings.LastIndexAny(place, ".["), 0)]
	}
	return ""
}

// Field returns a field for its template part, or nil if the form has no such field.
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
	field.Kind, field.Placeholder, field.Options, field.List, field.Values = input.kind, input.placeholder, input.options, input.list, f.values[input.Name]
	if input.picks || input.source != "" {
		field.Picker = &Picker{Source: input.source, None: v.T("picker.none")}
		field.Placeholder = cmp.Or(field.Placeholder, v.T("picker.hint"))
	}
	if input.text != "" {
		field.Label = input.text
	}
	if input.Secret() {
		field.Reveal = &Reveal{Show: v.T("word.show"), Hide: v.T("word.hide")}
	}
	if input.typed() && !input.required && !input.either && slices.ContainsFunc(f.Inputs, func(i Input) bool { return i.required }) {
		field.Optional = v.T("label.optional")
	}
	f.explain(v, field, input)
	return field
}

// explain adds the rule of a field, and why it is refused. Without another reason, the rule is it.
func (f *Form) explain(v *View, field *Field, input *Input) {
	wrong, why := f.refused[input.Name], f.reasons[input.Name]
	missing := wrong && input.required && input.typed() && !input.Secret() && f.Get(input.Name) == ""
	if missing {
		why = reason{key: "input.required"}
	}
	switch {
	case input.Rule != "" && input.shown:
		field.Rule(v.T(input.Rule), wrong)
		if quoted := input.quoted(field.Value); wrong && (why != (reason{}) || quoted != "") {
			field.Reason = why.in(v, quoted)
		}
	case wrong && why.text != "":
		field.Rule(why.text, true)
	case input.Rule == "":
		field.Wrong = wrong
		if why != (reason{}) {
			field.Reason = why.in(v, input.quoted(field.Value))
		}
	case missing || wrong && why.tells():
		field.Wrong, field.Reason = true, why.in(v, "")
	default:
		field.Refused(v.T(input.Rule), wrong)
	}
}

// FormView is the data of the template part form.
type FormView struct {
	Fields  []*Field
	Refused *WrongFields // nil for none
}

// WrongFields is the data of the template part summary: the invalid fields of a form.
type WrongFields struct {
	Title  string
	Fields []*Field
}

// View returns the data of the form's template part, in the language of the page.
func (f *Form) View(v *View) *FormView { return &FormView{Fields: f.Fields(v), Refused: f.Summary(v)} }

// Summary returns the invalid fields, nil for none. The form begins with links to them.
func (f *Form) Summary(v *View) *WrongFields {
	wrong := slices.DeleteFunc(f.Fields(v), func(field *Field) bool { return !field.Wrong })
	if len(wrong) == 0 {
		return nil
	}
	return &WrongFields{v.N("form.refused", len(wrong)), wrong}
}
