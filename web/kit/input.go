package kit

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Input declares a field of a form: its element, the validation of its value, and the rule that is shown for an invalid
// value.
type Input struct {
	Name, Label string // name of the parameter; key of the label
	Rule        string // key of the text

	kind        string // kind of the element, as in Field
	text        string // of the label, in place of its key
	attributes  string // of the element
	placeholder string // shown while the field is empty
	hintID      string // "" for "h-" + the id of the field
	options     []Option
	list        []Option
	required    bool
	readOnly    bool // shown and sent, but read-only
	shown       bool // the rule is always shown
	either      bool // it must not be empty in cases that its rule names
	valid       func(typed string) bool
	wants       string                    // text of what valid asks for
	picks       bool                      // the field is a picker
	source      string                    // address of a picker's suggestions
	path        string                    // of the value in its document; "" without one
	places      []string                  // further places of the value in errors, and codes of errors
	as          Kind                      // of the value in its document
	counts      func(f *Form) bool        // nil for always
	variable    any                       // of its value, a pointer; nil without one
	normal      func(typed string) string // changes the typed text for the variable; nil if it stays
}

// TextInput is a field for a text of up to length characters.
func TextInput(name, label string, length int) Input {
	return Input{Name: name, Label: label, attributes: "maxlength=" + strconv.Itoa(length)}
}

// NumberInput is a field for a whole number of up to length digits.
func NumberInput(name, label string, length int) Input {
	return Input{Name: name, Label: label, attributes: "inputmode=numeric maxlength=" + strconv.Itoa(length)}
}

// DigitsInput is a field for a code of length digits.
func DigitsInput(name, label string, length int) Input {
	n := strconv.Itoa(length)
	return Input{Name: name, Label: label, attributes: "inputmode=numeric pattern=[0-9]{" + n + "} maxlength=" + n}
}

// DecimalInput is a field for a decimal number of up to length characters. Its variable gets the text in the format of
// money.Parse.
func DecimalInput(name, label string, length int) Input {
	input := TextInput(name, label, length).With("inputmode=decimal")
	input.normal = Decimal
	return input
}

// MoneyInput is a field for an amount of a currency with digits decimals. ReadMoney parses it. Its variable gets the text
// in the format of money.Parse.
func MoneyInput(name, label string, digits int) Input {
	input := typedInput(name, label, "input.money", "inputmode=decimal maxlength=24", func(typed string) bool {
		_, err := ReadMoney(typed, digits)
		return err == nil
	})
	input.normal = Decimal
	return input
}

// PercentInput is a field for a rate. ReadPercent parses it. Its variable gets the text in the format of money.Parse.
func PercentInput(name, label string) Input {
	input := typedInput(name, label, "input.percent", "inputmode=decimal maxlength=8", reads(ReadPercent))
	input.normal = func(typed string) string { return Decimal(strings.TrimSuffix(typed, "%")) }
	return input
}

// MinutesInput is a field for a duration. ReadMinutes parses it.
func MinutesInput(name, label string) Input {
	return typedInput(name, label, "input.minutes", "maxlength=10", reads(ReadMinutes))
}

// TimesInput is a field for times of day. ReadTimes parses them.
func TimesInput(name, label string) Input {
	return typedInput(name, label, "input.times", "maxlength=800 spellcheck=false", reads(ReadTimes))
}

// PhoneInput is a field for a telephone number. ReadPhone parses it.
func PhoneInput(name, label string) Input {
	return typedInput(name, label, "input.phone", "inputmode=tel maxlength=30", reads(ReadPhone))
}

// RIFInput is a field for a RIF or cédula. ReadRIF parses it.
func RIFInput(name, label string) Input {
	return typedInput(name, label, "input.rif", "maxlength=20 spellcheck=false autocapitalize=characters", reads(ReadRIF))
}

// ChoiceInput is a selection.
func ChoiceInput(name, label string, options []Option) Input {
	return Input{Name: name, Label: label, kind: kindSelection, options: options}
}

// RadioInput is a selection with all options shown.
func RadioInput(name, label string, options []Option) Input {
	return Input{Name: name, Label: label, kind: kindRadios, options: options}
}

