package problem

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// fieldPrefix begins the keys of the messages of fields without a code. The English text of such a key is the message
// itself, with {name} where it varies.
const fieldPrefix = "field."

// fieldMessage recognises an English message.
type fieldMessage struct {
	key   string
	words *regexp.Regexp // with a named group for each argument
}

var argument = regexp.MustCompile(`\{([a-z]+)\}`)

// fieldMessages are the patterns of the messages with arguments, the most specific first, and the keys of the others.
//
//nolint:gochecknoglobals // a lazy constant
var fieldMessages = sync.OnceValues(func() (patterns []fieldMessage, fixed map[string]string) {
	english := texts()[English]
	fixed = map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(english)) {
		text := english[key]
		switch {
		case !strings.HasPrefix(key, fieldPrefix):
		case !argument.MatchString(text):
			fixed[text] = key
		default:
			patterns = append(patterns, fieldMessage{key: key, words: patternOf(text)})
		}
	}
	slices.SortStableFunc(patterns, func(a, b fieldMessage) int {
		return cmp.Compare(len(b.words.String()), len(a.words.String()))
	})
	return patterns, fixed
})

// patternOf returns the pattern of all messages that a text with {name} arguments can become.
func patternOf(text string) *regexp.Regexp {
	var b strings.Builder
	last := 0
	for _, at := range argument.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[last:at[0]]) + "(?P<" + text[at[2]:at[3]] + ">.*)")
		last = at[1]
	}
	return regexp.MustCompile(`(?s)^` + b.String() + regexp.QuoteMeta(text[last:]) + `$`)
}

// FieldText returns the message of a field, given in English, in a language. A message without a translation is
// returned as it is. The arguments of a message, such as names and bounds, are not translated.
func FieldText(language, message string) string {
	if language == English {
		return message
	}
	patterns, fixed := fieldMessages()
	if key, ok := fixed[message]; ok {
		return cmp.Or(texts()[language][key], message)
	}
	for _, p := range patterns {
		found := p.words.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		return argument.ReplaceAllStringFunc(texts()[language][p.key], func(name string) string {
			return found[p.words.SubexpIndex(strings.Trim(name, "{}"))]
		})
	}
	return message
}
