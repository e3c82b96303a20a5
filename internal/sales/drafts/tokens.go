package drafts

import (
	"slices"
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// greetings are phrases whose words mean something else alone.
//
//nolint:gochecknoglobals // a constant
var greetings = [][]string{
	{"buenos", "dias"}, {"buenas", "tardes"}, {"buenas", "noches"}, {"buena", "tarde"}, {"buena", "noche"}, {"feliz", "tarde"}, {"feliz", "noche"},
	{"por", "favor"}, {"cada", "uno"}, {"cada", "una"}, {"en", "punto"}, {"a", "todos"}, {"a", "todas"},
}

// toPhrases stand between an amount and what it is staked on.
//
//nolint:gochecknoglobals // a constant
var toPhrases = [][]string{
	{"a", "el"}, {"a", "la"}, {"a", "los"}, {"para", "el"}, {"para", "la"}, {"para", "los"}, {"en", "el"}, {"pa", "el"}, {"pa", "la"},
}

// tokenizer reads the lexemes of a line.
type tokenizer struct {
	*reader
	in   []lexeme
	at   int
	list []token
}

// tokensOf returns the tokens of a line.
func (r *reader) tokensOf(line string) []token {
	t := &tokenizer{reader: r, in: lexemesOf(line)}
	for t.at < len(t.in) {
		t.next()
	}
	return t.divided()
}

// divided takes groups apart that stand between two bets, as in 05x20,18x10.
func (t *tokenizer) divided() []token {
	per := func(at int) bool { return at >= 0 && at < len(t.list) && t.list[at].sense == sensePer }
	var list []token
	for i, one := range t.list {
		if one.sense != senseNumber || len(one.list) < 2 || !per(i-1) || !per(i+1) {
			list = append(list, one)
			continue
		}
		for n, number := range one.list {
			if n > 0 {
				list = append(list, token{sense: senseComma})
			}
			list = append(list, digitsToken(number, t.offer.Digits))
		}
	}
	return list
}

// word is the lexeme so many places on, "" behind the end.
func (t *tokenizer) word(ahead int) string {
	if t.at+ahead >= len(t.in) {
		return ""
	}
	return t.in[t.at+ahead].text
}

// starts reports whether a phrase is next.
func (t *tokenizer) starts(phrase []string) bool {
	for i, word := range phrase {
		if t.word(i) != word {
			return false
		}
	}
	return true
}

func (t *tokenizer) add(words int, tokens ...token) {
	t.at += words
	t.list = append(t.list, tokens...)
}

func (t *tokenizer) next() {
	word := t.word(0)
	switch {
	case t.greeting(), t.clock():
	case word[0] >= '0' && word[0] <= '9', word == "mil":
		t.digits()
	case currencies[word] != "":
		t.currency()
	case t.toPhrase(), t.named():
	default:
		t.single(word)
	}
}

// greeting takes a phrase out, of which only "each" means something.
func (t *tokenizer) greeting() bool {
	for _, phrase := range greetings {
		if t.starts(phrase) {
			if phrase[0] == "cada" || phrase[0] == "a" {
				t.list = append(t.list, token{sense: senseEach})
			}
			t.at += len(phrase)
			return true
		}
	}
	return false
}

func (t *tokenizer) toPhrase() bool {
	for _, phrase := range toPhrases {
		if !t.starts(phrase) {
			continue
		}
		if phrase[1] == "la" && isHour(t.word(2)) && !strings.HasPrefix(t.word(2), "0") { // the number or the hour
			t.add(3, wrong(hourUnclear(t.word(2))))
			return true
		}
		t.add(len(phrase), token{sense: senseTo})
		return true
	}
	return false
}

// isHour reports whether a word is an hour of twelve.
func isHour(word string) bool {
	n, err := strconv.Atoi(word)
	return err == nil && n >= 1 && n <= 12 && len(word) <= 2
}

// clock reads a time of day: "a las 9", "9 pm", "9:30", "9 de la noche", "12 m", "a la una".
func (t *tokenizer) clock() bool {
	lead := 0
	for _, word := range []string{"a", "de", "para", "pa"} {
		if t.word(0) == word && (t.word(1) == "las" || t.word(1) == "la") {
			lead = 1
		}
	}
	said := t.word(lead) == "las"
	if said || lead == 1 {
		lead++
	}
	word := t.word(lead)
	var token token
	switch {
	case strings.Contains(word, ":") && len(word) > 1:
		token = clockToken(word)
	case word == "una" && lead == 2 && t.word(1) == "la":
		token.sense, token.hour.hour = senseHour, 1
	case isHour(word) && !strings.HasPrefix(word, "0"):
		token.sense = senseHour
		token.hour.hour, _ = strconv.Atoi(word)
	default:
		return false
	}
	used := t.half(lead+1, &token.hour)
	if used > lead+1 || lead > 0 {
		token.hour.bare = false
	}
	if token.hour.bare && strings.HasPrefix(word, "0") { // 05:20 is a number and an amount, or a time
		token = wrong(unclear())
		token.text = word
	}
	if !said && used == lead+1 && token.text == "" && word != "una" {
		return false // a number
	}
	t.add(used, token)
	return true
}

// half reads what follows an hour: "am", "pm", "m", "y media", "de la noche". It returns the number of words so far.
func (t *tokenizer) half(used int, h *hour) int {
	if t.word(used) == "y" && (t.word(used+1) == "media" || t.word(used+1) == "cuarto") {
		h.minutes, h.minute = true, map[string]int{"media": 30, "cuarto": 15}[t.word(used+1)]
		used += 2
	}
	switch word := t.word(used); {
	case word == "am":
		h.part, used = morning, used+1
	case word == "pm":
		h.hour, h.exact, used = h.hour%12+12, true, used+1
	case word == "m" && h.hour == 12:
		h.exact, used = true, used+1
	case word == "de" && t.word(used+1) == "la" && slices.Contains([]string{morning, afternoon, night}, t.word(used+2)):
		h.part, used = t.word(used+2), used+3
	}
	if h.part == morning || h.exact && h.hour < 12 {
		h.hour, h.exact = h.hour%12, true
	} else if h.part != "" {
		h.hour, h.exact = h.hour%12+12, true
	}
	h.part = ""
	return used
}

// digits reads a group of digits with the currency beside it.
func (t *tokenizer) digits() {
	number, used := digitsToken(t.word(0), t.offer.Digits), 1
	if t.word(0) == "mil" {
		number = token{sense: senseNumber, text: "mil", amount: amountOf("1000", t.offer.Digits)}
	}
	if next := t.word(used); (next == "mil" || next == "k") && number.amount > 0 {
		number.amount, number.list, used = thousandsOf(number.amount), nil, used+1
	}
	code := currencies[t.word(used)]
	if code != "" && number.amount > 0 && !t.beforeDigits(used) {
		number.list, used = nil, used+1
		if t.word(used) == "." {
			used++
		}
		t.add(used, t.inCurrency(number, code))
		return
	}
	t.add(used, number)
}

// thousandsOf is a thousand times an amount, 0 where that is none.
func thousandsOf(a money.Amount) money.Amount {
	if a > money.MaxAmount/1000 {
		return 0
	}
	return a * 1000
}

// beforeDigits reports whether the currency at a place may be of the digits behind it: it stands next to them, or as near.
func (t *tokenizer) beforeDigits(at int) bool {
	next := t.word(at + 1)
	if next == "" || next[0] < '0' || next[0] > '9' {
		return false
	}
	return !t.in[t.at+at+1].after || t.in[t.at+at].after
}

// inCurrency refuses an amount of another currency than the one of the sale.
func (t *tokenizer) inCurrency(number token, code string) token {
	if code == t.offer.Currency {
		return number
	}
	return wrong(apperr.Line("LIST_CURRENCY", "the amount is in another currency", "currency", code))
}

// currency reads "Bs 20", and "Bs" alone where the digits before it are an amount.
func (t *tokenizer) currency() {
	code, used := currencies[t.word(0)], 1
	if t.word(1) == "." {
		used++
	}
	text := t.word(used)
	number := digitsToken(text, t.offer.Digits)
	previous := len(t.list) > 0 && t.list[len(t.list)-1].sense == senseNumber && t.list[len(t.list)-1].amount > 0 && t.in[t.at].after
	switch {
	case number.amount == 0 || text == "":
		t.add(1, wrongWord(t.word(0)))
	case previous && t.in[t.at+used].after: // 18 bs 20
		t.add(used+1, wrong(unclear()))
	default:
		number.list = nil
		t.add(used+1, t.inCurrency(number, code))
	}
}

// named reads the longest name of an element or a game.
func (t *tokenizer) named() bool {
	words, known := t.phrase()
	for n := len(words); n > 0; n-- {
		if n == 1 && noise[words[0]] {
			return false
		}
		element, games := t.words.elements[strings.Join(words[:n], " ")], t.gamesNamed(words[:n])
		switch {
		case element && len(games) == 1:
			t.add(known[n-1], token{sense: senseElement, text: strings.Join(words[:n], " "), game: games})
			return true
		case element:
			t.add(known[n-1], token{sense: senseElement, text: strings.Join(words[:n], " ")})
			return true
		case len(games) == 1:
			t.add(known[n-1], token{sense: senseGame, game: games})
			return true
		}
	}
	return false
}

// gamesNamed returns the games that words name. The name of a bet type alone names none.
func (t *tokenizer) gamesNamed(words []string) []*catalog.Game {
	if _, isKeyword := keywords[words[0]]; isKeyword && len(words) == 1 {
		return nil
	}
	return t.words.gamesOf(words)
}

// phrase returns the next words that may be a name, errors of typing corrected and articles left out, and for each how many lexemes it takes.
func (t *tokenizer) phrase() (words []string, known []int) {
	for ahead := 0; len(words) < longestPhrase; ahead++ {
		word := t.word(ahead)
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			break
		}
		if ahead > 0 && slices.Contains(articles, word) {
			continue
		}
		if _, isKeyword := keywords[word]; !isKeyword && !t.known(word) {
			if fixed := t.words.corrected(word); fixed != "" {
				word = fixed
			}
		}
		words, known = append(words, word), append(known, ahead+1)
	}
	return words, known
}

// known reports whether a word is part of a name.
func (t *tokenizer) known(word string) bool {
	return t.words.elements[word] || len(t.words.of[word]) > 0
}

// single reads a word that is no name.
func (t *tokenizer) single(word string) {
	fixed := word
	if _, isKeyword := keywords[word]; !isKeyword && !noise[word] {
		if better := t.words.corrected(word); better != "" {
			fixed = better
		}
	}
	keyword, isKeyword := keywords[fixed]
	switch {
	case word == "al" && t.word(1) == "mediodia":
		t.at++
	case isKeyword:
		if keyword.text == "" {
			keyword.text = word
		}
		t.add(1, keyword)
	case signCode(word) != "":
		t.add(1, token{sense: senseSign, text: signCode(word)})
	case noise[word]:
		t.at++
	case word == morning:
		t.add(1, wrong(hourUnclear("mañana")))
	case len(t.words.of[fixed]) > 1:
		t.add(1, wrong(apperr.Line("LIST_GAME_UNCLEAR", "several games have this name", "word", word)))
	default:
		t.add(1, wrongWord(word))
	}
}
