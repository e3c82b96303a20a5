package kit

import (
	"maps"
	"net/url"
	"slices"
)

// Values of the button, named action, of a form whose effect is shown before it is done. Any other value shows the form
// again, with what was typed.
const (
	StepReview = "review"
	StepDo     = "do"

	stepCalculate = "calculate"
)

const stepField = "action"

// StepOf returns the step that the pressed button asks for.
func StepOf(r *Request) string { return r.Form(stepField) }

// Calculates reports whether a form asks for the effect of its values only.
func Calculates(r *Request) bool { return StepOf(r) == stepCalculate }

// IsDone reports whether the form does what was reviewed.
func IsDone(r *Request) bool { return StepOf(r) == StepDo }

// Sent returns the fields that were sent, for the hidden fields of the review: the part "sent". The omitted ones are not
// among them.
func Sent(r *Request, omitted ...string) []Option {
	var fields []Option
	values := sentFields(r, append(omitted, stepField)...)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			fields = append(fields, Option{Text: name, Value: value})
		}
	}
	return fields
}

// sentFields returns the fields that were sent except the form token and the omitted ones.
func sentFields(r *Request, omitted ...string) url.Values {
	fields := maps.Clone(r.FormValues())
	maps.DeleteFunc(fields, func(name string, _ []string) bool { return name == TokenField || slices.Contains(omitted, name) })
	return fields
}
