package kit

import "strconv"

// Input declares a field of a form: what is typed into it, and the rule that it says when it is refused.
type Input struct {
	Name, Label string // of the parameter; key
	Rule        string // key

	kind       string // of the element, as in Field
	attributes string // of the element
	example    string // shown while the field is empty
	hintID     string // "" for the id of the field after "h-"
	options    []Option
	list       []Option
	needed     bool
	fixed      bool // shown and sent, but not changed
	shown      bool // the rule is shown before the field is refused
	valid      func(typed string) bool
	find       func(typed string) (value string, ok bool) // of a picker
	source     string                                     // of a picker's suggestions
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

// MoneyInput is a field for an amount of a currency with digits decimals, as ReadMoney reads it.
func MoneyInput(name, label string, digits int) Input {
	return typedInput(name, label, "input.money", "inputmode=decimal maxlength=24", func(typed string) bool {
		_, err := ReadMoney(typed, digits)
		return err == nil
	})
}

// PercentInput is a field for a rate, as ReadPercent reads it.
func PercentInput(name, label string) Input {
	return typedInput(name, label, "input.percent", "inputmode=decimal maxlength=8", reads(ReadPercent))
}

// MinutesInput is a field for a duration, as ReadMinutes reads it.
func MinutesInput(name, label string) Input {
	return typedInput(name, label, "input.minutes", "maxlength=10", reads(ReadMinutes))
}

// TimesInput is a field for times of day, as ReadTimes reads them.
func TimesInput(name, label string) Input {
	return typedInput(name, label, "input.times", "maxlength=800 spellcheck=false", reads(ReadTimes))
}

// PhoneInput is a field for a telephone number, as ReadPhone reads it.
func PhoneInput(name, label string) Input {
	return typedInput(name, label, "input.phone", "inputmode=tel maxlength=30", reads(ReadPhone))
}

// RIFInput is a field for a RIF or cédula, as ReadRIF reads it.
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

// FileInput is a field for the file that Request.File reads, of the listed types.
func FileInput(label, accept string) Input {
	return Input{Name: "file", Label: label, kind: kindFile, attributes: "type=file accept=" + accept}
}

func typedInput(name, label, rule, attributes string, valid func(string) bool) Input {
	return Input{Name: name, Label: label, Rule: rule, attributes: attributes, shown: true, valid: valid}
}

func reads[T any](read func(string) (T, error)) func(string) bool {
	return func(typed string) bool {
		_, err := read(typed)
		return err == nil
	}
}

// Needed returns the field as one that cannot be empty.
func (i Input) Needed() Input {
	i.needed = true
	return i
}

// Says returns the field with the rule that it says when it is refused, and before that if it is shown.
func (i Input) Says(rule string, shown bool) Input {
	i.Rule, i.shown = rule, shown
	return i
}

// With returns the field with further attributes, as those of View.Field.
func (i Input) With(attributes string) Input {
	i.attributes += " " + attributes
	return i
}

// Fixed returns the field as one that is shown and sent, but not changed.
func (i Input) Fixed(fixed bool) Input {
	i.fixed = fixed
	return i
}

// Example returns the field with a text that is shown while it is empty.
func (i Input) Example(text string) Input {
	i.example = text
	return i
}

// HintAs returns the field with the id of its hint.
func (i Input) HintAs(id string) Input {
	i.hintID = id
	return i
}

// Suggest returns the field with texts to choose from while one types; others can be typed, too.
func (i Input) Suggest(list []Option) Input {
	i.list = list
	return i
}

// elementAttributes returns the attributes of the element, as those of View.Field.
func (i Input) elementAttributes() string {
	attributes := i.attributes
	if i.needed {
		attributes += " required"
	}
	if i.fixed {
		attributes += " readonly"
	}
	return attributes
}
