package drafts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// Bounds of a text. What is longer is refused, not cut.
const (
	MaxText   = 8000 // characters
	maxTokens = 300  // of a line
)

// Offer is what can be sold, and what is chosen at the point of sale.
type Offer struct {
	Games    []*catalog.Game
	Draws    []Draw // on sale, by time
	Chosen   []uuid.UUID
	Now      time.Time
	Zone     *time.Location
	Currency string // code
	Digits   int    // of the currency
}

// Draw is a draw on sale.
type Draw struct {
	ID   uuid.UUID
	Game *catalog.Game
	Time time.Time
}

// Line is a bet line that was understood.
type Line struct {
	Draw    Draw
	BetType string
	Codes   []string
	Name    string
	Amount  money.Amount
}

// Part is a line of the text with a meaning: its bet lines, or the reason why it is not understood. A heading, which names the game or the hour of the
// lines below it, has neither.
type Part struct {
	Number  int // of the line in the text, from 1
	Text    string
	Lines   []Line
	Refused *apperr.Detail
}

// reader reads a text.
type reader struct {
	offer   *Offer
	words   *vocabulary
	chosen  map[uuid.UUID]bool
	heading place
	waiting []waiting // picks of lines without an amount
}

// waiting is a part whose amount stands in a line below it.
type waiting struct {
	part  int
	picks []pick
	kind  string
	place place
}

// Read returns the parts of a text in their order. It is deterministic, and costs a time that grows with the length of the text.
func Read(text string, offer *Offer) []Part {
	r := &reader{offer: offer, words: newVocabulary(offer.Games), chosen: chosenSet(offer.Chosen)}
	var parts []Part
	for i, line := range strings.FieldsFunc(markEmpty(text), func(r rune) bool { return r == '\n' || r == ';' }) {
		part := Part{Number: i + 1, Text: strings.TrimSpace(line)}
		if part.Text == "" {
			continue
		}
		if r.readLine(&part, parts, len(parts)) {
			parts = append(parts, part)
		}
	}
	r.refuseWaiting(parts)
	return parts
}

// markEmpty keeps empty lines apart, so that lines keep their numbers.
func markEmpty(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", " \n ")
}

// readLine reads a line. It reports whether the line has a meaning.
func (r *reader) readLine(part *Part, parts []Part, index int) bool {
	tokens := trimmed(r.tokensOf(part.Text))
	if len(tokens) == 0 {
		return false
	}
	if len(tokens) > maxTokens {
		part.Refused = unread()
	}
	for i := range tokens {
		if tokens[i].wrong != nil && part.Refused == nil {
			part.Refused = tokens[i].wrong
		}
	}
	if part.Refused != nil {
		r.refuseWaiting(parts)
		return true
	}
	if r.settles(tokens, parts) {
		return false
	}
	waiting := len(r.waiting)
	r.readEither(part, tokens, index)
	if len(r.waiting) == waiting { // an amount below this line is not of the lines above it
		r.refuseWaiting(parts)
	}
	return true
}

// readEither reads the tokens in the one way that has a meaning, of those that names of an element and a game allow.
func (r *reader) readEither(part *Part, tokens []token, index int) {
	heading, waiting := r.heading, r.waiting
	var sound [][]token
	both := alternatives(tokens)
	for _, alternative := range both {
		if r.readTokens(part, alternative, index); part.Refused == nil {
			sound = append(sound, alternative)
		}
		r.heading, r.waiting = heading, slices.Clip(waiting)
	}
	switch len(sound) {
	case 0:
		r.readTokens(part, both[0], index)
	case 1:
		r.readTokens(part, sound[0], index)
	default:
		part.Lines, part.Refused = nil, unclear()
	}
}

// refuseWaiting refuses the parts that no amount follows.
func (r *reader) refuseWaiting(parts []Part) {
	for _, w := range r.waiting {
		parts[w.part].Refused = noAmount()
	}
	r.waiting = nil
}

// alternatives are the tokens with each name that is an element's and a game's read as either. The first one reads elements.
func alternatives(tokens []token) [][]token {
	list := [][]token{tokens}
	both := func(t token) bool { return t.sense == senseElement && len(t.game) > 0 }
	if !slices.ContainsFunc(tokens, both) {
		return list
	}
	games := slices.Clone(tokens)
	for i := range games {
		if both(games[i]) {
			games[i].sense = senseGame
		}
	}
	return append(list, games)
}

