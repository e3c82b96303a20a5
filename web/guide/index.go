package guide

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"banca/internal/platform/locale"
)

// Bounds of a search.
const (
	maxQuery = 200 // characters
	maxWords = 8   // of a query; further ones are not looked for
	maxFound = 20  // sections
	leastTop = 0.2 // share of the best score that a section needs
)

// index finds sections by the words of their texts. Words are compared without accents and case.
type index struct {
	entries []entry
	words   []string         // all words, in order
	places  map[string][]hit // by word
	terms   []term
}

// entry is a section in a language.
type entry struct {
	language string
	address  string
	path     []string // titles of the chapter and of the sections around it, and its own
	plain    string
	length   float64 // in words
}

// hit is a word of a section.
type hit struct {
	entry  int
	weight float64
}

// Weights of the places of a word.
const (
	inText    = 1.0
	inTerm    = 2.0 // the beginning of an item of a list or of a row, which explains it
	inHeading = 6.0
	inAbove   = 1.5 // in a heading above
	inChapter = 0.5 // in the title of the chapter
)

func newIndex() *index { return &index{places: map[string][]hit{}} }

var (
	blockEnd = regexp.MustCompile(`</(?:p|li|td|th|pre|tr|h[1-6])>|<br>|\n`)
	tag      = regexp.MustCompile(`<[^>]*>`)
	blanks   = regexp.MustCompile(`\s+`)
	termForm = regexp.MustCompile(`<(?:li|tr><td(?: [^>]*)?)>(?:<[^>]+>)*([^<]{1,60})`)
)

// plainText returns the text of rendered Markdown.
func plainText(rendered string) string {
	text := html.UnescapeString(tag.ReplaceAllString(blockEnd.ReplaceAllString(rendered, " "), ""))
	return strings.TrimSpace(blanks.ReplaceAllString(text, " "))
}

// add adds a section with its rendered text.
func (x *index) add(t *text, anchor string, path []string, rendered string) {
	e := entry{language: t.Language, address: t.Address(), path: slices.Clone(path), plain: plainText(rendered)}
	if len(path) > 1 {
		e.address += "#" + anchor
	}
	weights := map[string]float64{}
	weigh := func(text string, weight float64) {
		for _, w := range wordsOf(text) {
			weights[w.folded] += weight
			for part := range strings.SplitSeq(w.folded, "_") {
				if part != w.folded {
					weights[part] += weight
				}
			}
		}
	}
	weigh(e.plain, inText)
	e.length = float64(len(strings.Fields(e.plain)))
	for _, term := range termForm.FindAllStringSubmatch(rendered, -1) {
		weigh(html.UnescapeString(term[1]), inTerm)
	}
	for i, title := range path {
		weight := inAbove
		switch i {
		case len(path) - 1:
			weight = inHeading
		case 0:
			weight = inChapter
		}
		weigh(title, weight)
	}
	for word, weight := range weights {
		x.places[word] = append(x.places[word], hit{len(x.entries), weight})
	}
	x.entries = append(x.entries, e)
}

// close ends the additions.
func (x *index) close() {
	x.words = make([]string, 0, len(x.places))
	for word := range x.places {
		x.words = append(x.words, word)
	}
	slices.Sort(x.words)
}

// word is a word of a text with its place in it.
type word struct {
	folded   string
	from, to int // bytes
}

// wordsOf divides a text into words: runs of letters, digits and underscores.
func wordsOf(text string) []word {
	var all []word
	from := -1
	end := func(at int) {
		if from >= 0 {
			all = append(all, word{fold(text[from:at]), from, at})
			from = -1
		}
	}
	for at, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' || unicode.Is(unicode.Mn, c) {
			if from < 0 {
				from = at
			}
			continue
		}
		end(at)
	}
	end(len(text))
	return all
}

// fold returns a word in lower case without accents; locale.Fold does the same, slower, for any text.
func fold(text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return c > unicode.MaxASCII }) {
		return locale.Fold(text)
	}
	return strings.ToLower(text)
}

// forms are how far a word of a query is found in longer and inflected words, the best first.
func forms(query string) []form {
	all := []form{{query, 1}}
	if len(query) > 2 {
		all = append(all, form{query, 0.8})
	}
	if stem := stemOf(query); stem != query {
		all = append(all, form{stem, 0.5})
	}
	return all
}

// form is the beginning of the words that stand for a word of a query, and what they count.
type form struct {
	beginning string
	counts    float64
}

// endings of words of both languages, the longer ones first.
const endings = "aciones imiento amiento acion iones iendo ando ados adas idos idas ings ado ada ido ida " +
	"ing ar er ir ed es os as s e a o"

// stemOf returns a word without an ending of Spanish or English, so that "anular" finds "anulado" and "refunds" finds
// "refunded".
func stemOf(word string) string {
	const least = 4
	for ending := range strings.FieldsSeq(endings) {
		if stem, found := strings.CutSuffix(word, ending); found && len(stem) >= least {
			return stem
		}
	}
	return word
}

// matches returns what each word that stands for a word of a query counts.
func (x *index) matches(query string) map[string]float64 {
	found := map[string]float64{}
	for i, f := range forms(query) {
		at, exact := slices.BinarySearch(x.words, f.beginning)
		if i == 0 {
			if exact {
				found[query] = f.counts
			}
			continue
		}
		for ; at < len(x.words) && strings.HasPrefix(x.words[at], f.beginning); at++ {
			found[x.words[at]] = max(found[x.words[at]], f.counts)
		}
	}
	return found
}
