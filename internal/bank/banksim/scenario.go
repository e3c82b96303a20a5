package banksim

import "banca/internal/bank/bankfield"

// Scenario is how a run uses the given fields.
type Scenario string

// The scenarios. With phase AB each sends a plain A first; the variation of B applies to A if phase A is all that is
// sent.
const (
	Plain            Scenario = "plain"
	Repeat           Scenario = "repeat"             // the same call twice, one after the other
	AtOnce           Scenario = "at_once"            // the same call 20 times at once
	WrongAmount      Scenario = "wrong_amount"       // one cent more than typed
	CodeThenApproved Scenario = "code_then_approved" // CodigoRed 51, then 00; needs phase B
	WrongToken       Scenario = "wrong_token"        // a random UUID instead of the token, in A and B
	Malformed        Scenario = "malformed"          // without the closing brace, in A and B
)

// Scenarios returns all scenarios, in the order to offer them.
func Scenarios() []Scenario {
	return []Scenario{Plain, Repeat, AtOnce, WrongAmount, CodeThenApproved, WrongToken, Malformed}
}

// Phase selects which of the bank's two calls are made.
type Phase string

// The phases.
const (
	PhaseA  Phase = "A"  // BancoConsulta: may this client pay?
	PhaseB  Phase = "B"  // BancoNotifica: an amount was credited
	PhaseAB Phase = "AB" // A, then B
)

// FieldNames returns the names of a phase's fields in the order they are sent. It is empty for an unknown phase.
func FieldNames(phase Phase) []string {
	var names []string
	for _, f := range bankfield.All() {
		a, b := f.Query != bankfield.Absent, f.Notification != bankfield.Absent
		if phase == PhaseA && a || phase == PhaseB && b || phase == PhaseAB {
			names = append(names, f.Name)
		}
	}
	return names
}

// path is the webhook of phase A or B below a target's base URL.
func (p Phase) path() string {
	if p == PhaseA {
		return "/BancoConsulta"
	}
	return "/BancoNotifica"
}

// Typed returns the fields of a phase that have a value.
func Typed(phase Phase, value func(name string) string) map[string]string {
	fields := map[string]string{}
	for _, name := range FieldNames(phase) {
		if typed := value(name); typed != "" {
			fields[name] = typed
		}
	}
	return fields
}
