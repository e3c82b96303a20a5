package channel

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParameterKind is the form of a parameter's value.
type ParameterKind string

// The kinds of parameters.
const (
	KindURL    ParameterKind = "url"    // http or https, a host and an optional path
	KindName   ParameterKind = "name"   // letters, digits, blanks, dots, dashes and underscores: a segment of a path
	KindDigits ParameterKind = "digits" // an id of digits
	KindText   ParameterKind = "text"   // printable characters without blanks: a key
)

// Parameter describes one parameter of a driver's channels.
type Parameter struct {
	Name      string
	Kind      ParameterKind
	Secret    bool // kept sealed and never shown again
	Required  bool
	Generated bool   // 32 or more random characters are generated when it is missing
	Default   string // of a parameter that is not required; empty when there is none
	Min, Max  int    // characters
}

// Value returns the channel's value or the default.
func (p Parameter) Value(c Channel) string {
	if value := c.Get(p.Name); value != "" {
		return value
	}
	return p.Default
}

// Problem is an invalid parameter. Its reason does not repeat the value.
type Problem struct {
	Parameter string
	Reason    Reason
}

// Reason is a text of the platform about a channel: a constant with a text field.* in both languages, or one of Reasonf.
type Reason string

// Reasonf returns the reason of a template with its arguments, as fmt.Sprintf.
func Reasonf(template Reason, args ...any) Reason {
	return Reason(fmt.Sprintf(string(template), args...))
}

// Validate checks values against the parameters of a driver and returns every problem, unknown names included.
func Validate(parameters []Parameter, values map[string]string) []Problem {
	var problems []Problem
	known := make(map[string]bool, len(parameters))
	for _, p := range parameters {
		known[p.Name] = true
		if reason := p.problem(values[p.Name]); reason != "" {
			problems = append(problems, Problem{p.Name, reason})
		}
	}
	for name := range values {
		if !known[name] {
			problems = append(problems, Problem{Clean(name), "this driver has no such parameter"})
		}
	}
	return problems
}

// Usable returns an *Error when a driver cannot use a channel.
func Usable(d Driver, c Channel) error {
	if problems := Validate(d.Parameters(), c.Parameters); len(problems) > 0 {
		text := "the channel's parameter " + problems[0].Parameter + ": " + string(problems[0].Reason)
		return &Error{Kind: ChannelDown, Text: c.Clean(text)}
	}
	return nil
}

func (p Parameter) problem(value string) Reason {
	switch n := utf8.RuneCountInString(value); {
	case value == "" && p.Required:
		return "it is required"
	case value == "":
		return ""
	case !utf8.ValidString(value), strings.ContainsFunc(value, unicode.IsControl):
		return "it must be printable text"
	case n < p.Min || n > p.Max:
		return Reasonf("it must have %d to %d characters", p.Min, p.Max)
	}
	switch p.Kind {
	case KindURL:
		return urlProblem(value)
	case KindName:
		if !isName(value) {
			return "it must begin with a letter or digit and hold letters, digits, blanks, dots, dashes and underscores"
		}
	case KindDigits:
		if strings.ContainsFunc(value, func(r rune) bool { return r < '0' || r > '9' }) {
			return "it must be digits"
		}
	case KindText:
		if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "it must be printable ASCII characters without blanks"
		}
	}
	return ""
}

func isName(value string) bool {
	for i, r := range value {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter && (i == 0 || !strings.ContainsRune(" ._-", r)) {
			return false
		}
	}
	return true
}

// urlProblem checks an address that paths are appended to. Which hosts may be called is decided when it is dialled.
func urlProblem(value string) Reason {
	u, err := url.Parse(value)
	switch {
	case err != nil, u.Hostname() == "", u.Opaque != "", u.Scheme != "http" && u.Scheme != "https":
		return "it must be an http or https address"
	case u.User != nil:
		return "it must not hold a user or password"
	case u.RawQuery != "", u.ForceQuery, strings.Contains(value, "#"):
		return "it must have no query and no fragment"
	case strings.ContainsAny(value, "\\ ") || dotted(u.Path):
		return "its path must lead nowhere else"
	}
	return ""
}

// dotted reports whether a path has a segment that leads elsewhere.
func dotted(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
