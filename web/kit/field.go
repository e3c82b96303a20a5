package kit

import (
	"html"
	"html/template"
	"slices"
	"strings"
)

// Kinds of the element of a field. The zero kind is an input.
const (
	kindSelection = "selection" // of one option
	kindLines     = "lines"     // a text of several lines
	kindFile      = "file"
	kindRadios    = "radios" // of one option; all are shown
	kindChecks    = "checks" // of any number of options
)

// Field is a field of a form with its label, and a hint (aria-describedby) with the rule that its value must follow.
type Field struct {
	ID, Name, Label, Value string

	Optional    string // after the label of a field that may be empty; "" for others
	Kind        string
	Placeholder string            // shown while the field is empty
	Values      []string          // of checks
	Attributes  template.HTMLAttr // of the input, before the hint's attributes
	Options     []Option          // of a selection, radios or checks
	List        []Option          // suggestions, as a datalist
	Picker      *Picker           // of a field that finds one of many objects; nil for none
	Hint        string
	Note        template.HTML // of View.Part, in the hint
	HintID      string
	Reason      string // why it is refused; "" if Hint says so
	Wrong       bool
	Reveal      *Reveal // of a password; nil for others
}

// Reveal declares the button that shows a typed password.
type Reveal struct{ Show, Hide string }

// Picker declares the suggestions of a field that finds an object by its name.
type Picker struct {
	Source string // address that returns suggestions for a typed text; "" if List has all objects
	None   string // text that is shown without a match
}

// Field returns a field of a form: its name, the key of its label, its value, and the attributes of its input, such as
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
	f.Attributes = template.HTMLAttr(b.String()) //nolint:gosec // attributes come from templates and are escaped
	return f
}

// ARIA returns the attributes that name the hint and an invalid value to screen readers.
func (f *Field) ARIA() template.HTMLAttr {
	var aria string
	ruled := f.Hint != "" || f.Note != ""
	if ruled || f.Reason != "" {
		ids := f.HintID
		if ruled && f.Reason != "" {
			ids += " " + f.RuleID()
		}
		aria = ` aria-describedby="` + html.EscapeString(ids) + `"`
	}
	if f.Wrong {
		aria += ` aria-invalid="true"`
	}
	return template.HTMLAttr(aria) //nolint:gosec // escaped above
}

// RuleID is the id of the element with the hint, which stands below the reason.
func (f *Field) RuleID() string {
	if f.Reason != "" {
		return f.HintID + "-rule"
	}
	return f.HintID
}

// columnsFrom is from how many checks on a form shows them in columns.
const columnsFrom = 13

// InColumns reports whether the field has so many checks that they are shown in columns.
func (f *Field) InColumns() bool { return f.Kind == kindChecks && len(f.Options) >= columnsFrom }

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
