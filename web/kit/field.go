package kit

import (
	"html"
	"html/template"
	"slices"
	"strings"
)

// Kinds of a field's element; the zero kind is an input.
const (
	kindSelection = "selection" // of one of the options
	kindLines     = "lines"     // a text of several lines
	kindFile      = "file"
	kindRadios    = "radios" // one of the options, all shown
	kindChecks    = "checks" // any of the options
)

// Field is a field of a form with its label, and a hint that is wired to it and says what was refused.
type Field struct {
	ID, Name, Label, Value string

	Kind       string
	Example    string            // shown while the field is empty
	Values     []string          // of checks
	Attributes template.HTMLAttr // of the input, before those of the hint
	Options    []Option          // to choose from
	List       []Option          // to choose from while one types
	Picker     *Picker           // of a field that names one of many objects
	Hint       string
	Note       template.HTML // of View.Part, in the hint
	HintID     string
	Wrong      bool
}

// Picker is what a field needs to find objects while one types.
type Picker struct {
	Source string // address of further suggestions; "" if List holds all
	None   string // said without a match
}

// Field returns a field of a form: its name, the key of its label, its value, and the attributes of its input as
// "maxlength=100 required".
func (v *View) Field(name, label, value, attributes string) *Field {
	f := &Field{ID: name, Name: name, Label: v.T(label), Value: value, HintID: "h-" + name}
	var b strings.Builder
	for attribute := range strings.FieldsSeq(attributes) {
		key, text, valued := strings.Cut(attribute, "=")
		b.WriteString(" " + key)
		if valued {
			b.WriteString(`="` + html.EscapeString(text) + `"`)
		}
	}
	f.Attributes = template.HTMLAttr(b.String()) //nolint:gosec // attributes are of templates and escaped
	return f
}

// Wiring returns the attributes that tell a screen reader the hint, and whether the field was refused.
func (f *Field) Wiring() template.HTMLAttr {
	var wiring string
	if f.Hint != "" || f.Note != "" {
		wiring = ` aria-describedby="` + html.EscapeString(f.HintID) + `"`
	}
	if f.Wrong {
		wiring += ` aria-invalid="true"`
	}
	return template.HTMLAttr(wiring) //nolint:gosec // escaped above
}

// Chosen reports whether an option is chosen.
func (f *Field) Chosen(value string) bool {
	if f.Kind == kindChecks {
		return slices.Contains(f.Values, value)
	}
	return f.Value == value
}

// Rule adds a hint that is always shown, and marks it if the field was refused.
func (f *Field) Rule(hint string, wrong any) *Field {
	f.Hint = hint
	f.Wrong, _ = template.IsTrue(wrong)
	return f
}

// Refused adds a hint that is shown only if the field was refused.
func (f *Field) Refused(hint string, wrong any) *Field {
	if refused, _ := template.IsTrue(wrong); refused {
		f.Hint, f.Wrong = hint, true
	}
	return f
}
