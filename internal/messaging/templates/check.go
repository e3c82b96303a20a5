package templates

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"banca/internal/platform/apperr"
)

// maxBody bounds a text with its placeholders, in characters.
const maxBody = 1500

// Provider is the template that a provider has approved, for recipients who did not write within its window. Its name
// is the provider's; its values are placeholders of this text.
type Provider struct {
	Name     string
	Language string   // as the provider writes it, such as es or en_US
	Values   []string // keys of the placeholders of {{1}}, {{2}} ... of its body
	Button   string   // key of the placeholder of its first button; empty for none
}

// Bounds of a provider's template.
const (
	maxProviderName   = 512
	maxProviderValues = 20
	maxLanguage       = 10
)

// check parses a text and returns it with all problems.
func check(p Purpose, l Language, body string) (parsed, []apperr.Detail) {
	refuse := func(d *apperr.Detail) (parsed, []apperr.Detail) { return parsed{}, []apperr.Detail{d.At("body")} }
	switch n := utf8.RuneCountInString(body); {
	case strings.TrimSpace(body) == "":
		return refuse(apperr.Line("TEMPLATE_EMPTY", "the text is empty"))
	case n > maxBody:
		return refuse(apperr.Line("TEMPLATE_TOO_LONG", "the text has more than "+strconv.Itoa(maxBody)+" characters", "limit", strconv.Itoa(maxBody)))
	case !utf8.ValidString(body) || strings.ContainsFunc(body, unprintable):
		return refuse(apperr.Line("TEMPLATE_CHARACTERS", "the text has characters that cannot be shown"))
	}
	fields := p.Fields()
	t, why, at := parse(body, fields, l)
	position := strconv.Itoa(at)
	switch why {
	case faultNone:
	case faultUnknown:
		return refuse(apperr.Line("TEMPLATE_UNKNOWN", "there is no such placeholder (character "+position+"); there are "+names(fields, l), "at", position, "names", names(fields, l)))
	case faultOpen:
		return refuse(apperr.Line("TEMPLATE_BRACE", "a brace is not closed (character "+position+"); write {{ for a brace", "at", position))
	case faultClose:
		return refuse(apperr.Line("TEMPLATE_BRACE", "a brace was not opened (character "+position+"); write }} for a brace", "at", position))
	}
	var wrong []apperr.Detail
	for i := range fields {
		if name := "{" + fields[i].Name(l) + "}"; fields[i].Required && !t.has(fields[i].Key) {
			wrong = append(wrong, apperr.Line("TEMPLATE_MISSING", "the text needs "+name, "name", name).At("body"))
		}
	}
	if n, limit := t.longest(), strconv.Itoa(p.Limit()); n > p.Limit() {
		longest := strconv.Itoa(n)
		wrong = append(wrong, apperr.Line("TEMPLATE_LONGEST", "its longest message has "+longest+" characters; at most "+limit+" can be sent", "longest", longest, "limit", limit).At("body"))
	}
	return t, wrong
}

// unprintable reports whether a character cannot be part of a text: control characters but line breaks, and those
// that change its direction.
func unprintable(r rune) bool {
	return r != '\n' && unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// names lists the placeholders of a purpose as they are written.
func names(fields []Field, l Language) string {
	list := make([]string, len(fields))
	for i := range fields {
		list[i] = "{" + fields[i].Name(l) + "}"
	}
	return strings.Join(list, ", ")
}

// check returns the problems of a provider's template.
func (t *Provider) check(p Purpose) []apperr.Detail {
	if t.Name == "" && t.Language == "" && len(t.Values) == 0 && t.Button == "" {
		return nil
	}
	var wrong []apperr.Detail
	refuse := func(field, message string) {
		wrong = append(wrong, apperr.Line("TEMPLATE_PROVIDER", message).At("provider."+field))
	}
	if t.Name == "" || len(t.Name) > maxProviderName || strings.Trim(t.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		refuse("name", "expected the provider's name of the template: small letters, digits and underscores")
	}
	if t.Language == "" || len(t.Language) > maxLanguage || strings.Trim(t.Language, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		refuse("language", "expected the provider's code of the language, such as es or en_US")
	}
	if len(t.Values) > maxProviderValues {
		refuse("values", "expected at most "+strconv.Itoa(maxProviderValues)+" placeholders")
	}
	fields := p.Fields()
	for i, key := range t.Values {
		if byKey(fields, key) == nil {
			refuse("values["+strconv.Itoa(i)+"]", "there is no such placeholder")
		}
	}
	if t.Button != "" && byKey(fields, t.Button) == nil {
		refuse("button", "there is no such placeholder")
	}
	return wrong
}

func byKey(fields []Field, key string) *Field {
	for i := range fields {
		if fields[i].Key == key {
			return &fields[i]
		}
	}
	return nil
}