// trimmed takes separators off the ends.
func trimmed(tokens []token) []token {
	mark := func(t token) bool {
		return t.sense == senseComma || t.sense == senseDash || t.sense == senseAnd || t.sense == sensePer && t.text == ":"
	}
	for len(tokens) > 0 && mark(tokens[0]) {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && mark(tokens[len(tokens)-1]) {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// settles reads "a 20 cada uno", the amount of the lines above that have none.
func (r *reader) settles(tokens []token, parts []Part) bool {
	if len(r.waiting) == 0 {
		return false
	}
	said := tokens
	for len(said) > 0 && slices.Contains([]sense{sensePer, sensePerOrTo, senseEach}, said[0].sense) {
		said = said[1:]
	}
	words := len(tokens) - len(said)
	for len(said) > 1 && said[len(said)-1].sense == senseEach {
		said, words = said[:len(said)-1], words+1
	}
	if words == 0 || len(said) != 1 || said[0].sense != senseNumber || said[0].amount == 0 {
		return false
	}
	for _, w := range r.waiting {
		r.place(&parts[w.part], reading{{kind: w.kind, picks: w.picks, amount: said[0].amount}}, &w.place)
	}
	r.waiting = nil
	return true
}

// section is tokens of bets with the place that is said before or behind them.
type section struct {
	bets  []token
	place place
}

// readTokens reads the bets of a line and where they are placed.
func (r *reader) readTokens(part *Part, tokens []token, index int) {
	part.Lines, part.Refused = nil, nil
	sections, heading, refused := r.sectionsOf(tokens)
	if refused != nil {
		part.Refused = refused
		return
	}
	if heading != nil {
		r.heading = *heading
		return
	}
	waiting := r.waiting
	for i := range sections {
		r.readSection(part, &sections[i], index)
		if len(sections) > 1 && len(r.waiting) > len(waiting) { // an amount below would be of a part of the line
			r.waiting, part.Refused = slices.Clip(waiting), noAmount()
		}
		if part.Refused != nil {
			part.Lines = nil
			return
		}
	}
}

// sectionsOf divides a line. A place stands before all bets of the line, behind all of them, or before each, or behind each.
func (r *reader) sectionsOf(tokens []token) (sections []section, heading *place, refused *apperr.Detail) {
	var runs []section // in turn bets and places
	for i := range tokens {
		var at place
		if isPlace := at.add(&tokens[i]); isPlace {
			if len(runs) == 0 || runs[len(runs)-1].place.empty() {
				runs = append(runs, section{})
			}
			runs[len(runs)-1].place.add(&tokens[i])
			continue
		}
		joins := tokens[i].sense == senseAnd || tokens[i].sense == senseComma
		if joins && len(runs) > 0 && !runs[len(runs)-1].place.empty() && i+1 < len(tokens) && at.add(&tokens[i+1]) {
			continue // "lotto y granjita"
		}
		if len(runs) == 0 || !runs[len(runs)-1].place.empty() {
			runs = append(runs, section{})
		}
		runs[len(runs)-1].bets = append(runs[len(runs)-1].bets, tokens[i])
	}
	runs = kindBehindPlace(slices.DeleteFunc(runs, func(s section) bool { return s.place.empty() && len(trimmed(s.bets)) == 0 }))
	switch first, last := &runs[0], &runs[len(runs)-1]; {
	case len(runs) == 1 && first.place.bare():
		return nil, nil, unclear()
	case len(runs) == 1 && !first.place.empty():
		return nil, &first.place, nil
	case len(runs) == 1:
		return []section{{bets: first.bets}}, nil, nil
	case len(runs)%2 == 1, first.place.empty() == last.place.empty():
		return nil, nil, unclear()
	}
	for i := 0; i < len(runs); i += 2 {
		one := section{bets: runs[i].bets, place: runs[i+1].place}
		if !runs[i].place.empty() {
			one = section{bets: runs[i+1].bets, place: runs[i].place}
		}
		one.bets = trimmed(one.bets)
		sections = append(sections, one)
	}
	return sections, nil, nil
}

// kindBehindPlace reads "tripleta chaima 5 12 20 x 10" as "chaima tripleta 5 12 20 x 10".
func kindBehindPlace(runs []section) []section {
	if len(runs) == 3 && len(runs[0].bets) == 1 && runs[0].bets[0].sense == senseBet {
		runs[2].bets = append(runs[0].bets, runs[2].bets...)
		return runs[1:]
	}
	return runs
}

func (r *reader) readSection(part *Part, s *section, index int) {
	at := s.place.within(&r.heading)
	draws, refused := r.drawsOf(&at)
	g := &grammar{tokens: s.bets}
	if refused == nil {
		g.fits = func(kind, number string) bool { return fits(draws, kind, number) }
	}
	found := g.readings()
	if len(found) == 0 && refused == nil { // for the reason why
		g.fits = nil
		found = g.readings()
	}
	switch {
	case len(found) > 1:
		part.Refused = unclear()
	case len(found) == 1 && refused != nil:
		part.Refused = refused
	case len(found) == 1:
		r.placeOn(part, found[0], draws)
	default:
		r.keepOrRefuse(part, s, index, at)
	}
}

// keepOrRefuse keeps picks without an amount for a line below, and refuses anything else.
func (r *reader) keepOrRefuse(part *Part, s *section, index int, at place) {
	g := &grammar{tokens: s.bets}
	kind, begin := g.kindAt(0)
	for _, p := range g.picksAt(begin) {
		if p.end == len(s.bets) && !p.run {
			r.waiting = append(r.waiting, waiting{part: index, picks: p.picks, kind: kind, place: at})
			return
		}
	}
	part.Refused = unread()
}

func (r *reader) place(part *Part, bets reading, at *place) {
	draws, refused := r.drawsOf(at)
	if refused != nil {
		part.Refused = refused
		return
	}
	r.placeOn(part, bets, draws)
}

// placeOn adds the bet lines of bets on draws, or refuses the part.
func (r *reader) placeOn(part *Part, bets reading, draws []Draw) {
	for i := range bets {
		for _, draw := range draws {
			lines, refused := r.linesOn(draw, &bets[i])
			if refused != nil {
				part.Lines, part.Refused = nil, refused
				return
			}
			part.Lines = append(part.Lines, lines...)
		}
	}
}

// linesOn returns the lines of a bet on a draw: one for each pick, or one of all parts of a combination.
func (r *reader) linesOn(draw Draw, b *bet) ([]Line, *apperr.Detail) {
	kind := kindOf(draw.Game, b.kind, &b.picks[0])
	selections, refused := r.codesOf(draw.Game, kind, b.picks)
	if refused != nil {
		return nil, refused
	}
	lines := make([]Line, 0, len(selections))
	for _, codes := range selections {
		selection, refused := draw.Game.Select(kind, codes)
		if refused != nil {
			return nil, refused
		}
		if _, refused := draw.Game.Rule(kind).CheckStake(b.amount, r.offer.Currency, r.offer.Digits); refused != nil {
			return nil, refused
		}
		lines = append(lines, Line{Draw: draw, BetType: kind, Codes: codes, Name: selection.Name, Amount: b.amount})
	}
	return lines, nil
}

// kindOf is the bet type of a pick: the named one, with a sign its like with a sign, else the first one that is declared for an element, or for as many
// digits.
func kindOf(game *catalog.Game, named string, p *pick) string {
	if named != "" && p.sign == "" {
		return named
	}
	like, grid := catalog.BetTypeOf(named), game.Mechanics().Kind == catalog.DrawsElement || p.name != ""
	for _, b := range catalog.BetTypes() {
		fits := grid && b.Grid || !grid && !b.Grid && b.Digits == len(p.number)
		if fits && b.Parts == 1 && b.Sign == (p.sign != "") && (like == nil || like.Match == b.Match) {
			return b.Name
		}
	}
	return cmp.Or(named, catalog.BetTriple)
}

// fits reports whether a game of the draws has numbers of this form.
func fits(draws []Draw, kind, number string) bool {
	return slices.ContainsFunc(draws, func(d Draw) bool {
		if d.Game.Mechanics().Kind == catalog.DrawsElement {
			return len(number) <= 2 || elementOf(d.Game, number) != nil
		}
		if declared := catalog.BetTypeOf(kind); declared != nil {
			return declared.Digits == len(number)
		}
		return slices.ContainsFunc(d.Game.BetTypes(), func(name string) bool { return catalog.BetTypeOf(name).Digits == len(number) })
	})
}

func elementOf(game *catalog.Game, number string) *catalog.Element {
	if e := game.Element(number); e != nil || number == "00" {
		return e
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	return game.Element(strconv.Itoa(n))
}

// codesOf returns the codes of each selection.
func (r *reader) codesOf(game *catalog.Game, kind string, picks []pick) ([][]string, *apperr.Detail) {
	declared := catalog.BetTypeOf(kind)
	var list []string
	var selections [][]string
	for i := range picks {
		codes, refused := r.codesOfPick(game, declared, &picks[i])
		if refused != nil {
			return nil, refused
		}
		for _, code := range codes {
			list = append(list, code)
			if picks[i].sign != "" {
				selections = append(selections, []string{code, picks[i].sign})
			} else {
				selections = append(selections, []string{code})
			}
		}
	}
	if declared.Parts > 1 {
		return [][]string{list}, nil
	}
	return selections, nil
}

// codesOfPick returns the codes of a name, a number or a run.
func (r *reader) codesOfPick(game *catalog.Game, declared *catalog.BetType, p *pick) ([]string, *apperr.Detail) {
	if p.name != "" {
		code := r.words.codes[game][p.name]
		if code == "" {
			return nil, apperr.Line("LIST_UNKNOWN_NAME", "the game has no element of this name", "word", p.name, "game", game.Name)
		}
		return []string{code}, nil
	}
	if p.until == "" {
		return []string{codeOf(game, declared, p.number)}, nil
	}
	from, _ := strconv.Atoi(p.number)
	to, _ := strconv.Atoi(p.until)
	var codes []string
	for n := from; n <= to; n++ {
		number := strconv.Itoa(n)
		for !declared.Grid && len(number) < declared.Digits {
			number = "0" + number
		}
		codes = append(codes, codeOf(game, declared, number))
	}
	return codes, nil
}

// codeOf is the code of a number as it is written: an element's without the zeros before it, unless they are its code.
func codeOf(game *catalog.Game, declared *catalog.BetType, number string) string {
	if !declared.Grid {
		return number
	}
	if e := elementOf(game, number); e != nil {
		return e.Code
	}
	return number
}