// ChecksInput is a selection of any number of options.
func ChecksInput(name, label string, options []Option) Input {
	return Input{Name: name, Label: label, kind: kindChecks, options: options}
}

// LinesInput is a field for a text of several lines.
func LinesInput(name, label string, rows int) Input {
	return Input{Name: name, Label: label, kind: kindLines, attributes: "rows=" + strconv.Itoa(rows)}
}

// FileInput is a field for a file of the listed types. Request.File returns the file.
func FileInput(label, accept string) Input {
	return Input{Name: "file", Label: label, kind: kindFile, attributes: "type=file accept=" + accept}
}

func typedInput(name, label, rule, attributes string, valid func(string) bool) Input {
	return Input{Name: name, Label: label, Rule: rule, attributes: attributes, shown: true, valid: valid, wants: rule}
}

func reads[T any](read func(string) (T, error)) func(string) bool {
	return func(typed string) bool {
		_, err := read(typed)
		return err == nil
	}
}

// Required returns the field as one that must not be empty.
func (i Input) Required() Input {
	i.required = true
	return i
}

// Either returns the field as one that must not be empty in cases that its rule names, so that it is not called optional.
func (i Input) Either() Input {
	i.either = true
	return i
}

// WithRule returns the field with a rule. If shown is false, the rule is shown for an invalid value only.
func (i Input) WithRule(rule string, shown bool) Input {
	i.Rule, i.shown = rule, shown
	return i
}

// Labelled returns the field with a text as its label, such as the name of an object.
func (i Input) Labelled(text string) Input {
	i.text = text
	return i
}

// With returns the field with further attributes, in the format of View.Field.
func (i Input) With(attributes string) Input {
	i.attributes += " " + attributes
	return i
}

// ReadOnly returns the field as read-only if readOnly is true. Its value is shown and sent.
func (i Input) ReadOnly(readOnly bool) Input {
	i.readOnly = readOnly
	return i
}

// Placeholder returns the field with a text that is shown while the field is empty.
func (i Input) Placeholder(text string) Input {
	i.placeholder = text
	return i
}

// WithHintID returns the field with the id of its hint's element.
func (i Input) WithHintID(id string) Input {
	i.hintID = id
	return i
}

// At returns the field with places of its value in the errors of a domain, besides its name, and with codes of errors
// about it.
func (i Input) At(places ...string) Input {
	i.places = append(slices.Clip(i.places), places...)
	return i
}

// As returns the field with the kind and the path of its value in a document, and with further places of errors.
func (i Input) As(kind Kind, path string, places ...string) Input {
	i.as, i.path = kind, path
	return i.At(places...)
}

// Into returns the field as one of a variable, to which variable points: the form shows its value, and Form.Take sets it
// to the typed value. A text is without surrounding white space, unless it is secret. An invalid id is uuid.Nil, an
// invalid day zero, an invalid number -1; a variable that is a pointer stays as it is.
func (i Input) Into(variable any) Input {
	i.variable = variable
	return i
}

// If returns the field as one whose value is removed from its document unless counts returns true.
func (i Input) If(counts func(f *Form) bool) Input {
	i.counts = counts
	return i
}

// Suggest returns the field with suggestions. Other texts can be typed, too.
func (i Input) Suggest(list []Option) Input {
	i.list = list
	return i
}

// Secret reports whether the value of the field must not be written into a page.
func (i Input) Secret() bool { return strings.Contains(i.attributes, "type=password") }

// typed reports whether a text is typed into the field.
func (i Input) typed() bool {
	return (i.kind == "" || i.kind == kindLines) && !i.readOnly && !strings.Contains(i.attributes, "type=hidden")
}

// quoted returns the typed value for a message: "" if it is secret, long or not typed.
func (i Input) quoted(typed string) string {
	const most = 30
	if i.kind != "" || i.Secret() || utf8.RuneCountInString(typed) > most {
		return ""
	}
	return strings.TrimSpace(typed)
}

// elementAttributes returns the attributes of the element, in the format of View.Field.
func (i Input) elementAttributes() string {
	attributes := i.attributes
	if i.required {
		attributes += " required"
	}
	if i.readOnly {
		attributes += " readonly"
	}
	return attributes
}
