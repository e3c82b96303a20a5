package lottery

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"banca/internal/platform/apperr"
)

// Variables of a template.
const (
	varBase       = "base"        // the source's address in the configuration; only at the beginning of a URL
	varGame       = "game"        // external_game
	varExternalID = "external_id" // the source's external_id, rendered for the draw
	varNumber     = "number"      // the draw's number of its day
	varDate       = "date"        // local date, YYYY-MM-DD unless a form is given
	varTime       = "time"        // local time, HH:MM unless a form is given
	varSecret     = "secret"      // the source's secret: {secret:name}
)

// Why a template is refused; safe to show.
const (
	errBraces   fault = "has a brace that is not part of a variable"
	errVariable fault = "names an unknown variable"
	errFormat   fault = "has a date or time in an unknown form"
)

// fault is the message of an invalid template.
type fault apperr.Message

// Error implements error.
func (f fault) Error() string { return string(f) }

// part is a piece of a template: text, or a variable with the argument behind its colon.
type part struct{ text, variable, argument string }

// template is a text with variables, as "{game}-{date:YYYYMMDD}".
type template []part

// parseTemplate reads a template. In a loose one, which a JSON body is, a brace that begins no variable is text.
func parseTemplate(text string, loose bool) (template, error) {
	var parts template
	variable := regexp.MustCompile(`\{([a-z_]+)(?::([^{}]*))?\}`)
	rest := text
	for {
		at := variable.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		p := part{variable: rest[at[2]:at[3]]}
		if at[4] >= 0 {
			p.argument = rest[at[4]:at[5]]
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		if at[0] > 0 {
			parts = append(parts, part{text: rest[:at[0]]})
		}
		parts = append(parts, p)
		rest = rest[at[1]:]
	}
	if rest != "" {
		parts = append(parts, part{text: rest})
	}
	if !loose && slices.ContainsFunc(parts, func(p part) bool { return strings.ContainsAny(p.text, "{}") }) {
		return nil, errBraces
	}
	return parts, nil
}

func (p part) check() error {
	switch p.variable {
	case varBase, varGame, varExternalID, varNumber:
		if p.argument != "" {
			return errVariable
		}
	case varDate, varTime:
		if _, ok := layout(p.variable, p.argument); !ok {
			return errFormat
		}
	case varSecret:
		if p.argument == "" {
			return errVariable
		}
	default:
		return errVariable
	}
	return nil
}

// layout turns a form as YYYYMMDD or hh:MM AM into Go's.
func layout(variable, form string) (string, bool) {
	tokens, standard := []string{"YYYY", "2006", "YY", "06", "MM", "01", "DD", "02"}, time.DateOnly
	if variable == varTime {
		tokens, standard = []string{"HH", "15", "hh", "03", "MM", "04", "SS", "05", "AM", "PM"}, "15:04"
	}
	if form == "" {
		return standard, true
	}
	var blank []string // the tokens, each to be taken out
	for i := 0; i < len(tokens); i += 2 {
		blank = append(blank, tokens[i], "")
	}
	left := strings.NewReplacer(blank...).Replace(form)
	return strings.NewReplacer(tokens...).Replace(form), left != form && strings.Trim(left, "-/:. T_") == ""
}

// uses reports whether the template has one of the variables.
func (t template) uses(variables ...string) bool {
	return slices.ContainsFunc(t, func(p part) bool { return slices.Contains(variables, p.variable) })
}

// secrets lists the names of the secrets in the template.
func (t template) secrets() []string {
	var names []string
	for _, p := range t {
		if p.variable == varSecret {
			names = append(names, p.argument)
		}
	}
	return names
}

// values are the values of variables in one request.
type values struct {
	base, game, externalID, secret string
	number                         string
	at                             time.Time // in the game's zone
}

func (v *values) of(p part) string {
	switch p.variable {
	case varBase:
		return v.base
	case varGame:
		return v.game
	case varExternalID:
		return v.externalID
	case varNumber:
		return v.number
	case varSecret:
		return v.secret
	default:
		form, _ := layout(p.variable, p.argument) // was checked
		return v.at.Format(form)
	}
}

// render writes the template, each variable through escape, which is nil to take values as they are.
func (t template) render(v *values, escape func(string) string) string {
	var out strings.Builder
	for _, p := range t {
		text := p.text
		if p.variable != "" {
			if text = v.of(p); escape != nil {
				text = escape(text)
			}
		}
		out.WriteString(text)
	}
	return out.String()
}

// renderURL writes a URL: variables are escaped for the path, behind the question mark for the query.
func (t template) renderURL(v *values) string {
	var out strings.Builder
	escape := url.PathEscape
	for _, p := range t {
		if strings.Contains(p.text, "?") {
			escape = url.QueryEscape
		}
		switch p.variable {
		case "":
			out.WriteString(p.text)
		case varBase:
			out.WriteString(v.base)
		default:
			out.WriteString(escape(v.of(p)))
		}
	}
	return out.String()
}

// escapeJSON writes a value as it stands between the quotes of a JSON text.
func escapeJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return "" // a text is never refused
	}
	return string(quoted[1 : len(quoted)-1])
}
