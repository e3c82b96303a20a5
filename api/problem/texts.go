package problem

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"

	"banca/internal/platform/locale"
)

// Languages of texts for people. Spanish is the default, as on the pages: cashiers read the texts that a POS shows.
const (
	Spanish = locale.Spanish
	English = locale.English
)

//go:embed locales/texts.json
var document []byte

// texts are the texts by language and key: error.CODE of each error, line.CODE of each refused part with a code, field.*
// of each message of a refused part without one, page.* of public pages. {name} stands for an argument.
//
//nolint:gochecknoglobals // a lazy constant
var texts = sync.OnceValue(func() locale.Catalogue {
	all, err := locale.Read(document)
	if err != nil {
		panic(err) // the document is embedded and tested
	}
	return all
})

// Language returns the language of an Accept-Language header: the first one named that there are texts in, else Spanish.
func Language(header string) string {
	for tag := range strings.SplitSeq(header, ",") {
		tag, quality, _ := strings.Cut(strings.TrimSpace(tag), ";")
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if refused := strings.TrimSpace(quality); refused == "q=0" || refused == "q=0.0" {
			continue
		}
		if primary == Spanish || primary == English {
			return primary
		}
	}
	return Spanish
}

// Text returns a text in a language with its arguments; "" for an unknown key.
func Text(language, key string, args map[string]string) string {
	text := texts()[language][key]
	if len(args) == 0 || text == "" {
		return text
	}
	pairs := make([]string, 0, 2*len(args))
	for name, value := range args {
		if value == "" { // left out by the domain, because it cannot be repeated
			value = Text(language, "word."+name, nil)
		}
		pairs = append(pairs, "{"+name+"}", strings.ReplaceAll(value, rangeMark, Text(language, "word.range", nil)))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// rangeMark stands between the ends of a range in an argument, such as "1..36".
const rangeMark = ".."

// In sets the texts of the problem in a language. English keeps the error's own message, which may be more exact.
func (p *Problem) In(language string) *Problem {
	p.language = language
	said := p.Detail
	if text := Text(language, "error."+p.Code, nil); p.Detail != "" && text != "" && language != English {
		p.Detail = text
	}
	for i := range p.Errors {
		d := &p.Errors[i]
		switch {
		case d.Code != "":
			d.Message = cmp.Or(Text(language, "line."+d.Code, d.args), d.Message)
		case d.Message == said: // the detail repeats the whole error
			d.Message = p.Detail
		default:
			d.Message = FieldText(language, d.Message)
		}
	}
	return p
}
