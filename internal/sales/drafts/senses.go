package drafts

import (
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// sense is what a token means.
type sense int

// The senses.
const (
	senseNumber  sense = iota // digits: a number, an amount, or both
	senseElement              // name of an element
	senseGame
	senseHour
	senseBet  // name of a bet type
	senseSign // of the zodiac
	sensePer  // "x", "por", "=": picks before, amount after
	senseTo   // "al": amount before, picks after
	sensePerOrTo
	senseAnd
	senseComma
	senseDash
	senseFrom // "del", of a run
	senseEach // "cada uno"
	senseWrong
)

// token is a word of the text, or several, with what it means.
type token struct {
	sense  sense
	text   string
	amount money.Amount    // of digits that may be an amount
	list   []string        // of digits that may be numbers; nil where a currency stands beside them
	game   []*catalog.Game // that the words name
	hour   hour
	wrong  *apperr.Detail // why it is not understood
}

// hour is a time of day as people say it.
type hour struct {
	hour, minute int
	exact        bool // of 24 hours; else of 12, before or after noon
	minutes      bool // are said
	bare         bool // no word beside the digits says that it is a time
	part         string
}

// Parts of the day.
const (
	morning   = "manana"
	afternoon = "tarde"
	night     = "noche"
)

// keywords are words with one meaning.
//
//nolint:gochecknoglobals // a constant
var keywords = map[string]token{
	"x": {sense: sensePer}, "por": {sense: sensePer}, "con": {sense: sensePer}, "=": {sense: sensePer}, ":": {sense: sensePer}, "*": {sense: sensePer},
	"@":  {sense: sensePer},
	"al": {sense: senseTo}, "pal": {sense: senseTo}, "a": {sense: sensePerOrTo},
	"y": {sense: senseAnd}, "e": {sense: senseAnd}, "&": {sense: senseAnd}, ",": {sense: senseComma}, ".": {sense: senseComma},
	"-": {sense: senseDash}, "/": {sense: senseDash}, "del": {sense: senseFrom}, "desde": {sense: senseFrom}, "hasta": {sense: senseTo},
	"cadauno": {sense: senseEach}, "todos": {sense: senseEach}, "todas": {sense: senseEach}, "todo": {sense: senseEach}, "cada": {sense: senseEach},
	"tripleta": betToken(catalog.BetTripleta), "tripletas": betToken(catalog.BetTripleta),
	"dupleta": betToken(catalog.BetDupleta), "dupletas": betToken(catalog.BetDupleta),
	"triple": betToken(catalog.BetTriple), "triples": betToken(catalog.BetTriple),
	"terminal": betToken(catalog.BetTerminal), "terminales": betToken(catalog.BetTerminal), "cola": betToken(catalog.BetTerminal),
	"punta": betToken(catalog.BetFirstTwo), "puntas": betToken(catalog.BetFirstTwo),
	"aproximacion": betToken(catalog.BetApproximation), "aprox": betToken(catalog.BetApproximation),
	"noche": {sense: senseHour, hour: hour{part: night}}, "tarde": {sense: senseHour, hour: hour{part: afternoon}},
	"mediodia": {sense: senseHour, hour: hour{hour: 12, exact: true, minutes: true}},
}

func betToken(name string) token { return token{sense: senseBet, text: name} }

// noise are words of messages that change nothing.
//
//nolint:gochecknoglobals // a constant
var noise = setOf("hola buenas buenos buen dia dias feliz saludos epa mi mis reina rey amor amiga amigo amigos hermano hermana pana jefe jefa vecina vecino senora senor sra sr " +
	"gracias favor porfa porfavor porfis dame deme me das da ponme pongame pon anota anotame anoteme juega juegame juegueme quiero quisiera mandame vendeme juegue " +
	"para pa en de el la los un una lo le te que va vamos ok listo dale ahi jugada jugadas juego ticket animal animalito animalitos numero numeros hoy sorteo sorteos " +
	"apuesta monto lista bendiciones dios bendiga saludo tenga")

// currencies are words that name a currency, with its code.
//
//nolint:gochecknoglobals // a constant
var currencies = map[string]string{
	"bs": "VES", "bss": "VES", "bsf": "VES", "bsd": "VES", "bolo": "VES", "bolos": "VES", "bolivar": "VES", "bolivares": "VES", "ves": "VES",
	"$": "USD", "usd": "USD", "dolar": "USD", "dolares": "USD", "verdes": "USD",
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// signCode returns the code of a sign by its name, or "".
func signCode(word string) string {
	for _, code := range catalog.Signs() {
		if nameOf(catalog.SignName(code)) == word {
			return code
		}
	}
	return ""
}

// digitsToken is the token of a group of digits.
func digitsToken(text string, digits int) token {
	t := token{sense: senseNumber, text: text, amount: amountOf(text, digits), list: numbersOf(text)}
	if t.list == nil && !strings.ContainsAny(text, ".,") && len(text) <= 4 {
		t.list = []string{text}
	}
	return t
}

// clockToken is the token of a time such as 9:30.
func clockToken(text string) token {
	hours, minutes, _ := strings.Cut(text, ":")
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if h > 23 || m > 59 {
		return wrongWord(text)
	}
	return token{sense: senseHour, text: text, hour: hour{hour: h, minute: m, minutes: true, exact: h > 12 || h == 0, bare: true}}
}

// longestWord bounds a word that a refusal repeats.
const longestWord = 20

func wrongWord(word string) token {
	return wrong(apperr.Line("LIST_UNKNOWN_WORD", "a word is not understood", "word", word[:min(len(word), longestWord)]))
}
