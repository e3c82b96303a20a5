package drafts

import (
	"slices"
	"strings"
	"unicode/utf8"

	"banca/internal/catalog"
)

// longestPhrase bounds the words of a name.
const longestPhrase = 5

// vocabulary is what the words of an offer mean.
type vocabulary struct {
	elements map[string]bool                     // names of elements, folded
	codes    map[*catalog.Game]map[string]string // of elements, by name; "" for a name of several
	games    map[string][]*catalog.Game          // by whole name, folded, without its articles
	of       map[string][]*catalog.Game          // by one word of the name
	words    []string                            // that a word with one wrong letter is compared with
}

// articles are the words of a name that may be left out.
//
//nolint:gochecknoglobals // a constant
var articles = []string{"el", "la", "los", "las", "de"}

// aliases are other names of elements; data of the catalogue has them as notes.
//
//nolint:gochecknoglobals // a constant
var aliases = map[string]string{"cerdo": "cochino", "marrano": "cochino", "pez": "pescado", "serpiente": "culebra"}

// plain are words of messages that are one letter away from a name and mean something else.
//
//nolint:gochecknoglobals // a constant
var plain = strings.Fields("pero todo toda todos todas mano manos saca gana dato rato cada para pato caso casa cosa como cono poco pago paga pavo mona " +
	"llano tiene dama nada alla otro otra otros otras mucho menos lista listo monto gusto carro cabra foca loro lobo rata mula pollo burra galla zorra perra " +
	"gata leona tigra cerda cochina chiva cuervo oveja yegua panda coneja palomo venada ciervo camella vena tora ratona cerro caballa")

func newVocabulary(games []*catalog.Game) *vocabulary {
	v := &vocabulary{
		elements: map[string]bool{}, codes: map[*catalog.Game]map[string]string{},
		games: map[string][]*catalog.Game{}, of: map[string][]*catalog.Game{},
	}
	for _, game := range games {
		v.addElements(game)
		words := significant(game.Name)
		v.games[strings.Join(words, " ")] = append(v.games[strings.Join(words, " ")], game)
		for _, word := range words {
			v.of[word] = append(v.of[word], game)
		}
	}
	v.collectWords()
	return v
}

// addElements adds the names of a game's elements, and their other names. A number has none.
func (v *vocabulary) addElements(game *catalog.Game) {
	if game.Mechanics().Kind != catalog.DrawsElement {
		return
	}
	codes := map[string]string{}
	for i := range game.Elements {
		name := nameOf(game.Elements[i].Name)
		if name == "" {
			continue
		}
		if _, several := codes[name]; several {
			codes[name] = ""
		} else {
			codes[name] = game.Elements[i].Code
		}
	}
	for alias, name := range aliases {
		if _, own := codes[alias]; !own && codes[name] != "" {
			codes[alias] = codes[name]
		}
	}
	for name := range codes {
		v.elements[name] = true
	}
	v.codes[game] = codes
}

// collectWords lists the words that a typing error may stand for: names of elements of one word, words of games, keywords.
func (v *vocabulary) collectWords() {
	for name := range v.elements {
		if !strings.Contains(name, " ") {
			v.words = append(v.words, name)
		}
	}
	for word := range v.of {
		v.words = append(v.words, word)
	}
	for word := range keywords {
		v.words = append(v.words, word)
	}
	slices.Sort(v.words)
	v.words = slices.Compact(v.words)
}

// nameOf is a name as it is compared: folded, its words separated by one space. A name without letters is "".
func nameOf(name string) string {
	words := strings.FieldsFunc(fold(name), func(r rune) bool { return r < 'a' || r > 'z' })
	return strings.Join(words, " ")
}

// significant are the words of a game's name that tell it from others.
func significant(name string) []string {
	words := strings.Fields(nameOf(name))
	kept := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(articles, word) })
	if len(kept) == 0 {
		return words
	}
	return kept
}

// gamesOf returns the games that some words name: the one of that name, else all whose names have the words.
func (v *vocabulary) gamesOf(words []string) []*catalog.Game {
	if exact := v.games[strings.Join(words, " ")]; len(exact) > 0 {
		return exact
	}
	var found []*catalog.Game
	for _, game := range v.of[words[0]] {
		has := func(word string) bool { return slices.Contains(v.of[word], game) }
		if !slices.ContainsFunc(words, func(word string) bool { return !has(word) }) {
			found = append(found, game)
		}
	}
	return found
}

// Typing errors of one letter are corrected in words of at least so many letters that begin alike.
const shortestTypo = 4

// corrected returns the only known word that is one letter away, or "".
func (v *vocabulary) corrected(word string) string {
	if utf8.RuneCountInString(word) < shortestTypo || slices.Contains(plain, word) || noise[word] {
		return ""
	}
	found := ""
	for _, known := range v.words {
		if !alike(known[0], word[0]) || len(known) < shortestTypo || !oneApart(known, word) {
			continue
		}
		if found != "" {
			return ""
		}
		found = known
	}
	return found
}

// alike reports whether two letters are the same, or are confused where they begin a word.
func alike(a, b byte) bool {
	return a == b || slices.ContainsFunc([]string{"szc", "bv", "gj", "ck", "yl"}, func(class string) bool {
		return strings.IndexByte(class, a) >= 0 && strings.IndexByte(class, b) >= 0
	})
}

// oneApart reports whether one letter more, less or other, or two neighbours exchanged, make a text of another.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	if len(a) < len(b) {
		return a[same:] == b[same+1:]
	}
	if same == len(a) || a[same+1:] == b[same+1:] {
		return true
	}
	return same+1 < len(a) && a[same] == b[same+1] && a[same+1] == b[same] && a[same+2:] == b[same+2:]
}
