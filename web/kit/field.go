package kit

import (
	"html"
	"html/template"
	"strings"
)

// Field is a field of a form with its label, and a hint that is wired to it and says what was refused.
type Field struct {
	ID, Name, Label, Value string

	Attributes template.HTMLAttr // of the input, before those of the hint
	Options    []Option          // of a selection
	List       []Option          // to choose from while one types
	Hint       string
	HintID     string
	Wrong      bool
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

// HintAs sets the id of the hint.
func (f *Field) HintAs(id string) *Field {
	f.HintID = id
	return f
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
