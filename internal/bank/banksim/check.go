package banksim

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"banca/internal/bank/bankfield"
	"banca/internal/platform/apperr"
)

// maxValue bounds a field and the token, in characters.
const maxValue = 200

// check refuses a run that cannot be sent, naming everything that is wrong with it. Errors: ErrRun.
func (s *Simulator) check(run *Run) (*target, error) {
	var details []apperr.Detail
	refuse := func(location string, message apperr.Message) {
		details = append(details, apperr.Detail{Location: location, Message: message})
	}
	t := s.find(run.Target)
	if t == nil {
		refuse("target", "is not one of the allowed targets")
	}
	names := FieldNames(run.Phase)
	if names == nil {
		refuse("phase", "must be A, B or AB")
	}
	if message := scenarioFault(run); message != "" {
		refuse("scenario", message)
	}
	if message := tokenFault(run.Token); message != "" {
		refuse("token", message)
	}
	hidden := newSecret(run.Token)
	for _, name := range slices.Sorted(maps.Keys(run.Fields)) {
		if message := fieldFault(names, name, run.Fields[name], hidden); message != "" {
			refuse(fieldLocation(name), message)
		}
	}
	if _, ok := oneCentMore(run.Fields[bankfield.Amount]); !ok && run.Scenario == WrongAmount {
		refuse(fieldLocation(bankfield.Amount), "must be a decimal for this scenario")
	}
	if details != nil {
		return nil, ErrRun.WithDetails(details...)
	}
	return t, nil
}

// scenarioFault returns the error of a run's scenario, or "".
func scenarioFault(run *Run) apperr.Message {
	if !slices.Contains(Scenarios(), run.Scenario) {
		return "is unknown"
	}
	if run.Scenario == CodeThenApproved && run.Phase == PhaseA {
		return "needs phase B"
	}
	return ""
}

// tokenFault returns the error of a typed token, or "". A token that JSON or a header would encode differently is
// refused, so that an echo of the token can be recognised.
func tokenFault(token string) apperr.Message {
	if len(token) > maxValue {
		return "is too long"
	}
	for _, r := range token {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) {
			return "has a character that is not allowed in a token"
		}
	}
	return ""
}

// fieldFault returns the error of a field, or "". names is nil if the phase is unknown, which is reported already.
func fieldFault(names []string, name, value string, hidden *secret) apperr.Message {
	switch {
	case names != nil && !slices.Contains(names, name):
		return "is not a field of this phase"
	case utf8.RuneCountInString(value) > maxValue:
		return "is too long"
	case !utf8.ValidString(value):
		return "is not UTF-8"
	case hidden.in(value):
		return "contains the token"
	}
	return ""
}

// fieldLocation names a field, without its name when that is not like one: it is the caller's text.
func fieldLocation(name string) string {
	if !regexp.MustCompile(`^[A-Za-z0-9_]{1,40}$`).MatchString(name) {
		return "fields"
	}
	return "fields." + name
}
